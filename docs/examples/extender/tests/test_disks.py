"""The extender my-extender: pods that ask for a kind of disk run on the nodes that have it."""

from pathlib import Path

import pytest

from schedtest import ExtenderProgram, KubeScheduler
from schedtest.extender import Forward

#: the extender runs as a process of this machine; in a pod it would need an image
pytestmark = pytest.mark.requires("processes")

FOLDER = Path(__file__).parents[1]
FAST = {"example.com/disk": "fast"}


@pytest.fixture(scope="module")
def extender(install, extenders):
    # Change: binary= takes any program, and image= a container image for real nodes.
    program = ExtenderProgram(
        "my-extender",
        binary=FOLDER / "extender.py",
        arguments=lambda at: [f"--listen={at.host}:{at.port}"],
        health="/healthz",
    )
    # kube-scheduler's calls are recorded on the way.
    return extenders.serve(Forward(install(program).url, verbs=["filter"]))


@pytest.fixture(scope="module")
def scheduler(install, extender):
    return install(KubeScheduler("my-scheduler", extenders=[extender.configuration(http_timeout=2)]))


def test_pod_goes_where_its_disk_is(scheduler, extender, nodes, pods, expect):
    _, fast = nodes.claim(2)
    fast.label(FAST)
    pod = pods.create(scheduler=scheduler, labels=FAST)
    expect(pod).bound_to(fast)
    assert extender.calls.of("filter", pod)[0].result.names == [fast.name]


def test_pod_waits_for_its_disk(scheduler, nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=scheduler, labels=FAST)
    expect(pod).stays_pending(rejected_by="Extender", message="its disk is not fast")


def test_pod_without_a_wish_goes_anywhere(scheduler, pods, expect):
    expect(pods.create(scheduler=scheduler)).bound()
