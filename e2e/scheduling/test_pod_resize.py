"""In-place resizes: what a pod asks for now, and what its node has granted, decide what else fits."""

import pytest

pytestmark = pytest.mark.requires("resize", "kubernetes>=1.33")


def resize(pod, **requests):
    (container,) = pod.object["spec"]["containers"]
    pod.patch({"spec": {"containers": [{**container, "resources": {"requests": requests}}]}}, part="resize")


def test_smaller_pod_makes_room(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    large = pods.create(requests={"cpu": "4"})
    expect(large).running()
    small = pods.create(requests={"cpu": "1"})
    expect(small).stays_pending(rejected_by="NodeResourcesFit", message="Insufficient cpu")
    resize(large, cpu="3")
    expect(small).bound_to(node)


def test_larger_pod_takes_room_and_gives_it_back(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    pod = pods.create(requests={"cpu": "1"})
    expect(pod).running()
    resize(pod, cpu="4")
    waiting = pods.create(requests={"cpu": "1"})
    expect(waiting).stays_pending(rejected_by="NodeResourcesFit")
    resize(pod, cpu="2")
    expect(waiting).bound_to(node)


def test_resize_that_waits_for_room_keeps_others_out(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    growing, neighbour = pods.create(requests={"cpu": "1"}), pods.create(requests={"cpu": "2"})
    for pod in (growing, neighbour):
        expect(pod).running()
    resize(growing, cpu="3")
    waiting = pods.create(requests={"cpu": "1"})
    expect(waiting).stays_pending(rejected_by="NodeResourcesFit")
    neighbour.delete()
    expect(waiting).bound_to(node)
    expect(pods.create(requests={"cpu": "1"})).pending(rejected_by="NodeResourcesFit")


@pytest.mark.requires("kubernetes<1.36")  # from there on the API server itself refuses it
def test_resize_that_never_fits_takes_no_room(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    growing = pods.create(requests={"cpu": "1"})
    expect(growing).running()
    resize(growing, cpu="5")
    expect(pods.create(requests={"cpu": "3"})).bound_to(node)
