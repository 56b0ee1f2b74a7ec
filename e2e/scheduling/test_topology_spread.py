"""Spreading pods over zones, racks and hosts."""

from collections import Counter

import pytest

from schedtest import Taint, required_pod_affinity, spread_over

pytestmark = pytest.mark.bound_only

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


RACK = "example.com/rack"
HOST = "kubernetes.io/hostname"


@pytest.fixture
def racks(nodes):
    """Two racks in each of two zones, with a host in each rack: four nodes."""
    zones = nodes.claim_topology(zones=2, racks=2, hosts=1, rack_label=RACK)
    return [rack for zone in zones for rack in zone]


@pytest.mark.requires("simulated-nodes")  # four nodes are more than most clusters have
@pytest.mark.parametrize(("level", "domains"), [(ZONE, 2), (RACK, 4), (HOST, 4)])
def test_each_level_of_a_topology_is_a_domain(level, domains, racks, pods, expect):
    """Pods that keep apart take one domain each, and there are no more."""
    apart = required_pod_affinity({"app": "db"}, level, anti=True)
    made = [pods.create(labels={"app": "db"}, affinity=apart) for _ in range(domains + 1)]
    nodes = expect(made).exactly_bound(domains)
    assert len({host.labels[level] for (host,) in racks if host.name in nodes}) == domains


@pytest.mark.requires("simulated-nodes")
def test_pods_that_keep_together_stay_in_a_rack(racks, pods, expect):
    """While the first one's rack is closed, a pod waits rather than take another rack."""
    (host,), *others = racks
    for (other,) in others:
        other.taint(CLOSED)
    first = pods.create(labels={"app": "cache"})
    expect(first).bound_to(host)
    for (other,) in others:
        other.untaint(CLOSED)
    together = required_pod_affinity({"app": "cache"}, RACK)
    expect(pods.create(labels={"app": "cache"}, affinity=together)).bound_to(host)
    host.cordon()
    waiting = pods.create(labels={"app": "cache"}, affinity=together)
    expect(waiting).pending(message="didn't match pod affinity rules")
    host.uncordon()
    expect(waiting).bound_to(host)
