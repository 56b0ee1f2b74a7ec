"""Schedulers that say less than kube-scheduler does: only by Events, or nothing at all."""

import re

import pytest

from schedtest import ExpectationError, InconclusiveError, Taint
from toy_component import toy

pytestmark = pytest.mark.requires("processes")

NOT_MATCHED = "didn't match Pod's node affinity/selector"
SSD = {"disk": "ssd"}


@pytest.fixture(scope="module")
def install_toy(install):
    """Install a scheduler of ``toy_faults.py`` by the name of its class."""
    return lambda name: install(toy(re.sub("(?<!^)(?=[A-Z])", "-", name).lower(), name))


@pytest.fixture(scope="module")
def events_only(install_toy):
    """It writes Events, and no conditions."""
    return install_toy("WritesEventsOnly")


@pytest.fixture(scope="module")
def silent(install_toy):
    """It binds pods, and says nothing of the others."""
    return install_toy("ReportsNothing")


def failure_of(claim, **demands):
    with pytest.raises(ExpectationError) as caught:
        claim(**demands)
    return str(caught.value)


def test_pending_by_an_event(events_only, nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=events_only, node_selector=SSD)
    rejection = expect(pod).pending(message=NOT_MATCHED)
    assert rejection.reason == "FailedScheduling"
    node.label({"other": "label"})
    assert "made later one after the other, were rejected" in expect(pod).stays_pending(message=NOT_MATCHED).proof
    node.label(SSD)
    expect(pod).bound_to(node)


def test_pending_names_what_rejected_by_needs(events_only, nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=events_only, node_selector=SSD)
    expect(pod).pending(message=NOT_MATCHED)
    message = failure_of(expect(pod, timeout=0.5).pending, rejected_by="NodeAffinity")
    assert "rejected_by needs the log of kube-scheduler's code" in message
    assert "writes-events-only is a Program: claim message= instead" in message


def test_scheduler_that_rejects_all_is_caught(install_toy, nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=install_toy("RejectsAllByEvent"))
    expect(pod).event("FailedScheduling")
    message = failure_of(expect(pod, timeout=0.5).bound)
    assert "Pending, not bound; Event FailedScheduling by rejects-all-by-event" in message
    assert "not to its taste" in message


def test_old_event_is_no_evidence_after_a_change(install_toy, nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=install_toy("StopsAfterOneRejection"), node_selector=SSD)
    expect(pod).pending(message=NOT_MATCHED)
    node.label(SSD)
    with pytest.raises(InconclusiveError, match=r"that was before: .*; no scheduler has handled"):
        expect(pod, timeout=0.5).pending()


def test_pod_that_a_silent_scheduler_has_passed_over(silent, nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=silent, node_selector=SSD)
    with pytest.raises(InconclusiveError, match="a pod that the test makes afterwards"):
        expect(pod, timeout=0.5).pending()
    expect(pods.create(scheduler=silent)).bound_to(node)
    assert "made later one after the other, were bound, and nothing is reported" in expect(pod).pending().proof
    assert "message needs a condition or an Event" in failure_of(expect(pod, timeout=0.5).pending, message="no")


def test_silent_scheduler_is_not_blamed_for_its_silence(silent, nodes, pods, expect):
    """Probe pods that ask for nothing, and that it binds, show that it has passed over this one."""
    nodes.claim(1)
    pod = pods.create(scheduler=silent, node_selector=SSD)
    assert "made later one after the other, were bound" in expect(pod).stays_pending().proof


def test_pod_in_its_back_off_was_not_tried_since_the_change(install_toy, nodes, pods, expect):
    scheduler = install_toy("BacksOff")
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=scheduler, node_selector=SSD)
    expect(pod).pending(message=NOT_MATCHED)
    node.label(SSD)
    expect(pods.create(scheduler=scheduler)).bound_to(node)
    for claim in (expect(pod, timeout=4).pending, expect(pod, timeout=4).stays_pending):
        with pytest.raises(InconclusiveError, match="which is alike but for labels and annotations, was bound to"):
            claim(message=NOT_MATCHED)
    # Control arm: what is rejected now as well is pending, though it waits out its back-off.
    waiting = pods.create(scheduler=scheduler, node_selector={"disk": "tape"})
    expect(waiting).pending(message=NOT_MATCHED)
    node.label({"other": "label"})
    assert "was rejected so" in expect(waiting).pending(message=NOT_MATCHED).proof


def test_pod_behind_newer_ones_was_not_tried(install_toy, nodes, pods, expect):
    scheduler = install_toy("NewestFirst")
    (node,) = nodes.claim(1)
    scheduler.pause()
    old, new = (pods.create(scheduler=scheduler) for _ in range(2))
    rejected = pods.create(scheduler=scheduler, node_selector=SSD)
    scheduler.resume()
    with pytest.raises((ExpectationError, InconclusiveError)):
        expect(old, timeout=0.5).pending()
    rejected.delete()
    expect(new).bound_to(node)
    expect(old).bound_to(node)
    # Control arm: it does come to this one.
    waiting = pods.create(scheduler=scheduler, node_selector=SSD)
    expect(pods.create(scheduler=scheduler)).bound_to(node)
    assert "one after the other, were bound" in expect(waiting).pending().proof


def rivals(scheduler, nodes, pods, expect, **important):
    """Return a pod that fills a node, the node, and another pod that needs all of it."""
    (node,) = nodes.claim(1)
    cpu = node.object["status"]["allocatable"]["cpu"]
    victim = pods.create(scheduler=scheduler, requests={"cpu": cpu}, labels={"order": "first"})
    expect(victim).bound_to(node)
    return (
        victim,
        node,
        pods.create(scheduler=scheduler, requests={"cpu": cpu}, labels={"order": "second"}, **important),
    )


def test_preemption_that_is_not_reported(install_toy, nodes, pods, expect):
    scheduler = install_toy("EvictsWithoutReport")
    high = pods.priority_class("high", 1000)
    victim, node, important = rivals(scheduler, nodes, pods, expect, priority_class=high)
    expect(victim).preempted(by=important)
    expect(important).bound_to(node)
    assert "by=… does not name the pod that took its place" in failure_of(expect(victim).preempted)


def test_eviction_of_an_equal_is_no_preemption(install_toy, nodes, pods, expect):
    victim, node, second = rivals(install_toy("EvictsEqualsWithoutReport"), nodes, pods, expect)
    expect(second).bound_to(node)
    assert "of no lower priority than the other pod" in failure_of(expect(victim).preempted, by=second)


def test_deletion_by_the_test_is_no_preemption(events_only, nodes, pods, expect):
    victim, node, second = rivals(events_only, nodes, pods, expect)
    victim.delete()
    expect(second).bound_to(node)
    assert "the test has deleted it itself" in failure_of(expect(victim).preempted, by=second)


def test_failure_shows_what_it_has_logged(install_toy, silent, nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=install_toy("LogsOnly"), node_selector=SSD)
    other = pods.create(scheduler=silent, node_selector=SSD)
    message = failure_of(expect(pod, timeout=4).bound)
    about = f"level=info no room for <{pod.namespace}/{pod.name}>: "
    assert about in message
    assert "level=error the queue is a mess" in message
    assert "the server could not find the requested resource" in message or "forbidden" in message
    assert "log of reports-nothing" not in message
    assert about not in failure_of(expect(other, timeout=0.5).bound), "that line is about another pod"


@pytest.mark.bound_only
@pytest.mark.parametrize("fault", ["IgnoresSelectors", "IgnoresCordons"])
def test_wrong_node_is_a_fault_though_it_has_just_changed(install_toy, nodes, pods, expect, fault):
    """Probe pods like this one, which no node runs, show that the scheduler still does so."""
    scheduler = install_toy(fault)
    right, wrong = nodes.claim(2)
    right.label(SSD)
    wrong.label({"rank": "9"})
    selector = SSD
    if fault == "IgnoresCordons":
        wrong.cordon()
        selector = {}
    pod = pods.create(scheduler=scheduler, node_selector=selector)
    assert "bound to" in failure_of(expect(pod).bound_to, node=right)


def test_one_that_was_started_after_the_change_has_listed_it(install_toy, nodes, pods, expect):
    """Its watch cannot have lagged, though the node was changed just before the binding."""
    scheduler = install_toy("IgnoresTaints")
    right, wrong = nodes.claim(2)
    scheduler.kill()
    wrong.label({"rank": "9"})
    wrong.taint(Taint("example.com/closed"))
    pod = pods.create(scheduler=scheduler)
    scheduler.restart()
    assert "bound to" in failure_of(expect(pod).bound_to, node=right)
