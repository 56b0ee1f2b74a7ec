"""The Deployment web: its pods fit on the nodes, and one more does not."""

from pathlib import Path

import pytest

#: nodes are made: every node of the cluster is simulated, as with --provider local
pytestmark = pytest.mark.requires("more-nodes")

# Change: your manifests, and your nodes, as kubectl get nodes -o yaml prints them.
FOLDER = Path(__file__).parents[1] / "deploy"


@pytest.fixture
def web(nodes, manifests):
    nodes.from_file(FOLDER / "nodes.yaml")
    return manifests.apply(FOLDER / "web.yaml")["Deployment", "web"]


def test_web_fits(web, expect):
    assert len({expect(pod).bound() for pod in web.pods(4)}) == 2


def test_fifth_pod_has_no_room(web, expect):
    web.patch({"spec": {"replicas": 5}})
    expect(web.pods(5)).exactly_bound(4)
