"""Where every node is simulated, the claimed ones are all that a scheduler sees; afterwards all are back."""

from collections import Counter

import pytest

from schedtest import ExpectationError, KubeScheduler, Taint

pytestmark = pytest.mark.requires("more-nodes", "whole-cluster")

#: two tests of each sort follow each other
TURNS = pytest.mark.parametrize("turn", range(2))


@pytest.fixture(scope="module")
def blind(install):
    """Install a scheduler that ignores taints."""
    disabled = {"multiPoint": {"disabled": [{"name": "TaintToleration"}]}}
    profile = {"schedulerName": "blind", "plugins": disabled}
    kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return install(KubeScheduler("blind", config={**kind, "profiles": [profile]}))


@pytest.fixture(scope="module")
def listed():
    """Return the names and the taints of the nodes that the API server has."""

    def listing(cluster):
        (kind,) = [each for each in cluster.api.kinds("v1") if each.kind == "Node"]
        found = cluster.api.list_objects(kind)["items"]
        return {each["metadata"]["name"]: each["spec"].get("taints", []) for each in found}

    return listing


@TURNS
@pytest.mark.usefixtures("turn")
def test_pending_names_a_plugin_that_rejects_claimed_nodes(nodes, pods, expect):
    nodes.claim(1, capacity={"cpu": "1"})
    pod = pods.create(requests={"cpu": "2"})
    expect(pod).pending(rejected_by="NodeResourcesFit", message="0/1 nodes are available")
    with pytest.raises(ExpectationError):
        expect(pod, timeout=3).pending(rejected_by="TaintToleration")
    with pytest.raises(ExpectationError):
        expect(pod, timeout=3).pending(message="untolerated taint")


def test_pending_by_a_taint_of_a_claimed_node(nodes, pods, expect):
    """The control: the claim holds where one has a taint."""
    nodes.claim(2, taints=[Taint("example.com/off")])
    expect(pods.create()).pending(rejected_by="TaintToleration", message="untolerated taint")


@TURNS
@pytest.mark.usefixtures("turn")
def test_scheduler_that_ignores_taints_passes_what_has_none(blind, nodes, pods, expect):
    first, second = nodes.claim(2, capacity={"cpu": "2"})
    placed = [expect(pods.create(scheduler=blind, requests={"cpu": "2"})).bound() for _ in range(2)]
    assert sorted(placed) == [first.name, second.name]
    expect(pods.create(scheduler=blind, requests={"cpu": "2"})).pending(rejected_by="NodeResourcesFit")


def test_scheduler_that_ignores_taints_is_caught_by_a_taint(blind, nodes, pods, expect):
    """The control: it binds a pod where a claimed node's taint forbids it."""
    nodes.claim(1, taints=[Taint("example.com/off")])
    pod = pods.create(scheduler=blind)
    with pytest.raises(ExpectationError, match="bound to"):
        expect(pod).pending()


def test_nodes_that_a_test_deletes_are_gone(nodes, pods, expect):
    first, second = nodes.claim(2)
    second.delete()
    assert {expect(pods.create()).bound() for _ in range(5)} == {first.name}


def test_all_are_back_after_a_test_that_has_deleted_some(cluster, nodes, listed):
    assert {node.name for node in nodes.all()} == listed(cluster).keys()
    assert len(listed(cluster)) >= 2
    assert not any(listed(cluster).values())
    nodes.all()[0].delete()


def test_all_are_back_after_a_test_without_a_claim_that_has_deleted_one(cluster, nodes, listed):
    assert {node.name for node in nodes.all()} == listed(cluster).keys()
    assert "node-1" in listed(cluster)


def test_pods_keep_their_nodes_which_a_taint_closes(nodes, pods, expect, cluster, listed):
    """A node that holds a pod cannot be taken away from under it."""
    before = [pods.create(requests={"cpu": "3"}) for _ in range(2)]
    held = {expect(pod).bound() for pod in before}
    claimed = {node.name for node in nodes.claim(2)}
    assert listed(cluster).keys() == held | claimed
    assert {name for name, taints in listed(cluster).items() if taints} == held - claimed
    placed = Counter(expect(pods.create(requests={"cpu": "500m"})).bound() for _ in range(4))
    assert placed.keys() <= claimed


def test_that_taint_is_gone_afterwards(cluster, nodes, listed):
    assert {node.name for node in nodes.all()} == listed(cluster).keys()
    assert not any(listed(cluster).values())


@TURNS
@pytest.mark.usefixtures("turn")
def test_domains_of_a_spread_are_those_of_claimed_nodes(nodes, pods, expect):
    """Nodes without the pod's zones would count as domains in which no pod is."""
    nodes.claim(2, zones=("left", "right"))
    spread = [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "spread"}},
            "nodeTaintsPolicy": "Ignore",
        }
    ]
    placed = []
    for _ in range(4):
        pod = pods.create(labels={"app": "spread"}, spec={"topologySpreadConstraints": spread})
        placed.append(expect(pod).bound())
    assert sorted(Counter(placed).values()) == [2, 2]
