"""In-place resizes: what a pod asks for now, and what its node has granted, decide what else fits."""

import pytest

from schedtest import ExpectationError, UsageError

pytestmark = pytest.mark.requires("kubernetes>=1.33")

#: nodes whose capacity the test chooses; simulated kubelets resize the pods
sized = pytest.mark.requires("resize")


@sized
def test_smaller_pod_makes_room(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    large = pods.create(requests={"cpu": "4"})
    expect(large).running()
    small = pods.create(requests={"cpu": "1"})
    expect(small).stays_pending(rejected_by="NodeResourcesFit", message="Insufficient cpu")
    large.resize({"cpu": "3"})
    expect(large).resized()
    expect(small).bound_to(node)


@sized
def test_larger_pod_takes_room_and_gives_it_back(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    pod = pods.create(requests={"cpu": "1"})
    expect(pod).running()
    pod.resize({"cpu": "4"})
    waiting = pods.create(requests={"cpu": "1"})
    expect(waiting).stays_pending(rejected_by="NodeResourcesFit")
    pod.resize({"cpu": "2"})
    expect(waiting).bound_to(node)


@sized
def test_resize_that_waits_for_room_keeps_others_out(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    growing, neighbour = pods.create(requests={"cpu": "1"}), pods.create(requests={"cpu": "2"})
    for pod in (growing, neighbour):
        expect(pod).running()
    growing.resize({"cpu": "3"})
    assert "cpu, requested: 3000, used: 2000, capacity: 4000" in expect(growing).resize_deferred(
        message="enough resource"
    )
    for claim in (expect(growing, timeout=1).resized, expect(growing, timeout=1).resize_infeasible):
        with pytest.raises(
            ExpectationError, match=r"seen: +asks for cpu 3, is allocated cpu 1, runs with cpu 1; .*Deferred"
        ):
            claim()
    waiting = pods.create(requests={"cpu": "1"})
    expect(waiting).stays_pending(rejected_by="NodeResourcesFit")
    neighbour.delete()
    expect(growing).resized()
    expect(waiting).bound_to(node)
    expect(pods.create(requests={"cpu": "1"})).pending(rejected_by="NodeResourcesFit")


@sized
def test_resize_that_is_taken_back_no_longer_waits(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    growing, neighbour = pods.create(requests={"cpu": "1"}), pods.create(requests={"cpu": "1"})
    for pod in (growing, neighbour):
        expect(pod).running()
    growing.resize({"cpu": "2"})
    expect(growing).resize_deferred()
    growing.resize({"cpu": "500m"})
    expect(growing).resized()
    expect(growing).no_condition("PodResizePending")
    expect(pods.create(requests={"cpu": "500m"})).bound_to(node)


@sized
def test_resize_is_under_way_for_an_instant(nodes, pods, expect):
    nodes.claim(1, capacity={"cpu": "4"})
    pod, other = pods.create(requests={"cpu": "1"}), pods.create(requests={"cpu": "1"})
    for each in (pod, other):
        expect(each).running()
    mark = expect.mark()
    pod.resize({"cpu": "2"})
    expect(pod).resized()
    expect(pod).resize_in_progress(since=mark)
    with pytest.raises(ExpectationError, match="wanted: a resize in progress"):
        expect(other, timeout=1).resize_in_progress(since=mark)
    with pytest.raises(ExpectationError, match="it was never resized"):
        expect(other, timeout=1).resized()


@sized
@pytest.mark.requires("kubernetes<1.36")  # from there on the API server itself refuses it
def test_resize_that_never_fits_takes_no_room(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    growing = pods.create(requests={"cpu": "1"})
    expect(growing).running()
    growing.resize({"cpu": "5"})
    assert "requested: 5000, capacity: 4000" in expect(growing).resize_infeasible()
    with pytest.raises(ExpectationError, match="Infeasible"):
        expect(growing, timeout=1).resize_deferred()
    expect(pods.create(requests={"cpu": "3"})).bound_to(node)


@pytest.mark.requires("kubelet")
def test_real_kubelet_resizes_a_pod(nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(requests={"cpu": "50m"})
    expect(pod).running()
    pod.resize({"cpu": "100m"})
    expect(pod).resized()


def test_resize_that_would_change_nothing_is_refused(pods):
    pod = pods.create(requests={"cpu": "50m"})
    with pytest.raises(UsageError, match="neither requests nor limits are given"):
        pod.resize()
    with pytest.raises(UsageError, match=r"container: there is no side\. Accepted: main"):
        pod.resize({"cpu": "100m"}, container="side")
