"""A controller that others ship: built from its Go module, with the kinds, objects and rights of its manifests."""

import pytest

from schedtest import ComponentError, GoProgram, Program

KWOK = "sigs.k8s.io/kwok"
STAGE = "pod-container-running-failed"

pytestmark = pytest.mark.requires("simulated-nodes")


def chaos(name, **more):
    """Describe KWOK with the one stage that lets labelled pods of the nodes ``fleet=mine`` fail."""
    return Program(
        name,
        binary=GoProgram("manifests/kwok", f"{KWOK}/cmd/kwok"),
        arguments=lambda at: [
            f"--server-address=127.0.0.1:{at.port}",
            "--enable-crds=Stage",
            "--manage-all-nodes=false",
            "--manage-nodes-with-label-selector=fleet=mine",
            # Otherwise it leaves alone a node whose Lease another KWOK holds.
            "--node-lease-duration-seconds=0",
        ],
        health="/healthz",
        **{
            "rules": f"{KWOK}/kustomize/rbac/role.yaml",
            "crds": f"{KWOK}/kustomize/crd/bases/kwok.x-k8s.io_stages.yaml",
            # It plays the pods of those nodes only for which it has a stage as well.
            "objects": [
                f"{KWOK}/kustomize/stage/{each}.yaml" for each in (f"pod/chaos/{STAGE}", "node/fast/node-initialize")
            ],
            **more,
        },
    )


def test_pod_fails_only_where_the_controller_says_so(install, nodes, pods, expect):
    nodes.claim(1, labels={"fleet": "mine"})
    label = {f"{STAGE}.stage.kwok.x-k8s.io": "true"}
    doomed, control = pods.create(labels=label), pods.create()
    for pod in (doomed, control):
        expect(pod).running()
    install(chaos("chaos"))
    expect(doomed).has({"status": {"phase": "Failed"}})
    expect(control).running()


def test_rights_of_its_manifests_are_needed(install):
    with pytest.raises(ComponentError, match=r"blind .*was refused: list nodes of API group"):
        install(chaos("blind", rules=()), timeout=5)
