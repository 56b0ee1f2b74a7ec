"""Workers of pytest-xdist share a cluster: each test runs where it can, and a worker that is killed is replaced."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest

#: the runs within the tests have clusters of their own
pytestmark = pytest.mark.requires("processes", "default-scheduler")

#: seconds that a run may take; measured 15
LONGEST = 300

HEAD = """
import os
import signal
from pathlib import Path

import pytest

from schedtest import KubeScheduler

@pytest.fixture(scope="module")
def mine(install):
    return install(KubeScheduler("mine"))

@pytest.fixture(autouse=True)
def noted(request, cluster):
    server = next(line for line in cluster.kubeconfig.read_text().splitlines() if "server:" in line)
    with open("noted", "a") as file:
        file.write(f"{request.node.name} {os.environ['PYTEST_XDIST_WORKER']} {server.split()[-1]}\\n")
"""

#: what any worker runs
CORNER = """
@pytest.mark.parametrize("turn", range(3))
def test_corner(mine, nodes, pods, expect, turn):
    first, second = nodes.claim(2)
    second.cordon()
    expect(pods.create(scheduler=mine)).bound_to(first)
"""

#: what takes the whole cluster, or the default scheduler of it
WHOLE = """
@pytest.mark.requires("default-scheduler")
def test_default(pods, expect):
    pod = pods.create()
    assert pod.scheduler == "default-scheduler"
    expect(pod).bound()

@pytest.mark.requires("restart")
def test_restart(cluster, pods, expect):
    cluster.restart_api_server()
    expect(pods.create()).bound()
"""

#: ends the worker that runs it, for the first time only
DIES = """
def test_dies(mine, pods, expect):
    expect(pods.create(scheduler=mine)).bound()
    if not Path("died").exists():
        Path("died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
"""


#: each of two workers has a scheduler of the same name; that of the guest does nothing while it is paused
NAMESAKES = """
import time

def wait_for(name):
    end = time.monotonic() + 60
    while not Path(name).exists():
        assert time.monotonic() < end, f"there is no {name}"
        time.sleep(0.1)

@pytest.mark.requires("default-scheduler")
def test_owner(mine, pods, expect):
    expect(pods.create(scheduler=mine)).bound()
    Path("owner-works").touch()
    wait_for("guest-has-looked")

def test_guest(mine, pods, expect):
    wait_for("owner-works")
    mine.pause()
    pod = pods.create(scheduler=mine)
    try:
        expect(pod, timeout=3).bound()
    except Exception:
        mine.resume()
        expect(pod).bound()
    else:
        pytest.fail("the other scheduler has bound it")
    finally:
        Path("guest-has-looked").touch()
"""


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its exit status, output, verdicts by test, and which worker of which cluster ran each."""

    status: int
    printed: str
    verdicts: dict[str, str]
    workers: dict[str, str]
    servers: set[str]


@pytest.fixture
def run(schedtest_session, tmp_path):
    """Run tests in two workers, with our binaries; at the end nothing of theirs is left."""

    def running(*options, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(HEAD + text)
        binaries = [f"--bin={name}={binary.path}" for name, binary in schedtest_session.binaries.items()]
        command = [sys.executable, "-m", "pytest", "-n2", "-p", "no:cacheprovider", "--rootdir=.", "--nodes=2"]
        done = subprocess.run(
            [*command, *binaries, "--junit-xml=out.xml", *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,  # two workers that wait for each other do so for ever
        )
        lines = [line.split() for line in (tmp_path / "noted").read_text().splitlines()]
        return Ended(
            done.returncode,
            done.stdout + done.stderr,
            _verdicts(tmp_path / "out.xml"),
            {test: worker for test, worker, _ in lines},
            {server for *_, server in lines},
        )

    yield running
    assert not [each for each in psutil.process_iter(["cwd"]) if each.info["cwd"] == str(tmp_path)]


def _verdicts(file: Path) -> dict[str, str]:
    cases = ElementTree.parse(file).getroot().iter("testcase")  # noqa: S314 - pytest wrote it
    return {
        case.get("name"): "".join(str(each.get("message")) for each in case if each.tag != "properties")
        for case in cases
    }


def test_each_test_runs_where_it_can(run):
    result = run("--share-cluster", test_corner=CORNER, test_corners=CORNER, test_whole=WHOLE)
    assert result.status == pytest.ExitCode.OK, result.printed
    assert "8 passed in " in result.printed
    assert len(result.servers) == 1
    assert {result.workers[test] for test in ("test_default", "test_restart")} == {"gw0"}
    assert "gw1" in result.workers.values()
    assert "waiting for the cluster that another worker boots" in result.printed


def test_scheduler_binds_no_pod_of_another_worker(run):
    """The guest's cannot anyway; the owner's could, if it might change whatever is in the cluster."""
    result = run("--share-cluster", test_namesakes=NAMESAKES)
    assert result.status == pytest.ExitCode.OK, result.printed
    assert result.workers == {"test_owner": "gw0", "test_guest": "gw1"}


def test_workers_have_clusters_of_their_own_without_it(run):
    result = run("--dist=loadfile", test_corner=CORNER, test_whole=WHOLE)
    assert result.status == pytest.ExitCode.OK, result.printed
    assert len(result.servers) == 2


def test_guest_that_is_killed_is_replaced(run):
    result = run("--share-cluster", test_dies=DIES, test_whole=WHOLE)
    assert "worker 'gw1' crashed while running 'test_dies.py::test_dies'" in result.printed
    assert "replacing crashed worker gw1" in result.printed
    assert result.status == pytest.ExitCode.TESTS_FAILED, result.printed
    assert {result.workers[test] for test in ("test_default", "test_restart")} == {"gw0"}
    assert not any(result.verdicts[test] for test in ("test_default", "test_restart", "test_dies"))
    assert result.workers["test_dies"] == "gw2"


def test_owner_that_is_killed_takes_its_cluster_with_it(run):
    """Its successor boots another one; what a guest has not run by then is not run in the cluster that is lost.

    The owner may be killed while the guest still boots, or in its first test.
    """
    dies = DIES.replace("def test_dies", '@pytest.mark.requires("default-scheduler")\ndef test_dies')
    result = run("--share-cluster", test_corner=f"{WAITS}{CORNER}", test_dies=dies, test_whole=WHOLE)
    assert result.status == pytest.ExitCode.TESTS_FAILED, result.printed
    assert "worker 'gw0' crashed while running 'test_dies.py::test_dies'" in result.printed
    assert {result.workers[test] for test in ("test_default", "test_restart")} == {"gw2"}
    assert not any(result.verdicts[test] for test in ("test_default", "test_restart"))
    said = "the worker gw0 has ended, which booted the cluster"
    corners = [verdict for test, verdict in result.verdicts.items() if "corner" in test]
    assert len(corners) == 3
    assert all(said in verdict for verdict in corners), corners
    assert len(result.servers) == 2


#: keeps the guest until its owner has died
WAITS = """
import time

def test_waits(mine, nodes, pods, expect):
    nodes.claim(1)
    end = time.monotonic() + 60
    while not Path("died").exists():
        assert time.monotonic() < end, "the owner has not died"
        time.sleep(0.1)
    expect(pods.create(scheduler=mine, node_selector={"no": "such"})).bound()
"""
