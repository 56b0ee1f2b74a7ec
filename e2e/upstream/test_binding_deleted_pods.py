"""A pod that is deleted while it is being bound leaves its room to others at once."""

from contextlib import nullcontext
from threading import Event

import pytest

from schedtest import KubeScheduler
from schedtest.extender import Binder

pytestmark = pytest.mark.requires("resize", "whole-cluster")

#: seconds for the binding that does not come with the bug: many times what it takes, back-off of 1 s included
SOON = 5

#: seconds for which a binding may be held, so that no step of a test outlasts it
LONG = 60


class Slow(Binder):
    """Bind, but a pod called slow only once the test is over."""

    def __init__(self, kubeconfig):
        super().__init__(kubeconfig)
        self.asked, self.over = Event(), Event()

    def bind(self, args):
        if args.pod_name == "slow":
            self.asked.set()
            self.over.wait(LONG)
        return super().bind(args)


@pytest.fixture
def slow(cluster):
    return Slow(cluster.kubeconfig)


@pytest.fixture
def delegating(slow, extenders, install):
    served = extenders.serve(slow)
    return install(KubeScheduler("delegating", extenders=[served.configuration(http_timeout=LONG)]))


@pytest.fixture
def node(nodes):
    (claimed,) = nodes.claim(1, capacity={"cpu": "1"})
    return claimed


@pytest.fixture
def first(request, slow, delegating, node, pods, expect):
    """Make the pod that takes all of a node: one that is bound, or one whose binding goes on until the test is over."""
    pod = pods.create(request.param, scheduler=delegating, requests={"cpu": "1"})
    if request.param == "slow":
        assert slow.asked.wait(SOON)
    else:
        expect(pod).bound_to(node)
    yield pod
    slow.over.set()


@pytest.mark.parametrize("first", ["bound", "slow"], indirect=True)
def test_its_room_is_free(first, delegating, pods, expect, known_bug):
    first.delete()
    pod = pods.create(scheduler=delegating, requests={"cpu": "1"})
    bug = known_bug(
        "kubernetes<1.35",
        reason="kubernetes#134157: a pod that is deleted while it is being bound goes on to take its room",
        match="Insufficient cpu",
    )
    with bug if first.name == "slow" else nullcontext():
        expect(pod, timeout=SOON).bound()


@pytest.mark.parametrize("first", ["bound", "slow"], indirect=True)
def test_it_is_not_preempted_again_and_again(first, delegating, node, pods, expect, known_bug):
    """A change of the node has the pod tried once more."""
    high = pods.priority_class("high", 1000)
    mark = expect.mark()
    pod = pods.create(scheduler=delegating, requests={"cpu": "1"}, priority_class=high)
    expect(first).preempted(by=pod)
    node.resize({"cpu": "1500m"})
    bug = known_bug(
        "kubernetes>=1.33,<1.35",
        reason="kubernetes#134217: a pod is tried without a pause while the pod that it has preempted is being bound",
        match=r"\d\d attempts",
    )
    with bug if first.name == "slow" else nullcontext():
        expect(pod).tried(at_most=9, since=mark)
