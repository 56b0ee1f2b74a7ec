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


def shown(nodes):
    """Return what a component may have changed of nodes."""
    found = {}
    for node in nodes.all():
        annotations = {key: each for key, each in node.annotations.items() if key.startswith("example.com/")}
        cordoned = node.object["spec"].get("unschedulable", False)
        found[node.name] = (node.labels, annotations, node.taints, cordoned, node.object["status"]["capacity"])
    return found


@pytest.mark.requires("whole-cluster")  # it changes every node
@pytest.mark.prefers("simulated-nodes")
@pytest.mark.parametrize("claims", [0, 1])
@pytest.mark.parametrize("deed", DEEDS)
def test_nodes_are_as_they_were(marker, nodes, pods, expect, deed, claims):
    before = shown(nodes)
    if claims:
        nodes.claim(claims)
    installed = marker(deed)
    # Control arm: it has done that, as its health check says.
    assert shown(nodes) != before
    installed.uninstall()
    nodes.close()
    assert shown(nodes) == before
    expect(pods.create()).bound()
