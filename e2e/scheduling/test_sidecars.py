"""Sidecars: init containers that restart run beside the others, and count with them."""

import pytest

SIDECAR = {"name": "proxy", "restartPolicy": "Always", "resources": {"requests": {"cpu": "500m"}}}


@pytest.fixture
def with_sidecar(pods):
    """Create a pod of 1 CPU, and a sidecar of a half."""

    def create():
        first = pods.create(runs=False).object["spec"]["containers"][0]
        return pods.create(requests={"cpu": "1"}, spec={"initContainers": [{**SIDECAR, "image": first["image"]}]})

    return create


@pytest.mark.requires("resize")
def test_sidecar_counts(nodes, with_sidecar, pods, expect):
    nodes.claim(1, capacity={"cpu": "2"})
    expect(with_sidecar()).running()
    expect(pods.create(requests={"cpu": "1"})).pending(rejected_by="NodeResourcesFit")


def test_sidecar_runs_on(nodes, with_sidecar, expect):
    nodes.claim(1)
    pod = with_sidecar()
    expect(pod).running()
    (status,) = pod.object["status"]["initContainerStatuses"]
    assert "running" in status["state"]
