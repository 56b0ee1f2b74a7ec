"""Pods that are not let into the queue: by scheduling gates, or by a plugin at PreEnqueue."""

import pytest

from schedtest import ExpectationError, InconclusiveError, KubeScheduler
from toy_component import toy

pytestmark = pytest.mark.bound_only

GATED = {"schedulingGates": [{"name": "example.com/wait"}]}


def profile(name, **plugins):
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "profiles": [{"schedulerName": name, "plugins": plugins}],
    }


def test_gates_hold_a_pod_back_until_they_are_removed(nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(spec=GATED)
    assert "SchedulingGates" in expect(pod).held_back(by="SchedulingGates")
    with pytest.raises(ExpectationError, match="not by NodeAffinity"):
        expect(pod, timeout=1).held_back(by="NodeAffinity")
    pod.patch({"spec": {"schedulingGates": None}})
    expect(pod).bound_to(node)
    with pytest.raises(ExpectationError, match=r"seen: +bound to"):
        expect(pod).held_back()


def test_pod_that_waits_for_a_node_is_not_held_back(nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(node_selector={"disk": "ssd"})
    expect(pod).pending()
    with pytest.raises(ExpectationError, match="no log says that a plugin keeps it out"):
        expect(pod, timeout=1).held_back()


def test_scheduler_that_ignores_gates_is_caught(install, nodes, pods, expect):
    nodes.claim(1)
    without = profile("ungated", preEnqueue={"disabled": [{"name": "SchedulingGates"}]})
    pod = pods.create(scheduler=install(KubeScheduler("ungated", config=without)), spec=GATED)
    with pytest.raises(ExpectationError, match=r"though it has scheduling gates"):
        expect(pod).held_back()


@pytest.mark.parametrize("status", ["Unschedulable", "Error"])
def test_plugin_holds_a_pod_back_until_its_labels_change(status, tracer, nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=tracer, labels={"PreEnqueue": status})
    assert f"by Tracer: Tracer returns {status} at PreEnqueue" in expect(pod).held_back(by="Tracer")
    pod.label({"PreEnqueue": None})
    if status == "Unschedulable":
        expect(pod).bound_to(node)
        with pytest.raises(ExpectationError, match=r"seen: +bound to"):
            expect(pod).held_back(by="Tracer")


@pytest.mark.requires("processes")
def test_silence_of_a_scheduler_of_another_make_is_no_evidence(install, nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=install(toy("silent", "ReportsNothing")), node_selector={"disk": "ssd"})
    with pytest.raises(InconclusiveError, match="no log says that a plugin keeps it out"):
        expect(pod, timeout=1).held_back()
