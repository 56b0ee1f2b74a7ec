"""What a test does to pods that exist: it waits for those of a controller, patches them, and deletes them."""

import pytest

from schedtest import ExpectationError, UsageError


def test_pods_of_a_controller_are_waited_for(deployments, pods, expect):
    deployments.create("web", replicas=3)
    for pod in pods.select({"app": "web"}, count=3):
        expect(pod).bound()


@pytest.fixture
def gated(pods):
    """A pod that no scheduler looks at before its gate is opened."""
    spec = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]}
    metadata = {"name": "gated", "labels": {"app": "gated"}}
    gates = [{"name": "example.com/gate"}]
    return pods.apply(
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "schedulingGates": gates}}
    )


def test_gate_is_opened_by_a_patch(gated, expect):
    expect(gated).left_alone()
    gated.patch({"spec": {"schedulingGates": None}})
    expect(gated).bound()


def test_annotations_are_there_from_the_beginning_and_read_with_the_pod(pods, expect):
    pod = pods.create(annotations={"example.com/queue": "root.a"})
    expect(pod).bound()
    assert pod.object["metadata"]["annotations"]["example.com/queue"] == "root.a"
    assert pod.object["spec"]["nodeName"]


def test_patch_that_is_refused_is_a_mistake_of_the_test(gated):
    with pytest.raises(UsageError, match=r"a patch of Pod \S+/gated: .*spec"):
        gated.patch({"spec": {"schedulerName": "another"}})


def test_pod_that_a_finalizer_keeps_is_deleted_without_waiting(gated, pods, expect):
    gated.patch({"metadata": {"finalizers": ["example.com/kept"]}})
    gated.delete(wait=False)
    assert pods.select({"app": "gated"}, count=0) == [], "it is on its way out"
    with pytest.raises(ExpectationError, match="being deleted"):
        expect(gated).bound()
    gated.patch({"metadata": {"finalizers": None}})
    expect(gated).never_bound()


def test_pod_that_was_bound_before_it_was_deleted(pods, expect):
    pod = pods.create()
    expect(pod).bound()
    pod.delete()
    with pytest.raises(ExpectationError, match=r"wanted: gone, without ever .*\n  seen:   deleted, bound to \S+"):
        expect(pod).never_bound()
