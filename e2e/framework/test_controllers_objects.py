"""Objects that controllers make, found by their kind and their labels."""

import pytest

from schedtest import UsageError


def test_replica_set_of_a_deployment(deployments, objects, expect):
    deployments.create("web", replicas=2)
    (replica_set,) = objects.select("ReplicaSet", {"app": "web"}, count=1)
    expect(replica_set).has({"status": {"replicas": 2}})
    assert [each.name for each in objects.select("ReplicaSet.apps")] == [replica_set.name]
    assert objects.select("ReplicaSet", {"app": "other"}) == []


def test_object_that_goes_with_what_it_was_made_for(deployments, objects):
    deployments.create("web", replicas=1)
    (replica_set,) = objects.select("ReplicaSet", count=1)
    replica_set.delete()
    (other,) = objects.select("ReplicaSet", count=1)  # its Deployment has it made again
    assert other.uid != replica_set.uid


def test_kind_of_the_cluster(nodes, objects):
    (node,) = nodes.claim(1)
    assert node.name in [each.name for each in objects.select("Node")]


def test_kind_that_is_not_served(objects):
    with pytest.raises(UsageError, match="serves no kind ReplicaSets; did you mean ReplicaSet"):
        objects.select("ReplicaSets")
