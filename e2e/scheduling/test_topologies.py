"""Nodes in zones, racks and hosts: each level is a domain of its own."""

import pytest

from schedtest import Taint, required_pod_affinity

# Most clusters have fewer than four nodes.
pytestmark = [pytest.mark.bound_only, pytest.mark.requires("simulated-nodes")]

CLOSED = Taint("example.com/closed")
ZONE = "topology.kubernetes.io/zone"
RACK = "example.com/rack"
HOST = "kubernetes.io/hostname"


@pytest.fixture
def racks(nodes):
    """Two racks in each of two zones, with a host in each rack: four nodes."""
    zones = nodes.claim_topology(zones=2, racks=2, hosts=1, rack_label=RACK)
    return [rack for zone in zones for rack in zone]


@pytest.mark.parametrize(("level", "domains"), [(ZONE, 2), (RACK, 4), (HOST, 4)])
def test_each_level_of_a_topology_is_a_domain(level, domains, racks, pods, expect):
    """Pods that keep apart take one domain each, and there are no more."""
    apart = required_pod_affinity({"app": "db"}, level, anti=True)
    made = [pods.create(labels={"app": "db"}, affinity=apart) for _ in range(domains + 1)]
    nodes = expect(made).exactly_bound(domains)
    assert len({host.labels[level] for (host,) in racks if host.name in nodes}) == domains


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
