"""NodeResourceTopologyMatch of sigs.k8s.io/scheduler-plugins: a container must fit into one NUMA zone of the node."""

from dataclasses import replace

import pytest

from schedtest import PluginScheduler, Rule

#: scheduler-plugins 0.34.7 is compiled with Kubernetes 1.34: it serves an API server of 1.34, or of the next minor
pytestmark = [pytest.mark.bound_only, pytest.mark.requires("resize", "kubernetes>=1.34,<1.36")]

TOPOLOGY = "manifests/objects/node-resource-topology.yaml"  # two zones of 2 CPUs
NOT_ALIGNED = "cannot align container"

SCHEDULER = PluginScheduler(
    "node-resource-topology",
    module="scheduler-plugins",
    config="manifests/schedulers/node-resource-topology.yaml",
    crds=("sigs.k8s.io/scheduler-plugins/manifests/noderesourcetopology/crd.yaml",),
    rules=(Rule(("topology.node.k8s.io",), ("noderesourcetopologies",), ("get", "list", "watch")),),
)


@pytest.fixture
def topology_match(install):
    return install(SCHEDULER)


@pytest.fixture
def node(nodes):
    """A node of 4 CPUs."""
    (claimed,) = nodes.claim(1, capacity={"cpu": "4"})
    return claimed


@pytest.fixture
def topology(objects, node):
    """Tell the zones of the node."""
    return lambda: objects.create(TOPOLOGY, {"metadata": {"name": node.name}})


@pytest.fixture
def guaranteed(pods):
    """Create a pod whose CPUs are its own: limits equal to requests make the kubelet align them."""

    def create(cpu, **more):
        amount = {"cpu": cpu, "memory": "1Gi"}
        container = {"name": "main", "image": "example.com/main", "resources": {"requests": amount, "limits": amount}}
        return pods.create(spec={"containers": [container]}, **more)

    return create


def test_container_must_fit_into_one_zone(topology_match, topology, guaranteed, node, expect):
    known = topology()
    pod = guaranteed("3", scheduler=topology_match)
    expect(pod).stays_pending(rejected_by="NodeResourceTopologyMatch", message=NOT_ALIGNED)

    large, small = known.object["zones"]
    large["resources"] = [{"name": "cpu", "capacity": "3", "allocatable": "3", "available": "3"}, large["resources"][1]]
    known.patch({"zones": [large, small]})
    expect(pod).bound_to(node)


def test_container_that_fits_into_one_zone_runs(topology_match, topology, guaranteed, node, expect):
    topology()
    expect(guaranteed("2", scheduler=topology_match)).bound_to(node)


def test_pod_without_cpus_of_its_own_may_spread_over_zones(topology_match, topology, pods, node, expect):
    topology()
    expect(pods.create(scheduler=topology_match, requests={"cpu": "3"})).bound_to(node)


def test_node_whose_zones_are_unknown_takes_it(topology_match, guaranteed, node, expect):
    """Control arm: nothing but the object rejects the pod."""
    expect(guaranteed("3", scheduler=topology_match)).bound_to(node)


def test_without_the_right_to_get_the_object_every_pod_passes(install, topology, guaranteed, node, expect):
    """The plugin does not fail then; its log alone tells."""
    (rule,) = SCHEDULER.rules
    blind = install(replace(SCHEDULER, rules=(replace(rule, verbs=("list", "watch")),)))
    topology()
    expect(guaranteed("3", scheduler=blind)).bound_to(node)
    assert b'cannot get resource \\"noderesourcetopologies\\"' in blind.log()
