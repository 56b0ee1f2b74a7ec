"""What controllers have made for a test goes with it: the next test finds neither claims nor volumes of it."""

import pytest

VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "vol"},
    "spec": {
        "storageClassName": "of-the-test",
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/d"},
    },
}
CLAIM = {
    "metadata": {"name": "data"},
    # A class of its own: where the cluster has a default one, a claim that names none gets that.
    "spec": {
        "storageClassName": "of-the-test",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
}
POD = {
    "containers": [{"name": "c", "image": "x", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}],
}
SET = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "metadata": {"name": "db"},
    "spec": {
        "serviceName": "db",
        "selector": {"matchLabels": {"app": "db"}},
        "template": {"metadata": {"labels": {"app": "db"}}, "spec": POD},
        "volumeClaimTemplates": [CLAIM],
    },
}


@pytest.mark.requires("whole-cluster")
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_set_with_a_volume(turn, objects, pods, namespaces, expect):
    if turn == 3:
        namespaces.use("default")
    place = "default" if turn == 3 else None
    objects.create(VOLUME)
    objects.create(SET, namespace=place)
    (pod,) = pods.select({"app": "db"}, count=1, namespace=place)
    expect(pod).bound()


@pytest.mark.requires("whole-cluster")
def test_nothing_is_left(objects):
    expected = objects.select("PersistentVolumeClaim", namespace="default", count=0)
    assert expected == objects.select("PersistentVolume", count=0) == []
