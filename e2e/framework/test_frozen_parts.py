"""A part of the cluster that dies or hangs is named at once, and no further test waits for it."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest

from schedtest import ComponentError, ExpectationError, KubeScheduler

#: the runs within the tests have clusters of their own
pytestmark = pytest.mark.requires("processes", "default-scheduler")

PARTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok")

#: signals that end a part or let it hang, and those that do neither
FATAL, HARMLESS = (signal.SIGKILL, signal.SIGSTOP), (signal.SIGWINCH, signal.SIGCONT)

#: seconds that a claim waits if nothing is found out; the run ends before that
LONG_WAIT = 180

#: exit status of a run that the infrastructure has failed
INFRASTRUCTURE = 11

#: three tests with a cluster, during the first of which a part of it gets signals, and one without
RUN = """
import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from schedtest import KubeScheduler

@pytest.fixture(scope="module")
def mine(install):
    return install(KubeScheduler("mine"))

@pytest.fixture
def strike(cluster):
    folder = cluster.kubeconfig.parents[1]

    def striking(part, number):
        for process in psutil.process_iter(["cmdline", "cwd"]):
            if process.info["cwd"] == str(folder) and Path(process.info["cmdline"][0]).name == part:
                process.send_signal(number)
                while number == signal.SIGSTOP and process.status() != psutil.STATUS_STOPPED:
                    pass  # the kernel stops it in its own time
                Path("struck").write_text(str(time.time()))

    return striking

def test_one(mine, nodes, pods, expect, strike):
    (node,) = nodes.claim(1)
    expect(pods.create(scheduler=mine)).bound_to(node)
    strike(PART, SIGNAL)
    CLAIM

def test_two(pods, expect):
    expect(pods.create()).bound()

def test_three(mine, nodes, pods, deployments, expect):
    nodes.claim(1)
    expect(pods.create(scheduler=mine)).bound()

def test_without_a_cluster():
    pass
"""

#: a claim that times out if nothing is found out, and one that comes true before anything can be
LONG, SHORT = f'expect(pods.create(node_selector={{"no": "such"}}), timeout={LONG_WAIT}).bound()', "pass"


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its folder, exit status and output, and how soon after the signal it ended."""

    folder: Path
    status: int
    printed: str
    since: float


@pytest.fixture(scope="module")
def run(binary_options, tmp_path_factory):
    """Run the tests of ``RUN``, and more files of tests by name, in a cluster of their own, with our binaries."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir=.", "--nodes=2", *binary_options]
    # A width, which GNU readline gives to children of the process that it is in, would have lines fitted to it.
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    folders = tmp_path_factory.mktemp("runs")

    def running(part, number, claim=LONG, *options, **more):
        source = RUN.replace("PART", repr(part)).replace("SIGNAL", str(int(number))).replace("CLAIM", claim)
        # Not by the factory, which several threads must not ask at once.
        folder = Path(tempfile.mkdtemp(prefix=f"{part}-", dir=folders))
        for name, text in {"test_parts": source, **more}.items():
            (folder / f"{name}.py").write_text(text)
        argv = [*command, "--junit-xml=out.xml", *options]
        done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        ended, printed = time.time(), done.stdout + done.stderr
        struck = folder / "struck"
        assert struck.exists(), printed
        return Ended(folder, done.returncode, printed, ended - float(struck.read_text()))

    return running


@pytest.fixture(scope="module", params=PARTS)
def struck(request, run):
    """Return a part, and the runs in which it got each signal: at the same time, as a run mostly waits."""
    with ThreadPoolExecutor() as pool:
        return request.param, {number: pool.submit(run, request.param, number) for number in FATAL}


def lost(part, number):
    """Return what is said of a part that was struck, as a pattern."""
    if number == signal.SIGKILL:
        return f"{part} ended by itself with signal 9"
    return rf"{part} \(pid \d+\) is stopped \(state T\): it does nothing until it gets SIGCONT"


def check_lost(result, said):
    """Check that the first test has failed as is said, that the next two were not run, and how soon that was known."""
    assert result.status == INFRASTRUCTURE, result.printed
    assert "1 passed, 3 infrastructure in " in result.printed
    not_run = f"^infrastructure failure: not run, because the cluster is lost: {said}$"
    assert len(re.findall(not_run, result.printed, re.MULTILINE)) == 2
    assert re.search(f"infrastructure failure: {said}", result.printed)
    assert result.since < LONG_WAIT


@pytest.mark.parametrize("number", FATAL)
def test_part_is_named_and_ends_the_run_early(struck, number):
    part, runs = struck
    result = runs[number].result()
    check_lost(result, lost(part, number))
    cases = ElementTree.parse(result.folder / "out.xml").getroot().iter("testcase")  # noqa: S314 - pytest wrote it
    verdicts = {
        case.get("name"): [each.get("message") for each in case if each.tag in ("failure", "error")] for case in cases
    }
    assert verdicts["test_without_a_cluster"] == []
    for name in ("test_two", "test_three"):
        assert re.match(
            f'failed on setup with "infrastructure failure: not run, .*: {lost(part, number)}', *verdicts[name]
        )
    assert re.search(lost(part, number), *verdicts["test_one"])
    (evidence,) = result.folder.glob(".schedtest/runs/*/tests/*")
    assert evidence.name.startswith("test_parts-test_one")


def test_test_that_does_not_meet_what_it_lacks_does_not_pass_either(run):
    """What has not come about may not have come about because nothing could."""
    number = signal.SIGSTOP
    check_lost(run("kube-controller-manager", number, SHORT), lost("kube-controller-manager", number))


@pytest.mark.parametrize("part", PARTS)
def test_signal_that_does_no_harm_does_none(cluster, nodes, pods, expect, part):
    """The control arm: what is checked finds a cluster that is well to be so, after a claim that has timed out."""
    folder = str(cluster.kubeconfig.parents[1])
    (found,) = (
        process
        for process in psutil.process_iter(["cmdline", "cwd"])
        if process.info["cwd"] == folder and Path(process.info["cmdline"][0]).name == part
    )
    for number in HARMLESS:
        found.send_signal(number)
    (node,) = nodes.claim(1)
    with pytest.raises(ExpectationError, match="timed out after 1 s"):
        expect(pods.create(node_selector={"no": "such"}), timeout=1).bound()
    expect(pods.create()).bound_to(node)


def test_other_workers_go_on(run):
    """Each of them has a cluster of its own."""
    well = "def test_well(pods, expect): expect(pods.create()).bound()"
    result = run("kwok", signal.SIGSTOP, LONG, "-n2", "--dist=loadfile", test_well=well)
    assert result.status == INFRASTRUCTURE, result.printed
    assert "2 passed, 3 infrastructure in " in result.printed


def frozen(install, cluster):
    """Run a scheduler, and stop its process from outside."""
    scheduler = install(KubeScheduler("mine"))
    files = f"{cluster.kubeconfig.parents[1]}/workloads/{scheduler.name}/"
    found = [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(files in argument for argument in process.info["cmdline"] or ())
    ]
    for process in found:
        process.suspend()
        while process.status() != psutil.STATUS_STOPPED:
            pass  # the kernel stops it in its own time
    return scheduler


def test_scheduler_that_hangs_is_to_blame(install, cluster, pods, expect):
    said = (
        r"^mine \(pid \d+\) is stopped \(state T\): it does nothing until it gets SIGCONT; a test .* calls pause\(\)$"
    )
    pod = pods.create(scheduler=frozen(install, cluster))
    with pytest.raises(ComponentError, match=said):
        expect(pod).bound()


def test_claim_that_fails_meanwhile_says_that_it_hangs(install, cluster, pods, expect):
    pod = pods.create(scheduler=frozen(install, cluster))
    with pytest.raises(ExpectationError, match=r"its scheduler hangs: mine \(pid \d+\) is stopped \(state T\)"):
        expect(pod, timeout=1).bound()


def test_scheduler_that_a_test_has_paused_is_not_to_blame(install, pods, expect):
    """Longer than anything else may hang."""
    scheduler = install(KubeScheduler("mine"))
    scheduler.pause()
    pod = pods.create(scheduler=scheduler)
    with pytest.raises(ExpectationError, match="its scheduler is not running: mine was paused by the test"):
        expect(pod, timeout=7).bound()
    scheduler.resume()
    expect(pod).bound()
