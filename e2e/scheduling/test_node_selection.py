"""Which nodes a pod may use: labels, affinity and taints, as Kubernetes documents them.

Each placement has a control arm: what would happen if the rule under test were not obeyed.
"""

import pytest

from schedtest import Taint, required_node_affinity, required_pod_affinity

pytestmark = pytest.mark.bound_only

GPU = Taint("example.com/gpu", "yes")
NOT_MATCHED = "node(s) didn't match Pod's node affinity/selector"


def test_node_selector_picks_the_labelled_node(pods, nodes, expect):
    _plain, labelled = nodes.claim(2)
    labelled.label({"disk": "ssd"})
    for _ in range(4):  # chance alone would put one of four on the other node in 15 of 16 runs
        expect(pods.create(node_selector={"disk": "ssd"})).bound_to(labelled)


def test_node_selector_keeps_a_pod_pending_until_a_node_is_labelled(pods, nodes, expect):
    _first, second = nodes.claim(2)
    pod = pods.create(node_selector={"disk": "ssd"})
    expect(pod).stays_pending(rejected_by="NodeAffinity", message=f"2 {NOT_MATCHED}")
    second.label({"disk": "ssd"})
    expect(pod).bound_to(second)


def test_node_affinity_accepts_any_of_its_values(pods, nodes, expect):
    a, b, c = nodes.claim(3)
    a.label({"disk": "ssd"})
    b.label({"disk": "nvme"})
    c.label({"disk": "tape"})
    for _ in range(4):
        expect(pods.create(affinity=required_node_affinity("disk", "ssd", "nvme"))).bound_to_one_of([a, b])
    pod = pods.create(affinity=required_node_affinity("disk", "floppy"))
    expect(pod).stays_pending(rejected_by="NodeAffinity", message=f"3 {NOT_MATCHED}")


def test_pod_affinity_follows_its_neighbour(pods, nodes, expect):
    nodes.claim(3)
    neighbour = pods.create(labels={"app": "cache"})
    node = expect(neighbour).bound()
    for _ in range(3):
        follower = pods.create(affinity=required_pod_affinity({"app": "cache"}, "kubernetes.io/hostname"))
        assert expect(follower).bound() == node


def test_pod_anti_affinity_gives_each_pod_a_node_of_its_own(pods, nodes, expect):
    claimed = nodes.claim(2)
    apart = required_pod_affinity({"app": "db"}, "kubernetes.io/hostname", anti=True)
    used = {expect(pods.create(labels={"app": "db"}, affinity=apart)).bound() for _ in claimed}
    assert used == {node.name for node in claimed}
    third = pods.create(labels={"app": "db"}, affinity=apart)
    expect(third).stays_pending(
        rejected_by="InterPodAffinity", message="2 node(s) didn't match pod anti-affinity rules"
    )


def test_taint_keeps_pods_away_that_do_not_tolerate_it(pods, nodes, expect):
    (tainted,) = nodes.claim(1, taints=[GPU])
    stranger = pods.create()
    expect(stranger).stays_pending(rejected_by="TaintToleration", message="node(s) had untolerated taint")
    expect(pods.create(tolerates=[GPU])).bound_to(tainted)
    tainted.untaint(GPU)
    expect(stranger).bound_to(tainted)


def test_cordoned_node_gets_no_new_pods(pods, nodes, expect):
    (node,) = nodes.claim(1)
    early = pods.create()
    expect(early).bound()
    node.cordon()
    late = pods.create()
    expect(late).stays_pending(rejected_by="NodeUnschedulable", message="1 node(s) were unschedulable")
    node.uncordon()
    expect(late).bound_to(node)
