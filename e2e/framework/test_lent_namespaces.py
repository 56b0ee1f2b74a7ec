"""Namespaces of just one name, lent to a test: what it makes there goes, and nothing else."""

import pytest

#: in a cluster that is shared, a run keeps to namespaces of its own
pytestmark = pytest.mark.requires("default-scheduler")

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}, "data": {}}

#: what was there before a test made anything; nothing, unless the cluster was there before this run
SEEN = {"before": set()}


@pytest.fixture
def default(namespaces):
    return namespaces.use("default")


@pytest.fixture
def everything(pods, objects, default):
    """The names of what the test sees in the namespace, but for what Kubernetes puts into each."""

    def see():
        found = {
            *(pod.name for pod in pods.select({}, namespace=default)),
            *(each.name for kind in ("ConfigMap", "ReplicaSet") for each in objects.select(kind, namespace=default)),
        }
        return found - {"kube-root-ca.crt"}

    return see


def test_everything_can_be_made_there(default, everything, pods, objects, deployments, burst, expect):
    SEEN["before"] = everything()
    expect(pods.create("alone", namespace=default)).bound()
    objects.create(CONFIG, namespace=default)
    deployments.create("web", replicas=2, namespace=default)
    pods.select({"app": "web"}, count=2, namespace=default)
    expect(burst(2, namespace=default)).bound()
    assert {"alone", "config", "burst-1-00002"} < everything()


def test_it_is_afterwards_as_it_was(everything):
    assert everything() == SEEN["before"]


@pytest.mark.parametrize("turn", [1, 2])
def test_one_that_is_not_there_is_made_under_just_its_name(turn, namespaces, pods, objects, expect):
    """The second is given an empty one."""
    team = namespaces.use("team-a")
    assert team == "team-a"
    assert pods.select({}, namespace=team) == []
    pod = pods.create("first", namespace=team)
    expect(pod).bound()
    objects.create({**CONFIG, "data": {"turn": str(turn)}}, namespace=team)
