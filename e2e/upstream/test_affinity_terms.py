"""Required affinity with several terms: "the lists of nodes corresponding to each podAffinityTerm are intersected"."""

import pytest

from schedtest import KubeScheduler

#: seconds for the binding that does not come with the bug: many times what it takes
SOON = 5


@pytest.fixture(scope="module")
def stock(install):
    return install(KubeScheduler("stock"))


def beside(*labels):
    """Return the affinity of a pod that wants a node with a pod that has each of some labels."""
    terms = [{"labelSelector": {"matchLabels": each}, "topologyKey": "kubernetes.io/hostname"} for each in labels]
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


DB, CACHE = {"app": "db"}, {"tier": "cache"}


@pytest.mark.parametrize("neighbours", [[DB, CACHE], [DB | CACHE]], ids=["two-pods", "one-pod"])
def test_each_term_has_a_pod_on_the_node(neighbours, stock, nodes, pods, expect, known_bug):
    (node,) = nodes.claim(1)
    for labels in neighbours:
        expect(pods.create(scheduler=stock, labels=labels)).bound_to(node)
    pod = pods.create(scheduler=stock, affinity=beside(DB, CACHE))
    if len(neighbours) == 1:
        expect(pod).bound_to(node)
        return
    with known_bug(
        "kubernetes>=1.32",
        reason="kubernetes#130784: one pod has to match all terms of a required affinity",
        match="didn't match pod affinity rules",
    ):
        expect(pod, timeout=SOON).bound_to(node)


def test_pod_waits_while_a_term_has_no_pod(stock, nodes, pods, expect):
    (node,) = nodes.claim(1)
    expect(pods.create(scheduler=stock, labels=DB)).bound_to(node)
    pod = pods.create(scheduler=stock, affinity=beside(DB, CACHE))
    expect(pod).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod affinity rules")
