"""A scheduler that does not notice a new node, or an uncordoned one, is caught by a claim, and by the law liveness.

No other node of the cluster wakes the pods that wait: the claimed nodes are all there are.
"""

import pytest

from schedtest import ExpectationError, ForkedScheduler, KubeScheduler
from schedtest.properties import Plan, laws

pytestmark = [pytest.mark.bound_only, pytest.mark.requires("more-nodes", "whole-cluster")]

FAULTS = ("new-node-is-not-noticed", "uncordon-is-not-noticed")

#: seconds within which a healthy scheduler binds a pod that waits: its backoff, and some for a busy machine
SOON = 8

NEW_NODE = Plan.from_yaml("""
nodes:
- {metadata: {name: n1}, status: {allocatable: {cpu: '1'}}}
pods:
- {metadata: {name: p1}, spec: {containers: [{name: main, resources: {requests: {cpu: '2'}}}]}}
steps:
- add: {metadata: {name: n2}, status: {allocatable: {cpu: '4'}}}
""")

UNCORDONED = Plan.from_yaml("""
nodes:
- {metadata: {name: n1}, spec: {unschedulable: true}}
pods:
- metadata: {name: p1}
steps:
- uncordon: n1
""")


@pytest.fixture(scope="module", params=FAULTS)
def broken(install, request):
    """Install a kube-scheduler with one of the faults."""
    return install(ForkedScheduler(request.param, patch=f"manifests/forks/mutants/{request.param}.patch"))


@pytest.fixture(scope="module")
def healthy(install):
    return install(KubeScheduler("healthy"))


def a_new_node_comes(scheduler, nodes, pods, expect):
    """Let a pod wait for room, which a second node has; return both."""
    nodes.claim(1, capacity={"cpu": "1"})
    pod = pods.create(scheduler=scheduler, requests={"cpu": "2"})
    expect(pod).pending(rejected_by="NodeResourcesFit")
    (node,) = nodes.claim(1)
    return pod, node


def its_node_is_uncordoned(scheduler, nodes, pods, expect):
    """Let a pod wait for its only node, which is uncordoned; return both."""
    (node,) = nodes.claim(1)
    node.cordon()
    pod = pods.create(scheduler=scheduler)
    expect(pod).pending(rejected_by="NodeUnschedulable")
    node.uncordon()
    return pod, node


CHANGES = dict(zip(FAULTS, (a_new_node_comes, its_node_is_uncordoned), strict=True))
PLANS = dict(zip(FAULTS, (NEW_NODE, UNCORDONED), strict=True))


def test_pod_waits_for_ever(broken, nodes, pods, expect):
    pod, node = CHANGES[broken.name](broken, nodes, pods, expect)
    with pytest.raises(ExpectationError):
        expect(pod, timeout=SOON).bound_to(node)


def test_law_is_broken(broken, play):
    with pytest.raises(ExpectationError, match="liveness"):
        play(PLANS[broken.name], scheduler=broken).keeps(laws.liveness)


@pytest.mark.parametrize("fault", FAULTS)
def test_healthy_scheduler_binds_it(healthy, nodes, pods, expect, fault):
    """The control: without the fault the claims hold."""
    pod, node = CHANGES[fault](healthy, nodes, pods, expect)
    expect(pod, timeout=SOON).bound_to(node)


@pytest.mark.parametrize("fault", FAULTS)
def test_healthy_scheduler_keeps_the_laws(healthy, play, fault):
    play(PLANS[fault], scheduler=healthy).keeps(laws.all())
