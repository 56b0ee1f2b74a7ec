"""A topology spread constraint with an empty label selector is about all pods of the namespace."""

import pytest

from schedtest import KubeScheduler, Taint, spread_over

ZONE = "topology.kubernetes.io/zone"
CLOSED = Taint("example.com/closed")


@pytest.fixture(scope="module")
def stock(install):
    return install(KubeScheduler("stock"))


@pytest.fixture
def only_open_zone(nodes):
    """Claim a node in each of two zones, and close one."""
    east, west = nodes.claim(2, zones=["east", "west"])
    west.taint(CLOSED)
    return east


SELECTORS = {"empty": {}, "of-the-pods": {"matchLabels": {"app": "web"}}}


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_pod_waits_rather_than_break_the_spread(selector, stock, only_open_zone, pods, expect, known_bug):
    spread = [{**spread_over(ZONE, {}), "labelSelector": selector}]
    labels = {"app": "web"}
    expect(pods.create(scheduler=stock, labels=labels, spread=spread)).bound_to(only_open_zone)
    pod = pods.create(scheduler=stock, labels=labels, spread=spread)
    if selector:
        expect(pod).stays_pending(rejected_by="PodTopologySpread", message="topology spread constraints")
        return
    with known_bug(
        "kubernetes>=1.32,<1.38",
        reason="kubernetes#141339: an empty label selector counts no pod, so that the constraint does nothing",
        match=f"bound to {only_open_zone.name}",
    ):
        expect(pod).stays_pending(rejected_by="PodTopologySpread", message="topology spread constraints")


def test_pod_of_another_namespace_does_not_count(stock, only_open_zone, namespaces, pods, expect):
    spread = [{**spread_over(ZONE, {}), "labelSelector": {}}]
    other = namespaces.create("other")
    expect(pods.create(scheduler=stock, namespace=other)).bound_to(only_open_zone)
    expect(pods.create(scheduler=stock, spread=spread)).bound_to(only_open_zone)
