"""Nominations for bindings that wait are switched off and on while one waits, as KEP-5278 describes it by hand."""

import pytest

from schedtest import ExpectationError

pytestmark = pytest.mark.requires("upgrade", "default-scheduler", "kubernetes>=1.35")

CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "made-late"},
    "provisioner": "example.com/by-hand",
    "volumeBindingMode": "WaitForFirstConsumer",
}
SELECTED = "volume.kubernetes.io/selected-node"


@pytest.fixture
def switch(cluster):
    """Switch the gate of the scheduler alone."""

    def switching(*, on):
        gates = {"NominatedNodeNameForExpectation": on}
        cluster.upgrade(cluster.version, feature_gates=gates, order=["kube-scheduler"])

    return switching


@pytest.fixture
def storage(objects):
    """Make a claim whose volume comes late, or its volume, as the program that provisions volumes would do it."""
    objects.create(CLASS)

    class Storage:
        def claim(self, name):
            spec = {
                "storageClassName": "made-late",
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            }
            body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
            return objects.create(body)

        def volume(self, claim):
            spec = {
                "storageClassName": "made-late",
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "1Gi"},
                "hostPath": {"path": "/data"},
                "claimRef": {"namespace": claim.namespace, "name": claim.name, "uid": claim.uid},
            }
            metadata = {"generateName": f"{claim.name}-"}
            objects.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec})

    return Storage()


def using(claim):
    return {"volumes": [{"name": "late", "persistentVolumeClaim": {"claimName": claim.name}}]}


def test_nominations_are_switched_off_and_on_while_a_binding_waits(switch, storage, nodes, pods, expect):
    (node,) = nodes.claim(1)
    switch(on=True)
    first = storage.claim("first")
    pod = pods.create(spec=using(first))
    expect(pod).nominated_to(node, by="binding")

    switch(on=False)
    storage.volume(first)
    expect(pod).bound_to(node)

    second = storage.claim("second")
    other = pods.create(spec=using(second))
    expect(second).has({"metadata": {"annotations": {SELECTED: node.name}}})
    with pytest.raises(ExpectationError, match="never nominated"):
        expect(other, timeout=1).nominated_to(node)

    switch(on=True)
    expect(other).nominated_to(node)
    storage.volume(second)
    expect(other).bound_to(node)
    expect([pod]).undisturbed()
