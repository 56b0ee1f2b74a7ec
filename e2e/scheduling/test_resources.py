"""Fitting pods to what nodes have left."""

import pytest

pytestmark = pytest.mark.requires("resize")


def test_pod_goes_where_it_fits(pods, nodes, expect):
    _small, large = nodes.claim(2, capacity={"cpu": "1"})
    large.resize({"cpu": "4"})
    for _ in range(2):
        expect(pods.create(requests={"cpu": "2"})).bound_to(large)


def test_pod_that_fits_nowhere_waits_until_there_is_room(pods, nodes, expect):
    claimed = nodes.claim(2, capacity={"cpu": "2"})
    fillers = [pods.create(requests={"cpu": "1500m"}) for _ in claimed]
    for filler in fillers:
        expect(filler).bound()
    pod = pods.create(requests={"cpu": "1"})
    expect(pod).stays_pending(rejected_by="NodeResourcesFit", message="2 Insufficient cpu")
    freed = expect(fillers[0]).bound()
    fillers[0].delete()
    assert expect(pod).bound() == freed


def test_every_resource_counts(pods, nodes, expect):
    (node,) = nodes.claim(1, capacity={"memory": "1Gi", "example.com/gpu": "1"})
    expect(pods.create(requests={"example.com/gpu": "1"})).bound_to(node)
    expect(pods.create(requests={"memory": "2Gi"})).stays_pending(
        rejected_by="NodeResourcesFit", message="1 Insufficient memory"
    )
    expect(pods.create(requests={"example.com/gpu": "1"})).stays_pending(
        rejected_by="NodeResourcesFit", message="1 Insufficient example.com/gpu"
    )


def test_node_takes_no_more_pods_than_it_says(pods, nodes, expect):
    (node,) = nodes.claim(1, capacity={"pods": "2"})
    for _ in range(2):
        expect(pods.create()).bound_to(node)
    expect(pods.create()).stays_pending(rejected_by="NodeResourcesFit", message="1 Too many pods")
