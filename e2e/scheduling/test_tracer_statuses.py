"""What each status of a plugin leads to, extension point by extension point: the pod's condition and its Event."""

import re

import pytest

pytestmark = pytest.mark.bound_only

UNSCHEDULABLE, UNRESOLVABLE, PENDING = "Unschedulable", "UnschedulableAndUnresolvable", "Pending"

#: what the condition says about a rejection; {} is the status' own message
REJECTED = {
    "PreFilter": "nodes are available: {}.",
    "Reserve": "0/1 nodes are available: 1 {}.",
    "Permit": "0/1 nodes are available: 1 {}.",
}
#: what it says about an error
FAILED = {
    "PreFilter": 'running PreFilter plugin "Tracer": {}',
    "Filter": 'running "Tracer" filter plugin: {}',
    "PreScore": 'running PreScore plugin "Tracer": {}',
    "Score": 'running Score plugins: plugin "Tracer" failed with: {}',
    "NormalizeScore": 'running Normalize on Score plugins: plugin "Tracer" failed with: {}',
    "Reserve": 'running Reserve plugin "Tracer": {}',
    "Permit": 'running Permit plugin "Tracer": {}',
    "PreBind": 'running PreBind plugin "Tracer": {}',
    "Bind": 'running Bind plugin "Tracer": {}',
}


def said(point, status):
    """Return the message that Tracer gives a status of its own accord."""
    return f"Tracer returns {status} at {point}"


@pytest.fixture
def create(tracer, pods):
    """Create a pod whose labels choose statuses."""
    return lambda labels, **spec: pods.create(scheduler=tracer, labels=labels, **spec)


@pytest.mark.parametrize(
    ("point", "status"),
    [
        *((point, status) for point in REJECTED for status in (UNSCHEDULABLE, UNRESOLVABLE)),
        ("Reserve", PENDING),
        ("Permit", PENDING),
    ],
)
def test_rejection_makes_the_pod_unschedulable(point, status, create, expect):
    pod = create({point: status})
    message = REJECTED[point].format(said(point, status))
    rejection = expect(pod).pending(rejected_by="Tracer", message=message)
    assert rejection.reason == "Unschedulable"
    assert expect(pod).event("FailedScheduling") == rejection.message


@pytest.mark.parametrize(
    ("status", "preemption"),
    [(UNSCHEDULABLE, "No preemption victims found"), (UNRESOLVABLE, "Preemption is not helpful for scheduling.")],
    ids=[UNSCHEDULABLE, UNRESOLVABLE],
)
def test_rejected_nodes_are_counted_and_preempted_on_if_that_may_help(status, preemption, nodes, create, expect):
    """What tells the two kinds of rejection apart; the nodes that are not claimed are never resolvable."""
    nodes.claim(2)
    pod = create({"Filter": status})
    rejection = expect(pod).pending(rejected_by="Tracer", message=f" 2 {said('Filter', status)}")
    assert re.search(rf"preemption: 0/\d+ nodes are available: .*\b\d+ {preemption}", rejection.message)
    assert rejection.reason == "Unschedulable"
    assert expect(pod).event("FailedScheduling") == rejection.message


@pytest.mark.requires("kubernetes>=1.33")  # before, it counts as a rejection of the plugin, as up to Permit
@pytest.mark.parametrize(
    ("point", "status"),
    [
        *(("PreBind", status) for status in (UNSCHEDULABLE, UNRESOLVABLE, PENDING)),
        *(("Bind", status) for status in (UNSCHEDULABLE, UNRESOLVABLE)),
    ],
)
def test_rejection_while_binding_is_shown_in_its_own_words(point, status, create, expect):
    """It is no verdict on nodes, and the scheduler does not know by then which plugin it came from."""
    pod = create({point: status})
    rejection = expect(pod).pending(rejected_by=())
    assert (rejection.reason, rejection.message) == ("Unschedulable", said(point, status))
    assert expect(pod).event("FailedScheduling") == rejection.message


@pytest.mark.parametrize(
    ("point", "status"),
    [
        *((point, "Error") for point in FAILED),
        *(
            (point, status)
            for point in ("PreScore", "Score", "NormalizeScore")
            for status in (UNSCHEDULABLE, UNRESOLVABLE)
        ),
    ],
)
def test_error_is_distinguished_from_a_rejection(point, status, create, expect):
    """Points that cannot reject have errors only, whatever the plugin calls them."""
    pod = create({point: status})
    rejection = expect(pod).pending(rejected_by=())
    assert (rejection.reason, rejection.message) == ("SchedulerError", FAILED[point].format(said(point, status)))
    assert expect(pod).event("FailedScheduling") == rejection.message


@pytest.mark.parametrize("status", ["Error", UNSCHEDULABLE, UNRESOLVABLE])
def test_pod_that_is_not_let_into_the_queue_hears_nothing(status, create, expect):
    """Neither a condition nor an Event: only the trace shows that it was looked at."""
    pod = create({"PreEnqueue": status})
    assert expect(pod).traced("PreEnqueue")[-1].status == status
    expect(pod).left_alone()


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("rejected", "Tracer rejects the pod after 100ms"),
        ("times-out", "rejected due to timeout after waiting 200ms at plugin Tracer"),
    ],
    ids=["rejected", "times-out"],
)
def test_wait_that_ends_badly_is_a_rejection(label, message, create, expect):
    pod = create({"Permit": label})
    rejection = expect(pod).pending(rejected_by="Tracer", message=REJECTED["Permit"].format(message))
    assert rejection.reason == "Unschedulable"
    assert expect(pod).event("FailedScheduling") == rejection.message


@pytest.mark.parametrize(
    ("status", "added", "called"),
    [
        (None, ".*preemption: 0/.*", ["Tracer", "SecondTracer", "DefaultPreemption"]),
        ("Success", "", ["Tracer"]),
        (UNRESOLVABLE, said("PostFilter", UNRESOLVABLE), ["Tracer"]),
        ("Error", said("PostFilter", "Error"), ["Tracer"]),
    ],
    ids=["nothing said", "Success", UNRESOLVABLE, "Error"],
)
def test_post_filter_goes_on_while_it_is_unschedulable(status, added, called, create, pods, expect):
    """What it says comes after the reason that there was. DefaultPreemption tries nodes without their lesser pods."""
    expect(create({})).bound()
    labels = {"PostFilter": status} if status else {}
    pod = create({"Filter": UNSCHEDULABLE, **labels}, priority_class=pods.priority_class("high", 1000))
    rejection = expect(pod).pending(rejected_by="Tracer", message=said("Filter", UNSCHEDULABLE))
    assert rejection.reason == "Unschedulable"
    assert re.fullmatch(added, rejection.message.partition(". ")[2])

    pod.label({"Filter": None})
    trace = expect(pod).traced("QueueingHint")  # a call that comes after all of the attempt
    tried = ["DefaultPreemption"] if any(line.point == "RemovePod" for line in trace) else []
    assert [line.plugin for line in trace if line.point == "PostFilter"] + tried == called


@pytest.mark.parametrize(
    ("labels", "status", "not_called"),
    [
        ({}, "Success", set()),
        ({"PreFilter": "Skip"}, "Skip", {"Tracer:Filter"}),
        ({"PreScore": "Skip"}, "Skip", {"Tracer:Score", "Tracer:NormalizeScore"}),
        ({"Permit": "allowed"}, "Wait", set()),
        ({"Bind": "Success"}, "Success", {"SecondTracer:Bind"}),
    ],
    ids=["no label", "PreFilter-Skip", "PreScore-Skip", "Permit-Wait", "Bind-Success"],
)
def test_pod_is_let_through(labels, status, not_called, create, expect):
    """The first arm is the control of all other tests: a pod without labels is bound."""
    pod = create(labels)
    expect(pod).bound()
    expect(pod).scheduled_by("tracer")
    trace = expect(pod).traced("PostBind", plugin="SecondTracer")
    called = {str(line): line.status for line in trace}
    assert {called[f"Tracer:{point}"] for point in labels or FAILED.keys() - {"Bind"}} == {status}
    assert {
        f"{plugin}:{point}" for plugin in ("Tracer", "SecondTracer") for point in FAILED
    } - called.keys() == not_called


@pytest.mark.requires("kubernetes>=1.33")  # before, a rejection at PreBind waits for a change, as one at Filter does
def test_error_and_rejection_while_binding_are_tried_again_by_themselves(create, expect):
    """Any other rejection is only lifted by a change, as the order of extension points shows."""
    retried = {point: create({point: status}) for point, status in (("PreFilter", "Error"), ("PreBind", UNSCHEDULABLE))}
    for point, pod in retried.items():
        expect(pod).traced(point, count=2)
