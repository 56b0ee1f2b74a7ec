"""Labels, taints and cordons: where a pod goes, and why kube-scheduler refuses a node."""

import pytest

from schedtest import Taint

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
