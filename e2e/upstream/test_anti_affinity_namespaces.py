"""Required anti-affinity to pods of other namespaces: those of its own namespace must not count."""

import pytest

from schedtest import KubeScheduler

#: seconds for the binding that does not come with the bug: many times what it takes
SOON = 5


def to_pods_outside_of(namespace):
    """Return the affinity of a pod that wants no node with a tenant of another namespace."""
    term = {
        "labelSelector": {"matchExpressions": [{"key": "tenant", "operator": "Exists"}]},
        "namespaceSelector": {
            "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [namespace]}]
        },
        "topologyKey": "kubernetes.io/hostname",
    }
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@pytest.fixture(scope="module")
def stock(install):
    return install(KubeScheduler("stock"))


def test_pod_of_an_excluded_namespace_keeps_no_pod_away(stock, namespace, pods, nodes, expect, known_bug):
    (node,) = nodes.claim(1)
    expect(pods.create(scheduler=stock, labels={"tenant": "a"})).bound_to(node)
    pod = pods.create(scheduler=stock, labels={"tenant": "b"}, affinity=to_pods_outside_of(namespace))
    with known_bug(
        "kubernetes>=1.34,<1.37",
        reason="kubernetes#141526: a pod that a namespaceSelector with NotIn excludes keeps others away nevertheless",
        match="didn't match pod anti-affinity rules",
    ):
        expect(pod, timeout=SOON).bound_to(node)


def test_pod_of_another_namespace_keeps_it_away(stock, namespaces, namespace, pods, nodes, expect):
    (node,) = nodes.claim(1)
    other = namespaces.create("other")
    expect(pods.create(scheduler=stock, labels={"tenant": "a"}, namespace=other)).bound_to(node)
    pod = pods.create(scheduler=stock, labels={"tenant": "b"}, affinity=to_pods_outside_of(namespace))
    expect(pod).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod anti-affinity rules")
