"""A test with a claim has the claimed nodes only, and a test without a claim has every node, in any order of tests."""

import pytest

from schedtest import InconclusiveError, KubeScheduler

#: most of a node, so that two pods need two nodes
MOST = {"cpu": "3"}

#: tests of both kinds follow each other, in both orders
TURNS = pytest.mark.parametrize("turn", range(2))

pytestmark = pytest.mark.requires("whole-cluster", "simulated-nodes")


@pytest.fixture(scope="module")
def blind(install):
    """Install a scheduler that ignores taints."""
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {"schedulerName": "blind", "plugins": {"multiPoint": {"disabled": [{"name": "TaintToleration"}]}}}
        ],
    }
    return install(KubeScheduler("blind", config=config))


@pytest.fixture
def bound_apart(pods, expect):
    """Make two pods that fit on two nodes only."""

    def made(**chosen):
        first, second = (pods.create(**chosen, requests=MOST) for _ in range(2))
        assert expect(first).bound() != expect(second).bound()

    return made


@TURNS
@pytest.mark.usefixtures("turn")
def test_claim(nodes, pods, expect):
    (node,) = nodes.claim(1)
    expect(pods.create(requests=MOST)).bound_to(node)
    expect(pods.create(requests=MOST)).pending(rejected_by="NodeResourcesFit")


def test_pods_without_a_claim(bound_apart):
    bound_apart()


def test_claim_of_other_nodes(nodes, pods, expect):
    first, second = nodes.claim(2, labels={"example.com/disk": "ssd"})
    assert {expect(pods.create(requests=MOST)).bound() for _ in range(2)} == {first.name, second.name}


def test_pods_before_a_claim(nodes, pods, expect, bound_apart):
    bound_apart()
    (node,) = nodes.claim(1)
    expect(pods.create()).bound_to(node)


def test_attempt_shows_nothing_where_a_closed_node_has_the_pod_tried_again(nodes, pods, expect, bound_apart):
    """A node that holds pods cannot be deleted: for its taint kube-scheduler tries the pod again at an uncordon."""
    bound_apart()
    (node,) = nodes.claim(1)
    node.cordon()
    mark = expect.mark()
    pod = pods.create(node_selector={"example.com/disk": "ssd"})
    expect(pod).pending()
    node.uncordon()
    doubt = f"{node.name} came, was uncordoned or lost a taint"
    with pytest.raises(InconclusiveError, match=doubt):
        expect(pod).retried()
    with pytest.raises(InconclusiveError, match=f"attempts that rejected it so.*{doubt}"):
        expect(pod).stays_pending(attempts=2, since=mark)
    node.label({"example.com/disk": "ssd"})
    assert ": label" in expect(pod).retried()
    expect(pod).bound_to(node)


def test_nodes_are_open_as_soon_as_a_test_looks_at_them(nodes):
    assert [node.taints for node in nodes.all() if node.taints] == []


@pytest.mark.requires("more-nodes")  # without real nodes, of which simulated ones are kept apart
def test_client_of_which_schedtest_does_not_know_has_every_node(request):
    api = request.getfixturevalue("cluster").api
    (kind,) = [each for each in api.kinds("v1") if each.kind == "Node"]
    assert [node["spec"]["taints"] for node in api.list_objects(kind)["items"] if "taints" in node["spec"]] == []


def test_scheduler_that_ignores_taints_has_every_node_without_a_claim(blind, bound_apart):
    bound_apart(scheduler=blind)
