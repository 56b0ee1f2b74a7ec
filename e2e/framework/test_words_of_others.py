"""What others say about a pod is no evidence: an autoscaler, a queue controller, a client of the test's own."""

import pytest

from schedtest import ExpectationError, InconclusiveError
from toy_component import toy
from toy_scheduler import Api, Toy, path_of

pytestmark = pytest.mark.requires("processes")

SSD = {"disk": "ssd"}


@pytest.fixture
def other(cluster):
    """Return what writes Events and the like as a component that schedules no pods."""
    api = Api(cluster.kubeconfig)
    yield lambda name: Toy(api, name)
    api.close()


def test_events_of_an_autoscaler_are_no_attempts(install, nodes, pods, expect, other):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=install(toy("never-retries", "NeverRetries")), node_selector=SSD)
    expect(pod).pending()
    node.label({"other": "label"})
    for number in range(2):
        other("cluster-autoscaler").report(pod.object, "NotTriggerScaleUp", f"pod didn't trigger scale-up: {number}")
    expect(pod).event("NotTriggerScaleUp", message="1")
    with pytest.raises(InconclusiveError, match="whether cluster-autoscaler is never-retries"):
        expect(pod, timeout=1).retried()


def test_rejection_by_another_is_none_by_a_scheduler_that_hangs(install, nodes, pods, expect, other):
    nodes.claim(1)
    hung = install(toy("hung", "WritesEventsOnly"))
    hung.pause()
    pod = pods.create(scheduler=hung, node_selector=SSD)
    other("karpenter").report(pod.object, "FailedScheduling", "no instance type has the label disk")
    with pytest.raises(InconclusiveError, match="whether karpenter is hung"):
        expect(pod, timeout=2).pending()
    hung.resume()
    assert "didn't match Pod's node affinity" in expect(pod).pending().message


def test_another_event_of_an_eviction_is_no_preemption(nodes, pods, expect, other):
    nodes.claim(1)
    pod = pods.create()
    expect(pod).bound()
    kueue = other("kueue-admission")
    kueue.report(pod.object, "Preempted", "Preempted to accommodate a workload")
    kueue.api.call("DELETE", path_of(pod.object), {"gracePeriodSeconds": 0})
    with pytest.raises(ExpectationError, match="no scheduler has reported a preemption"):
        expect(pod, timeout=2).preempted()


def test_nomination_by_another_is_none(nodes, pods, expect, other):
    (node,) = nodes.claim(1)
    pod = pods.create(node_selector=SSD)
    expect(pod).pending()
    nominated = {"status": {"nominatedNodeName": node.name}}
    other("any").api.call("PATCH", f"{path_of(pod.object)}/status", nominated, "application/merge-patch+json")
    with pytest.raises(ExpectationError, match="is not known to be its scheduler"):
        expect(pod, timeout=2).nominated_to(node)
