"""Host ports of sidecars are taken as those of other containers are."""

import pytest

from schedtest import KubeScheduler

PORT = [{"containerPort": 8080, "hostPort": 8080}]


@pytest.fixture
def with_port(install, pods):
    """Create a pod with a host port, of its container or of a sidecar."""
    stock = install(KubeScheduler("stock"))

    def create(of="container"):
        image = pods.create(runs=False).object["spec"]["containers"][0]["image"]
        if of == "container":
            return pods.create(scheduler=stock, spec={"containers": [{"name": "pause", "image": image, "ports": PORT}]})
        sidecar = {"name": "proxy", "image": image, "restartPolicy": "Always", "ports": PORT}
        return pods.create(scheduler=stock, spec={"initContainers": [sidecar]})

    return create


@pytest.mark.parametrize("of", ["container", "sidecar"])
def test_port_is_not_given_twice(of, with_port, nodes, expect, known_bug):
    (node,) = nodes.claim(1)
    expect(with_port(of)).bound_to(node)
    pod = with_port()
    if of == "container":
        expect(pod).stays_pending(rejected_by="NodePorts", message="didn't have free ports")
        return
    with known_bug(
        "kubernetes<1.33.6",
        reason="kubernetes#132037: the host ports of sidecars count as free",
        match=f"bound to {node.name}",
    ):
        expect(pod).stays_pending(rejected_by="NodePorts", message="didn't have free ports")
