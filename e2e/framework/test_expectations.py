"""Every expectation fails when it should, at once where the outcome is known, and says what it saw."""

import re

import pytest

from schedtest import (
    ExpectationError,
    InconclusiveError,
    KubeScheduler,
    Taint,
    UsageError,
)

#: seconds for claims that can only time out
SOON = 0.3


def message_of(claim, *arguments, **named):
    """Make a claim that must fail, and return what the reader of the failure gets."""
    with pytest.raises(ExpectationError) as failure:
        claim(*arguments, **named)
    return str(failure.value)


def test_bound_to_another_node_fails_at_once(pods, nodes, expect):
    here, elsewhere = nodes.claim(2)
    here.label({"disk": "ssd"})
    pod = pods.create(node_selector={"disk": "ssd"})
    message = message_of(expect(pod).bound_to, elsewhere)
    assert re.search(r"this can no longer come true", message)
    assert f"wanted: bound to {elsewhere.name}" in message
    assert re.search(rf"seen: +bound to {here.name}", message)
    assert re.search(rf"\+ +\d+\.\d+ s  pod +bound to {here.name}", message)
    assert re.search(rf"\+ +\d+\.\d+ s  scheduler +Attempting to bind pod to node: {here.name}", message)
    assert re.search(rf"{here.name} .*<- the pod is here\n +Ready.*labels: disk=ssd", message)


def test_bound_to_one_of_other_nodes_fails_at_once(pods, nodes, expect):
    here, *others = nodes.claim(3)
    here.label({"disk": "ssd"})
    message = message_of(expect(pods.create(node_selector={"disk": "ssd"})).bound_to_one_of, others)
    assert f"wanted: bound to {others[0].name} or {others[1].name}" in message


def test_bound_to_none_is_a_mistake_of_the_test(pods, expect):
    with pytest.raises(UsageError, match="no nodes are given"):
        expect(pods.create()).bound_to_one_of([])


@pytest.mark.requires("kubernetes>=1.34")  # before, the log does not say which taint of which node it is
def test_bound_times_out_with_each_nodes_reason(pods, nodes, expect):
    tainted, small = nodes.claim(2)
    tainted.taint(Taint("example.com/closed"))
    small.cordon()
    pod = pods.create()
    expect(pod).event("FailedScheduling")  # which comes whenever the scheduler has time for it
    message = message_of(expect(pod, timeout=SOON).bound)
    assert f"timed out after {SOON} s" in message
    assert re.search(r"seen:   Pending; Unschedulable: 0/\d+ nodes are available", message)
    assert re.search(rf"event +FailedScheduling by {pod.scheduler}", message)
    assert re.search(r"scheduler +rejected by (NodeAffinity, )?NodeUnschedulable, TaintToleration", message)
    assert re.search(r"node +(NodeAffinity +)?NodeUnschedulable +TaintToleration\n", message)
    assert re.search(rf"{tainted.name}( +-)+ +rejects +untolerated taint example.com/closed=:NoSchedule\n", message)
    assert re.search(rf"{small.name}( +-)? +rejects +- +node\(s\) were unschedulable\n +Ready; cordoned", message)


@pytest.mark.requires("simulated-nodes")
def test_running_fails_for_a_pod_that_has_ended(pods, expect):
    pod = pods.create()
    expect(pod).running()
    pod.delete()
    assert "seen:   deleted" in message_of(expect(pod).running)


def check_idle(idle, pods, expect):
    """Check that a bound pod does not run, although its node runs a pod that is made later."""
    expect(idle).bound()
    expect(pods.create(runs=True)).running()
    expect(idle).has({"status": {"phase": "Pending"}})
    with pytest.raises(UsageError, match=r"no node runs .*; make it with runs=True"):
        expect(idle).running()


def test_pod_that_is_only_bound_never_runs(pods, nodes, expect):
    nodes.claim(1)
    check_idle(pods.create(runs=False), pods, expect)


@pytest.mark.bound_only
def test_pods_of_a_test_that_are_only_bound_never_run(pods, deployments, nodes, expect):
    nodes.claim(1)
    (replica,) = deployments.create("idle").pods(1)
    for idle in (pods.create(), replica):
        check_idle(idle, pods, expect)


def test_running_times_out_for_a_pod_that_fits_nowhere(pods, expect):
    message = message_of(expect(pods.create(node_selector={"no": "such"}), timeout=SOON).running)
    assert "wanted: running and Ready" in message


def test_scheduled_by_another_fails_at_once(pods, expect):
    pod = pods.create()
    message = message_of(expect(pod).scheduled_by, "custom-scheduler")
    assert f"its Scheduled event is reported by {pod.scheduler}" in message


def test_pending_fails_at_once_for_a_bound_pod(pods, expect):
    message = message_of(expect(pods.create()).pending)
    assert "wanted: Pending after a scheduler tried it" in message
    assert "bound to" in message


def test_pending_for_another_reason_times_out(pods, expect):
    pod = pods.create(node_selector={"no": "such"})
    expect(pod).pending()  # control arm: it is
    message = message_of(expect(pod, timeout=SOON).pending, message="Insufficient cpu")
    assert "message with 'Insufficient cpu'" in message
    assert "didn't match Pod's node affinity/selector" in message


def test_pending_by_another_plugin_times_out(pods, expect):
    pod = pods.create(node_selector={"no": "such"})
    expect(pod).pending()
    message = message_of(expect(pod, timeout=SOON).pending, rejected_by="NodeResourcesFit")
    assert "rejected by NodeResourcesFit" in message
    # The node of a real control plane has a taint.
    assert re.search(r"\[rejected by NodeAffinity(, TaintToleration)?\]", message)


def test_pending_never_passes_for_a_pod_that_no_scheduler_has_tried(pods, expect):
    message = message_of(expect(pods.create(scheduler="not-installed"), timeout=SOON).pending)
    assert "no scheduler has reported anything about it" in message


def test_pod_with_gates_was_not_rejected(pods, expect):
    gated = pods.create(spec={"schedulingGates": [{"name": "example.com/hold"}]})
    assert "SchedulingGated" in message_of(expect(gated, timeout=SOON).pending)


def test_rejected_by_needs_a_scheduler_whose_log_is_known(pods, expect):
    pod = pods.create(scheduler="not-installed")
    with pytest.raises(UsageError, match="is for not-installed, which was not installed by this run"):
        expect(pod).pending(rejected_by="NodeAffinity")


def test_stays_pending_names_the_node_that_broke_it(pods, nodes, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(node_selector={"disk": "ssd"})
    expect(pod).pending()
    node.label({"disk": "ssd"})
    message = message_of(expect(pod).stays_pending, seconds=10)
    assert f"bound to {node.name}" in message


def test_left_alone_fails_for_a_rejected_pod(pods, expect):
    pod = pods.create(node_selector={"no": "such"})
    message = message_of(expect(pod).left_alone)
    assert "it did not hold" in message
    assert re.search(rf"event FailedScheduling by {pod.scheduler}|Unschedulable", message)


def test_left_alone_fails_for_a_bound_pod(pods, expect):
    message = message_of(expect(pods.create()).left_alone)
    assert "wanted: left alone by every scheduler for 2 s" in message


def test_event_with_another_text_times_out(pods, expect):
    pod = pods.create(node_selector={"no": "such"})
    expect(pod).event("FailedScheduling", message="didn't match Pod's node affinity/selector")
    message = message_of(expect(pod, timeout=SOON).event, "FailedScheduling", message="Insufficient cpu")
    assert "wanted: an event FailedScheduling with 'Insufficient cpu'" in message
    assert re.search(rf"event +FailedScheduling by {pod.scheduler}: 0/", message)


def test_no_event_fails_for_a_pod_that_has_one(pods, expect):
    pod = pods.create(node_selector={"no": "such"})
    message = message_of(expect(pod).no_event, "FailedScheduling", seconds=20)
    assert "it did not hold" in message
    assert "didn't match Pod's node affinity/selector" in message


def test_preempted_fails_for_a_pod_that_another_client_deleted(pods, expect):
    pod = pods.create()
    expect(pod).running()
    pod.delete()
    assert "deleted, but no scheduler has reported a preemption" in message_of(expect(pod).preempted)


@pytest.mark.requires("resize")
def test_preempted_by_another_fails(pods, nodes, expect):
    nodes.claim(1, capacity={"cpu": "2"})
    low, high = pods.priority_class("low", 10), pods.priority_class("high", 1000)
    bystander = pods.create("bystander")
    victim = pods.create("victim", requests={"cpu": "2"}, priority_class=low)
    expect(victim).running()
    important = pods.create("important", requests={"cpu": "2"}, priority_class=high)
    expect(important).bound()
    assert "preempted by another pod" in message_of(expect(victim).preempted, by=bystander)


@pytest.mark.parametrize("name", ["Upper", "under_score", "-hyphen", "x" * 31, ""])
def test_bad_component_names_are_refused(name, install):
    with pytest.raises(UsageError, match="at most 30 small letters, digits and hyphens"):
        install(KubeScheduler(name))


def test_two_schedulers_of_one_name_are_refused(custom_scheduler, install):
    with pytest.raises(
        UsageError, match="pods of schedulerName custom-scheduler are served by custom-scheduler already"
    ):
        install(KubeScheduler("twin", config={"profiles": [{"schedulerName": custom_scheduler.scheduler_name}]}))


@pytest.mark.requires("resize", "whole-cluster")  # what others change has a pod tried again
def test_attempts_at_an_earlier_pod_of_the_name_do_not_count(pods, nodes, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "1"})
    mark = expect.mark()
    first = pods.create("web-0", requests={"cpu": "2"})
    expect(first).pending()
    for _ in range(2):
        other = pods.create(requests={"cpu": "1"})
        expect(other).bound_to(node)
        other.delete()
    expect(first).stays_pending(attempts=2, since=mark)
    first.delete()
    second = pods.create("web-0", requests={"cpu": "2"})
    expect(second).pending(rejected_by="NodeResourcesFit")
    with pytest.raises(InconclusiveError, match="has 1 attempt that rejected it so"):
        expect(second, timeout=2).stays_pending(attempts=2)


def test_rejection_from_before_a_mark_counts_if_the_like_is_rejected_now(pods, nodes, expect):
    """The scheduler has no reason to try it again."""
    nodes.claim(1)
    pod = pods.create(node_selector={"disk": "ssd"}, labels={"app": "a"})
    expect(pod).pending(rejected_by="NodeAffinity")
    proof = expect(pod).pending(rejected_by="NodeAffinity", since=expect.mark()).proof
    assert re.search(r"probe-\d+, which is alike and made later, was rejected so", proof)
