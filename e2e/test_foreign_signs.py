"""Schedulers that say less than kube-scheduler does: only by Events, or nothing at all."""

import re

import pytest

from schedtest import ExpectationError
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
    assert "made later, was rejected" in expect(pod).stays_pending(message=NOT_MATCHED).proof
    node.label(SSD)
    expect(pod).bound_to(node)


def test_pending_names_what_rejected_by_needs(events_only, nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=events_only, node_selector=SSD)
    expect(pod).pending(message=NOT_MATCHED)
    message = failure_of(expect(pod, timeout=0.5).pending, rejected_by="NodeAffinity")
    assert "rejected_by needs the log of kube-scheduler's code" in message
    assert "writes-events-only is a Toy: claim message= instead" in message


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
    message = failure_of(expect(pod, timeout=0.5).pending)
    assert "that was before: " in message
    assert "no scheduler has handled" in message


def test_pod_that_a_silent_scheduler_has_passed_over(silent, nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=silent, node_selector=SSD)
    message = failure_of(expect(pod, timeout=0.5).pending)
    assert "no scheduler has reported anything about it" in message
    assert "a pod that the test makes afterwards" in message
    expect(pods.create(scheduler=silent)).bound_to(node)
    assert "made later, was bound" in expect(pod).pending().proof
    assert "message needs a condition or an Event" in failure_of(expect(pod, timeout=0.5).pending, message="no")
