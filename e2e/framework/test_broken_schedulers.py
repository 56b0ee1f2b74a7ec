"""Schedulers that are broken, each in one way, are caught by a claim that says what was seen; a healthy one is not.

They are those of ``toy_faults.py``, which are programs of their own.
"""

import re

import pytest

from broken import SOON, Broken, Stage
from schedtest import ComponentError, InconclusiveError, Taint
from toy_component import toy

pytestmark = pytest.mark.requires("processes")

CLOSED = Taint("example.com/closed")
NOT_TRIED = r"seen: +Pending; no scheduler has reported anything about it"


def pod_waits_for_its_node(stage):
    stage.nodes.claim(1)
    pod = stage.create(node_selector={"disk": "ssd"})
    stage.soon(pod).pending(message="didn't match Pod's node affinity/selector")


def first_event_says_what_pod_waits_for(stage):
    stage.nodes.claim(1)
    pod = stage.create(node_selector={"disk": "ssd"})
    stage.expect(pod).event("FailedScheduling", message="didn't match Pod's node affinity/selector", first=True)


def pod_waits_for_an_open_node(stage):
    (node,) = stage.nodes.claim(1)
    node.cordon()
    stage.expect(stage.create()).pending(message="1 node(s) were unschedulable")


def pod_waits_for_a_tolerated_node(stage):
    stage.nodes.claim(1, taints=[CLOSED])
    stage.expect(stage.create()).stays_pending(message="untolerated taint")


def pod_waits_for_room(stage):
    stage.nodes.claim(1)
    stage.expect(stage.create(requests={"cpu": "100"})).pending(message="1 Insufficient cpu")


def pod_that_takes_all_the_room_is_bound(stage):
    (node,) = stage.nodes.claim(1)
    cpu = node.object["status"]["allocatable"]["cpu"]
    stage.soon(stage.create(requests={"cpu": cpu})).bound_to(node)


def gang_waits_until_it_is_complete(stage):
    stage.nodes.claim(1)
    gang = [stage.create(labels={"gang": "g", "gang-size": "3"}) for _ in range(2)]
    stage.expect(gang[0]).pending(message="waits for 1 more of its gang")


def pod_says_why_it_waits_now(stage):
    (node,) = stage.nodes.claim(1, taints=[CLOSED])
    pod = stage.create()
    stage.expect(pod).pending(message="untolerated taint")
    node.cordon()
    stage.soon(pod).pending(message="1 node(s) were unschedulable")


def successor_tries_a_pod_that_waits(stage):
    stage.nodes.claim(1)
    pod = stage.create(node_selector={"disk": "ssd"})
    stage.expect(pod).pending(message="didn't match")
    stage.replace()
    stage.expect(stage.create(node_selector={"disk": "ssd"})).pending(message="didn't match")
    stage.soon(pod).pending(message="didn't match")


def better_node_is_taken(stage):
    worse, better = stage.nodes.claim(2)
    worse.label({"rank": "1"})
    better.label({"rank": "2"})
    stage.expect(stage.create()).bound_to(better)


def free_node_is_taken(stage):
    stage.nodes.claim(1)
    stage.soon(stage.create()).bound()


def node_is_taken_once_it_is_labelled(stage):
    (node,) = stage.nodes.claim(1)
    pod = stage.create(node_selector={"disk": "ssd"})
    stage.expect(pod).pending(message="didn't match Pod's node affinity")
    node.label({"disk": "ssd"})
    stage.soon(pod).bound_to(node)


def pods_are_bound_by_priority(stage):
    (node,) = stage.nodes.claim(1)
    levels = [stage.pods.priority_class(name, value) for name, value in (("low", 1), ("mid", 2), ("high", 3))]
    low, mid, high = (stage.create(node_selector={"disk": "ssd"}, priority_class=level) for level in levels)
    for pod in (low, mid, high):
        stage.expect(pod).pending(message="didn't match Pod's node affinity")
    node.label({"disk": "ssd"})
    stage.expect([high, mid, low]).bound_in_order()


def every_pod_is_bound(stage):
    stage.nodes.claim(1)
    stage.expect(stage.create()).bound()
    stage.soon(stage.create()).bound()


def odd_pod_is_bound(stage):
    stage.nodes.claim(1)
    stage.expect(stage.create(labels={"gang": "alone", "gang-size": "1"})).bound()


def binding_is_reported(stage):
    stage.nodes.claim(1)
    stage.expect(stage.create()).scheduled_by(stage.scheduler.scheduler_name)


def binding_is_reported_with_its_node(stage):
    (node,) = stage.nodes.claim(1)
    stage.expect(stage.create()).event("Scheduled", message=f"to {node.name}")


def bound_pod_has_no_failure(stage):
    stage.nodes.claim(1)
    pod = stage.create()
    stage.expect(pod).bound()
    stage.expect(pod).no_event("FailedScheduling")


def pod_of_another_is_left_alone(stage):
    stage.nodes.claim(1)
    other = stage.create(scheduler=f"{stage.scheduler.scheduler_name}-2")
    stage.expect(other).left_alone()


def equal_pod_survives(stage):
    (node,) = stage.nodes.claim(1)
    cpu = node.object["status"]["allocatable"]["cpu"]
    first = stage.create(requests={"cpu": cpu})
    stage.expect(first).bound_to(node)
    stage.expect(stage.create(requests={"cpu": cpu})).pending(message="1 Insufficient cpu")
    stage.expect(first).bound_to(node)


def lesser_pod_makes_room(stage):
    (node,) = stage.nodes.claim(1)
    cpu = node.object["status"]["allocatable"]["cpu"]
    victim = stage.create(requests={"cpu": cpu})
    stage.expect(victim).bound_to(node)
    important = stage.create(requests={"cpu": cpu}, priority_class=stage.pods.priority_class("high", 1000))
    stage.expect(victim).preempted()
    stage.expect(victim).preempted(by=important)
    stage.expect(important).bound_to(node)


AT_ONCE = r": this can no longer come true\n"
#: what is seen of a pod that should wait
BOUND = (r"wanted: Pending after a scheduler tried it", r"seen: +bound to \S+, \w+\n")
BOUND_LATER = (
    r": it did not hold\n",
    r"wanted: still Pending 2 s after it was rejected",
    r"seen: +bound to ",
)
TAKEN = (r"wanted: left alone by every scheduler for 2 s", r"seen: +(bound to |event Scheduled by )")

BROKEN = [
    Broken("IgnoresSelectors", pod_waits_for_its_node, BOUND),
    Broken("IgnoresCordons", pod_waits_for_an_open_node, BOUND),
    Broken("IgnoresTaints", pod_waits_for_a_tolerated_node, BOUND),
    Broken("IgnoresTaintsOnRetry", pod_waits_for_a_tolerated_node, BOUND_LATER),
    Broken("IgnoresRequests", pod_waits_for_room, BOUND),
    Broken(
        "NeedsRoomToSpare",
        pod_that_takes_all_the_room_is_bound,
        (r"seen: +Pending; Unschedulable", r"rejects +Insufficient cpu, although cpu \S+ is free now\n"),
        evidence="FailedScheduling",
    ),
    Broken("IgnoresGangs", gang_waits_until_it_is_complete, BOUND),
    Broken(
        "DeletesUnplaceable",
        pod_waits_for_a_tolerated_node,
        (r"wanted: (still )?Pending", r"deleted, never bound|never bound, Pending, being deleted"),
    ),
    Broken("ReportsNothing", pod_waits_for_its_node, (f"timed out after {SOON:g} s", NOT_TRIED), silent=True),
    Broken(
        "SaysOtherwise",
        pod_waits_for_its_node,
        (r"message with \"didn't match", "seen: +Pending; Unschedulable: no nodes available to schedule pods\\n"),
        evidence="FailedScheduling",
    ),
    Broken(
        "SaysOtherwise",
        first_event_says_what_pod_waits_for,
        (AT_ONCE, r"seen: +event FailedScheduling by says-otherwise: no nodes available to schedule pods\n"),
    ),
    Broken(
        "KeepsFirstMessage",
        pod_says_why_it_waits_now,
        (r"message with '1 node\(s\) were unschedulable'", r"seen: .*\d node\(s\) had untolerated taint\(s\)\."),
        evidence="FailedScheduling",
    ),
    Broken(
        "NewcomersOnly",
        successor_tries_a_pod_that_waits,
        (r"it is not known whether its scheduler has tried it since that was started: its log does not say",),
        InconclusiveError,
        silent=True,
    ),
    Broken("TakesWorst", better_node_is_taken, (r"wanted: bound to (\S+)\n +seen: +bound to (?!\1)",)),
    Broken(
        "RejectsAll",
        free_node_is_taken,
        (f"timed out after {SOON:g} s", r"Pending; Unschedulable: .* 1 node\(s\) were not to its taste"),
        evidence="FailedScheduling",
    ),
    Broken(
        "BindsNowhere",
        free_node_is_taken,
        (r"can no longer come true", "bound to node-77, which is no node of the cluster"),
    ),
    Broken(
        "SaysScheduledOnly",
        free_node_is_taken,
        ("seen: +Pending, not bound; Event Scheduled by says-scheduled-only: Successfully assigned",),
        evidence="Scheduled",
    ),
    Broken(
        "NeverRetries",
        node_is_taken_once_it_is_labelled,
        (f"timed out after {SOON:g} s", r"Pending; Unschedulable: .*didn't match", r"Ready; .*labels: disk=ssd"),
        evidence="FailedScheduling",
    ),
    Broken(
        "IgnoresPriorities",
        pods_are_bound_by_priority,
        (
            r"^3 pods for ignores-priorities: not as claimed\n",
            r"wanted: bound in this order: pod \S+/pod-3, pod \S+/pod-2, pod \S+/pod-1\n",
            r"seen: +pod \S+/pod-3 -> .* bound at \+\S+ s\) was bound after pod \S+/pod-2 -> .* bound at \+\S+ s\)\n",
        ),
    ),
    Broken("StopsAfterOne", every_pod_is_bound, (f"timed out after {SOON:g} s", NOT_TRIED), silent=True),
    Broken(
        "Crashes",
        odd_pod_is_bound,
        ("^crashes ended by itself with exit code 1;", "KeyError: 'gang'"),
        ComponentError,
    ),
    Broken("ReportsAsAnother", binding_is_reported, ("its Scheduled event is reported by some-scheduler",)),
    Broken(
        "ReportsAnotherNode",
        binding_is_reported_with_its_node,
        (AT_ONCE, r"seen: +event Scheduled by reports-another-node: Successfully assigned \S+ to some-other-\d+\n"),
    ),
    Broken("ReportsFailureAtOnce", bound_pod_has_no_failure, ("event FailedScheduling: it did not work out",)),
    Broken("ReportsFailureLate", bound_pod_has_no_failure, ("event FailedScheduling: it did not work out",)),
    Broken("BindsPodsOfOthers", pod_of_another_is_left_alone, TAKEN),
    Broken("ServesPrefix", pod_of_another_is_left_alone, TAKEN),
    Broken("EvictsEquals", equal_pod_survives, (r"wanted: bound to (\S+)\n +seen: +deleted, bound to \1\n",)),
    Broken(
        "EvictsWithoutReport",
        lesser_pod_makes_room,
        ("deleted, but no scheduler has reported a preemption",),
    ),
]
CLAIMS = list(dict.fromkeys(broken.claim for broken in BROKEN))


@pytest.fixture(scope="module")
def healthy(install):
    return install(toy("healthy"))


@pytest.fixture
def stage(install, pods, nodes, expect):
    """Return what sets the stage for a scheduler that is installed."""

    def set_for(scheduler, fault="Toy"):
        successor = toy("successor", fault, serves=scheduler.scheduler_name)
        return Stage(scheduler, pods, nodes, expect, replace=lambda: install(successor, replace=True))

    return set_for


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_broken_scheduler_is_caught(broken, stage, install):
    name = re.sub("(?<!^)(?=[A-Z])", "-", broken.what).lower()
    scheduler = install(toy(name, broken.what))
    broken.is_caught(stage(scheduler, broken.what))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__)
def test_healthy_scheduler_is_not(claim, stage, healthy):
    """The control arm of all others."""
    claim(stage(healthy))
