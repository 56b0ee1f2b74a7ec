"""Pods of Jobs end on simulated nodes; those of kinds that others call Job do not."""

from uuid import uuid4

import pytest

POD = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]}


@pytest.mark.requires("simulated-nodes")
def test_only_pods_of_batch_jobs_succeed_by_themselves(objects, nodes, expect):
    nodes.claim(1)
    # A kind that the API server does not serve: the garbage collector cannot tell that there is no such owner.
    owner = {"apiVersion": "batch.example.com/v1alpha1", "kind": "Job", "name": "job", "uid": str(uuid4())}
    metadata = {"name": "other", "ownerReferences": [owner]}
    other = objects.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": POD})
    expect(other).has({"status": {"phase": "Running"}})

    template = {"spec": {**POD, "restartPolicy": "Never"}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "batch"}, "spec": {"template": template}}
    expect(objects.create(job)).has({"status": {"succeeded": 1}})
    # KWOK takes up pods in the order in which they run.
    expect(other).has({"status": {"phase": "Running"}})
