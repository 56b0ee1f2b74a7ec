"""A claim for more nodes than the cluster has: the missing ones are made for the test, and gone after it."""

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
