"""Volumes: a pod waits until its claim has a volume, and goes where the volume is."""

import pytest

pytestmark = pytest.mark.bound_only


@pytest.fixture
def storage(objects):
    """Make a class of volumes that no program provisions, and return its name."""
    return objects.create(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"generateName": "by-hand-"},
            "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "Immediate",
        }
    ).name


@pytest.fixture
def claim(objects, storage):
    """Make a claim of 1 Gi, and return it as the volume of a pod."""
    body = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage,
        "resources": {"requests": {"storage": "1Gi"}},
    }
    made = objects.create(
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": body}
    )
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": made.name}}]}


@pytest.fixture
def volume(objects, storage):
    """Make a volume of 1 Gi that only pods on one node can use."""

    def make(node):
        hostname = node.labels["kubernetes.io/hostname"]
        terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [hostname]}]}]
        return objects.create(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"generateName": "disk-"},
                "spec": {
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": storage,
                    "hostPath": {"path": "/data"},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
                },
            }
        )

    return make


def test_pod_waits_for_its_volume(nodes, claim, volume, pods, expect):
    _, wanted = nodes.claim(2)
    pod = pods.create(spec=claim)
    expect(pod).pending(message="unbound immediate PersistentVolumeClaims")
    volume(wanted)
    expect(pod).bound_to(wanted)


def test_pod_goes_where_its_volume_is(nodes, claim, volume, pods, expect):
    _, wanted, _ = nodes.claim(3)
    volume(wanted)
    expect(pods.create(spec=claim)).bound_to(wanted)
