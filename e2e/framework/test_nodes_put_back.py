"""What a component has changed of nodes is put back when it ends, also of nodes that no test has claimed."""

import pytest

from schedtest import Program, Rule
from toy_marker import DEEDS


@pytest.fixture(scope="module")
def marker(install):
    """Install a program that does something to every node."""

    def installing(deed):
        return install(
            Program(
                "marker",
                lambda at: [f"--kubeconfig={at.kubeconfig}", f"--port={at.port}", f"--deed={deed}"],
                module="toy_marker",
                health="/healthz",
                rules=(Rule(("",), ("nodes",), ("list",)), Rule(("",), ("nodes", "nodes/status"), ("patch",))),
            )
        )

    return installing


def shown(cluster, nodes):
    """Return what a component may have changed of nodes, as the API server has it: the run's watch may lag behind."""
    (kind,) = [kind for kind in cluster.api.kinds("v1") if kind.kind == "Node"]
    found = {}
    for node in nodes.all():
        body = cluster.api.get(kind, node.name)
        metadata, spec = body["metadata"], body["spec"]
        annotations = {
            key: each for key, each in metadata.get("annotations", {}).items() if key.startswith("example.com/")
        }
        cordoned = spec.get("unschedulable", False)
        found[node.name] = (metadata["labels"], annotations, spec.get("taints"), cordoned, body["status"]["capacity"])
    return found


@pytest.mark.requires("whole-cluster")  # it changes every node
@pytest.mark.prefers("simulated-nodes")
@pytest.mark.parametrize("claims", [0, 1])
@pytest.mark.parametrize("deed", DEEDS)
def test_nodes_are_as_they_were(marker, cluster, nodes, pods, expect, deed, claims):
    before = shown(cluster, nodes)
    if claims:
        nodes.claim(claims)
    installed = marker(deed)
    # Control arm: it has done that, as its health check says.
    assert shown(cluster, nodes) != before
    installed.uninstall()
    nodes.close()
    assert shown(cluster, nodes) == before
    expect(pods.create()).bound()


@pytest.mark.requires("whole-cluster")
@pytest.mark.prefers("simulated-nodes")
def test_component_that_starts_on_changed_nodes_brings_no_change_back(marker, cluster, nodes, pods, expect):
    """It outlives the test that has changed a node."""
    before = shown(cluster, nodes)
    (node,) = nodes.claim(1, labels={"example.com/of": "test"})
    node.cordon()
    installed = marker("annotation")
    nodes.close()
    installed.uninstall()
    assert shown(cluster, nodes) == before
    expect(pods.create()).bound()


@pytest.mark.requires("whole-cluster")
@pytest.mark.prefers("simulated-nodes")
def test_nodes_that_are_not_the_tests_are_closed_again(marker, nodes, pods, expect):
    """The marker replaces all taints, also the one that keeps a test's pods off the nodes that it has not claimed."""
    claimed = [node.name for node in nodes.claim(1)]
    marker("taint").uninstall()
    assert {expect(pods.create()).bound() for _ in range(10)} == {*claimed}
