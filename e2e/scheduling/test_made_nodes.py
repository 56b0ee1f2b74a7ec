"""Nodes beyond those of the cluster: missing or described ones are made for the test, and gone after it."""

import pytest

pytestmark = [pytest.mark.bound_only, pytest.mark.requires("more-nodes")]


def test_made_nodes_are_as_wanted_and_used(nodes, pods, expect):
    there = len(nodes.all())
    claimed = nodes.claim(there + 7, capacity={"cpu": "2"}, zones=("left", "right"))
    wanted = {"topology.kubernetes.io/zone": "right"}
    placed = [expect(pods.create(requests={"cpu": "2"})).bound() for _ in claimed]
    assert sorted(placed) == sorted(node.name for node in claimed)
    expect(pods.create(requests={"cpu": "2"}, node_selector=wanted)).pending(rejected_by="NodeResourcesFit")


def test_they_are_gone_after_the_test(nodes, pods, expect):
    names = {node.name for node in nodes.all()}
    claimed = nodes.claim(len(names))
    assert {node.name for node in claimed} == names
    assert expect(pods.create()).bound() in names


def test_described_nodes_are_as_described(nodes, pods, expect):
    """The big one has a taint, so that a pod which does not tolerate it does not fit anywhere."""
    taint = {"key": "example.com/big", "effect": "NoSchedule"}
    big = {"metadata": {"name": "big"}, "spec": {"taints": [taint]}, "status": {"allocatable": {"cpu": "64"}}}
    small, large = nodes.create([{"metadata": {"name": "small"}, "status": {"allocatable": {"cpu": "2"}}}, big])
    expect(pods.create(requests={"cpu": "2"})).bound_to(small)
    expect(pods.create(requests={"cpu": "2"})).pending(rejected_by=["NodeResourcesFit", "TaintToleration"])
    tolerant = {"tolerations": [{"key": "example.com/big", "operator": "Exists"}]}
    expect(pods.create(requests={"cpu": "60"}, spec=tolerant)).bound_to(large)
