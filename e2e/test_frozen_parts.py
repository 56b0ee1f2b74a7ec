"""A part of the cluster that dies or hangs is named at once, and no further test waits for it."""

import re
import signal
import time
from xml.etree import ElementTree

import psutil
import pytest

from schedtest import ComponentError, ExpectationError, KubeScheduler

pytestmark = pytest.mark.requires("processes", "restart")

PARTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok")

#: seconds from what happens to a part to the end of the run
SOON = 15

#: exit status of a run that the infrastructure has failed
INFRASTRUCTURE = 11

#: three tests with a cluster, during the first of which a part of it gets a signal, and one without
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
LONG, SHORT = 'expect(pods.create(node_selector={"no": "such"})).bound()', "pass"


@pytest.fixture
def run(schedtest_session, pytester):
    """Run the tests of ``RUN`` in a cluster of their own, with the binaries of this one."""
    binaries = [f"--bin={name}={binary.path}" for name, binary in schedtest_session.binaries.items()]

    def running(part, number, claim=LONG, *options):
        source = RUN.replace("PART", repr(part)).replace("SIGNAL", str(int(number))).replace("CLAIM", claim)
        pytester.makepyfile(test_parts=source)
        result = pytester.runpytest_subprocess(*binaries, "--nodes=2", "--junit-xml=out.xml", *options)
        result.since = time.time() - float((pytester.path / "struck").read_text())
        return result

    return running


def lost(part, number):
    """Return what is said of a part that was struck, as a pattern."""
    if number == signal.SIGKILL:
        return f"{part} ended by itself with signal 9"
    return rf"{part} \(pid \d+\) is stopped \(state T\): it does nothing until it gets SIGCONT"


def check_lost(result, said):
    """Check that the first test has failed as is said, that the next two were not run, and how soon that was known."""
    assert result.ret == INFRASTRUCTURE
    result.stdout.fnmatch_lines(["*1 passed, 3 infrastructure in *"])
    output = result.stdout.str()
    assert len(re.findall(f"^infrastructure failure: not run, because the cluster is lost: {said}$", output, re.M)) == 2
    assert re.search(f"infrastructure failure: {said}", output)
    assert result.since < SOON


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("part", PARTS)
def test_part_is_named_and_ends_the_run_early(run, pytester, part, number):
    result = run(part, number)
    check_lost(result, lost(part, number))
    cases = ElementTree.parse(pytester.path / "out.xml").getroot().iter("testcase")  # noqa: S314 - pytest wrote it
    verdicts = {
        case.get("name"): [each.get("message") for each in case if each.tag in ("failure", "error")] for case in cases
    }
    assert verdicts["test_without_a_cluster"] == []
    for name in ("test_two", "test_three"):
        assert re.match(
            f'failed on setup with "infrastructure failure: not run, .*: {lost(part, number)}', *verdicts[name]
        )
    assert re.search(lost(part, number), *verdicts["test_one"])
    (evidence,) = pytester.path.glob(".schedtest/runs/*/tests/*")
    assert evidence.name.startswith("test_parts-test_one")


def test_test_that_does_not_meet_what_it_lacks_does_not_pass_either(run):
    """What has not come about may not have come about because nothing could."""
    number = signal.SIGSTOP
    check_lost(run("kube-controller-manager", number, SHORT), lost("kube-controller-manager", number))


@pytest.mark.parametrize("number", [signal.SIGWINCH, signal.SIGCONT])
def test_signal_that_does_no_harm_does_none(run, number):
    """The control arm: what is checked finds a cluster that is well to be so, after a claim that has timed out."""
    result = run("kwok", number, f"with pytest.raises(AssertionError): {LONG.replace('))', '), timeout=2)')}")
    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.OK


def test_other_workers_go_on(run, pytester):
    """Each of them has a cluster of its own."""
    pytester.makepyfile(test_well="def test_well(pods, expect): expect(pods.create()).bound()")
    result = run("kwok", signal.SIGSTOP, LONG, "-n2", "--dist=loadfile")
    assert result.ret == INFRASTRUCTURE
    result.stdout.fnmatch_lines(["*2 passed, 3 infrastructure in *"])


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
