"""Conditions of pods, whether they are bound in time, and how many of several are."""

import pytest

from schedtest import ExpectationError

#: no two of these pods share a node
APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "apart"}}, "topologyKey": "kubernetes.io/hostname"}
        ]
    }
}


def test_condition_of_a_pod_that_does_not_fit(nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(node_selector={"no": "such"})
    expect(pod).condition("PodScheduled", "False", reason="Unschedulable", message="node affinity/selector")
    with pytest.raises(ExpectationError, match="wanted: condition PodScheduled=True"):
        expect(pod, timeout=1).condition("PodScheduled", "True")


def test_condition_that_another_program_writes(nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(runs=False)
    expect(pod).bound()
    written = {"type": "example.com/Inspected", "status": "True", "reason": "Fine"}
    pod.patch({"status": {"conditions": [*pod.object["status"]["conditions"], written]}}, part="status")
    expect(pod).condition("example.com/Inspected", reason="Fine")
    kept = [each for each in pod.object["status"]["conditions"] if each["type"] != written["type"]]
    pod.patch({"status": {"conditions": kept}}, part="status")
    expect(pod).no_condition("example.com/Inspected")


def test_condition_of_a_node(nodes, expect):
    (node,) = nodes.claim(1)
    expect(node).condition("Ready", "True", reason="KubeletReady")


def test_bound_in_time(nodes, pods, expect):
    (node,) = nodes.claim(1)
    expect(pods.create()).bound_to(node, within=20)


def test_bound_too_late(nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(node_selector={"late": "yes"})
    expect(pod).stays_pending(seconds=2)
    node.label({"late": "yes"})
    with pytest.raises(ExpectationError, match=r"pod-1: too late\n  wanted: bound to .* within 0\.5 s of its creation"):
        expect(pod).bound_to(node, within=0.5)


def test_as_many_pods_are_bound_as_fit(nodes, pods, expect):
    (node,) = nodes.claim(1)
    waiting = [pods.create(affinity=APART, labels={"app": "apart"}) for _ in range(3)]
    assert expect(waiting).exactly_bound(1) == [node.name]
    with pytest.raises(ExpectationError, match="wanted: exactly 2 of 3 bound"):
        expect(waiting, timeout=1).exactly_bound(2)
