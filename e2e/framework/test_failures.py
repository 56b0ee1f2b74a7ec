"""Each usual failure tells its cause within the first screen of its message; docs/failures.md shows all of them."""

import math
import os
import re
from itertools import accumulate
from pathlib import Path

import psutil
import pytest

from schedtest import (
    ComponentError,
    ExpectationError,
    Extender,
    InfrastructureError,
    KubeScheduler,
    PluginScheduler,
    Rule,
    Taint,
)

#: a screen: what a reader sees at once
LINES, COLUMNS = 40, 120

#: seconds for claims that can only time out
SOON = 2

#: where scripts/failures wants the messages
COLLECTED = os.environ.get("SCHEDTEST_FAILURES")


class FastDisksOnly(Extender):
    """Reject every node."""

    def filter(self, args):
        return args.reject(dict.fromkeys(args.names, "its disk is slow"))


def first_screen(message):
    """Return the lines that are seen at once; a long one takes several rows."""
    lines = message.splitlines()
    ends = accumulate(math.ceil(len(line) / COLUMNS) for line in lines)
    return "\n".join(line for line, end in zip(lines, ends, strict=True) if end <= LINES)


def kill(component, cluster):
    """Kill the process of a component of this cluster, as another user of the machine may."""
    files = next(each for each in cluster.kubeconfig.parents if (each / "workloads").is_dir()) / "workloads"
    for process in psutil.process_iter(["cmdline"]):
        if any(f"{files}/{component.name}/" in argument for argument in process.info["cmdline"] or ()):
            process.kill()


@pytest.fixture
def collect(request):
    """Keep a message if the documents are made of them, and return as much of it as is seen at once."""

    def keep(message):
        if COLLECTED:
            Path(COLLECTED, f"{request.node.name.removeprefix('test_')}.txt").write_text(f"{message}\n")
        return first_screen(message)

    return keep


@pytest.fixture
def message_of(collect):
    """Make a claim that must fail, and return its message, as ``collect`` does."""

    def failing(claim, *arguments, error=ExpectationError):
        with pytest.raises(error) as failure:
            claim(*arguments)
        return collect(str(failure.value))

    return failing


@pytest.fixture
def picky(install, extenders):
    """Run a scheduler with an extender that rejects every node; gives both."""
    extender = extenders.serve(FastDisksOnly())
    return install(KubeScheduler("picky", extenders=[extender.configuration()])), extender


def test_wrong_label(nodes, pods, expect, message_of):
    (node,) = nodes.claim(1, labels={"disk": "hdd"})
    pod = pods.create(node_selector={"disk": "ssd"})
    message = message_of(expect(pod, timeout=SOON).bound_to, node)
    assert "rejected by NodeAffinity" in message
    assert f"    {node.name}  " in message
    assert "didn't match Pod's node affinity/selector" in message
    assert "labels: disk=hdd" in message


@pytest.mark.requires("resize")
def test_insufficient_cpu(nodes, pods, expect, message_of):
    nodes.claim(2, capacity={"cpu": "1"})
    message = message_of(expect(pods.create(requests={"cpu": "2"}), timeout=SOON).bound)
    assert "NodeResourcesFit" in message
    assert re.search(r"rejects( +-)* +Insufficient cpu", message)
    assert "free: cpu 1," in message


@pytest.mark.requires("kubernetes>=1.34")  # before, the log does not say which taint of which node it is
def test_taint(nodes, pods, expect, message_of):
    (node,) = nodes.claim(1, taints=[Taint("example.com/maintenance")])
    message = message_of(expect(pods.create(), timeout=SOON).bound_to, node)
    assert "untolerated taint example.com/maintenance=:NoSchedule" in message


def test_extender_down(picky, pods, expect, message_of):
    scheduler, extender = picky
    extender.stop()
    message = message_of(expect(pods.create(scheduler=scheduler), timeout=SOON).bound)
    assert f"{extender.url} is the extender FastDisksOnly, and does not answer: stopped by the test" in message
    assert "attempt failed: Post" in message


def test_extender_says_no(picky, nodes, pods, expect, message_of):
    scheduler, _ = picky
    (node,) = nodes.claim(1)
    message = message_of(expect(pods.create(scheduler=scheduler), timeout=SOON).bound_to, node)
    assert f"FastDisksOnly.filter({node.name}) -> passes no node; {node.name}: its disk is" in message
    assert f"{node.name}  " in message
    assert "rejects" in message


def test_wrong_scheduler_name(custom_scheduler, pods, expect, message_of):
    served = custom_scheduler.scheduler_name
    message = message_of(expect(pods.create(scheduler="custom-schedular"), timeout=SOON).bound)
    assert "no scheduler serves schedulerName custom-schedular; installed are: " in message
    assert f"did you mean {served}?" in message


@pytest.mark.requires("kubernetes>=1.34,<1.36")
def test_gang_below_quorum(install, groups, expect, message_of):
    scheduler = install(
        PluginScheduler(
            "coscheduling",
            module="scheduler-plugins",
            config="manifests/schedulers/coscheduling.yaml",
            crds=("sigs.k8s.io/scheduler-plugins/config/crd/bases/scheduling.x-k8s.io_podgroups.yaml",),
            rules=(Rule(("scheduling.x-k8s.io",), ("podgroups",), ("list", "watch")),),
        )
    )
    gang = groups.create("gang", minimum=3, scheduler=scheduler)
    gang.add(2)
    message = message_of(expect(gang, timeout=SOON).scheduled)
    assert "quorum: 2 joined, 0 bound, 3 needed" in message
    assert "cannot find enough sibling pods, current pods number" in message
    assert "minMember of group: 3" in message


def test_crashed_scheduler(install, pods, expect, message_of):
    scheduler = install(KubeScheduler("mine"))
    scheduler.kill()
    message = message_of(expect(pods.create(scheduler=scheduler), timeout=SOON).bound)
    assert "its scheduler is not running: mine was killed by the test" in message


@pytest.mark.requires("processes")
def test_scheduler_that_ended_by_itself(install, cluster, pods, expect, message_of):
    scheduler = install(KubeScheduler("mine"))
    kill(scheduler, cluster)
    message = message_of(expect(pods.create(scheduler=scheduler)).bound, error=ComponentError)
    assert message.startswith("mine ended by itself with signal 9")


#: a test that fails because another process kills the API server of its cluster
KILLS_API_SERVER = """
import psutil
import pytest

def test_that_goes_on(cluster, pods, expect):
    folder = f"{cluster.kubeconfig.parents[1]}/"
    for process in psutil.process_iter(["cmdline"]):
        arguments = process.info["cmdline"] or [""]
        if arguments[0].endswith("kube-apiserver") and any(folder in argument for argument in arguments):
            process.kill()
    expect(pods.create()).bound()
"""


@pytest.mark.requires("default-scheduler", "processes")
def test_killed_api_server(binary_options, pytester, collect):
    """In a run of its own, with the binaries of this one: nothing works afterwards."""
    pytester.makepyfile(test_killed=KILLS_API_SERVER)
    output = pytester.runpytest_subprocess(*binary_options, "--nodes=1").stdout.str()
    shown, *_ = re.findall(r"^infrastructure failure: (?:.+\n)+", output, flags=re.MULTILINE)
    message = collect(shown)
    assert "infrastructure failure: kube-apiserver ended by itself with signal 9" in message


@pytest.mark.requires("kubelet")
def test_image_missing(pods, expect, message_of):
    pod = pods.create(image="registry.invalid/no-such-image:1")
    message = message_of(expect(pod, timeout=20).running, error=InfrastructureError)
    assert "registry.invalid/no-such-image:1" in message
    assert "ImagePull" in message
