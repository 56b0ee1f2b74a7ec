"""Pods of Jobs end on simulated nodes; those of kinds that others call Job do not."""

from uuid import uuid4

import pytest


@pytest.fixture
def pod_of(objects):
    """Make a pod of a Job, which does not exist itself, of an API."""

    def make(api, name):
        owner = {"apiVersion": api, "kind": "Job", "name": "job", "uid": str(uuid4())}
        containers = [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]
        metadata = {"name": name, "ownerReferences": [owner]}
        return objects.create(
            {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers}}
        )

    return make


@pytest.mark.requires("simulated-nodes")
def test_only_pods_of_batch_jobs_succeed_by_themselves(pod_of, expect):
    other = pod_of("batch.example.com/v1alpha1", "other")
    expect(other).has({"status": {"phase": "Running"}})
    expect(pod_of("batch/v1", "batch")).has({"status": {"phase": "Succeeded"}})
    # KWOK takes up pods in the order in which they run.
    expect(other).has({"status": {"phase": "Running"}})
