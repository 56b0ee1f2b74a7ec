"""The plugin Pool: pods run on the nodes of their pool, and nowhere else."""

from pathlib import Path

import pytest

from schedtest import PluginScheduler

#: a kube-scheduler serves the API server of its own minor, and of the next one
pytestmark = pytest.mark.requires("kubernetes>=1.35,<1.37")

MODULE = Path(__file__).parents[1]
GPU = {"example.com/pool": "gpu"}


@pytest.fixture(scope="module")
def pool(install):
    return install(PluginScheduler("pool-scheduler", module=MODULE, config=MODULE / "scheduler.yaml"))


def test_pod_goes_to_its_pool(pool, nodes, pods, expect):
    _, gpu = nodes.claim(2)
    gpu.label(GPU)
    expect(pods.create(scheduler=pool, labels=GPU)).bound_to(gpu)


def test_pod_waits_for_a_node_of_its_pool(pool, nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=pool, labels=GPU)
    expect(pod).stays_pending(rejected_by="Pool", message="node is in another pool")
    node.label(GPU)
    expect(pod).bound_to(node)


def test_nodes_of_a_pool_are_for_its_pods_alone(pool, nodes, pods, expect):
    (node,) = nodes.claim(1)
    node.label(GPU)
    expect(pods.create(scheduler=pool)).stays_pending(rejected_by="Pool")
