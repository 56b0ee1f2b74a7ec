"""Spreading pods over zones."""

from collections import Counter

from schedtest import Taint, spread_over

ZONE = "topology.kubernetes.io/zone"

CLOSED = Taint("example.com/closed")


def test_pods_are_spread_evenly_over_zones(pods, nodes, expect):
    claimed = nodes.claim(3, zones=["east", "west"])  # two nodes in the east, one in the west
    zone_of = {node.name: node.labels[ZONE] for node in claimed}
    spread = [spread_over(ZONE, {"app": "web"})]
    bound = [expect(pods.create(labels={"app": "web"}, spread=spread)).bound() for _ in range(6)]
    assert Counter(zone_of[name] for name in bound) == {"east": 3, "west": 3}


def test_pod_waits_rather_than_break_the_spread(pods, nodes, expect):
    east, west = nodes.claim(2, zones=["east", "west"])
    west.taint(CLOSED)
    spread = [spread_over(ZONE, {"app": "web"})]
    expect(pods.create(labels={"app": "web"}, spread=spread)).bound_to(east)
    second = pods.create(labels={"app": "web"}, spread=spread)
    expect(second).stays_pending(
        rejected_by="PodTopologySpread", message="1 node(s) didn't match pod topology spread constraints"
    )
    west.untaint(CLOSED)
    expect(second).bound_to(west)


def test_pods_without_the_constraint_are_not_spread(pods, nodes, expect):
    """Control arm: where the first test's pods would be forced apart, these fill the only open zone."""
    east, west = nodes.claim(2, zones=["east", "west"])
    west.taint(CLOSED)
    for _ in range(3):
        expect(pods.create(labels={"app": "web"})).bound_to(east)
