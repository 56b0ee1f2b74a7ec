"""A controller that others ship, as it is shipped: built from its Go module, with the rights of its own manifests."""

import pytest

from schedtest import ComponentError, GoProgram, Program, Rule

KWOK = "sigs.k8s.io/kwok"
#: the Go module from which this project builds KWOK, too
MODULE = "fixtures/schedtest/toolchain/releases/modules/kwok/v0.8.0"

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "of-the-fleet", "labels": {"fleet": "mine"}},
    "spec": {"taints": [{"key": "example.com/fleet", "effect": "NoSchedule"}]},
}
READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}


def fleet(name, **more):
    """Describe a controller that plays the kubelets of the nodes with the label ``fleet=mine``."""
    return Program(
        name,
        binary=GoProgram(MODULE, f"{KWOK}/cmd/kwok"),
        arguments=lambda at: [
            f"--kubeconfig={at.kubeconfig}",
            f"--server-address=127.0.0.1:{at.port}",
            "--manage-all-nodes=false",
            "--manage-nodes-with-label-selector=fleet=mine",
        ],
        health="/healthz",
        **{"rules": f"{KWOK}/kustomize/rbac/role.yaml", **more},
    )


def test_node_gets_ready_once_the_controller_runs(install, objects, expect):
    node = objects.create(NODE)
    # Control arm: no other controller plays its kubelet.
    assert "Ready" not in {each["type"] for each in node.body.get("status", {}).get("conditions", [])}
    install(fleet("fleet"))
    expect(node).has(READY)


def test_rights_of_its_manifests_are_needed(install):
    with pytest.raises(ComponentError, match=r"(?s)blind (ended|runs).*was refused: .*list nodes of API group ''"):
        install(fleet("blind", rules=(Rule(("",), ("pods",), ("list", "watch")),)), timeout=5)
