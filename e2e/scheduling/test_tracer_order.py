"""When kube-scheduler calls a plugin: the order of the extension points, and of two plugins at each of them."""

from collections import defaultdict
from itertools import dropwhile, groupby

import pytest

pytestmark = pytest.mark.bound_only

#: what a pod meets that is bound at its first attempt
ORDER = [
    *("PreEnqueue", "PreFilter", "Filter", "PreScore", "Score", "NormalizeScore"),
    *("Reserve", "Permit", "PreBind", "Bind", "PostBind"),
]
SCORING = {"PreScore", "Score", "NormalizeScore"}
BOTH = ["Tracer", "SecondTracer"]
RESERVED = ["Tracer:Reserve", "SecondTracer:Reserve"]
PERMITTED = ["Tracer:Permit", "SecondTracer:Permit"]
PREBOUND = ["Tracer:PreBind", "SecondTracer:PreBind"]
BOUND = ["Tracer:Bind", "SecondTracer:Bind", "Tracer:PostBind", "SecondTracer:PostBind"]
UNRESERVED = ["SecondTracer:Unreserve", "Tracer:Unreserve"]


def ordered(trace):
    """Return the calls without those of PreBindPreFlight, which test_tracer_preflight.py is about: a feature gate."""
    return [line for line in trace if line.point != "PreBindPreFlight"]


def points(trace):
    """Return the extension points in the order of the calls; several calls in a row count as one."""
    return [point for point, _ in groupby(line.point for line in ordered(trace))]


def plugins(trace, point):
    """Return which plugins were called at a point, in order, by node."""
    called = defaultdict(list)
    for line in trace:
        if line.point == point:
            called[line.node].append(line.plugin)
    return called


def since_reserve(trace):
    """Return the calls from the first of Reserve on."""
    return [str(line) for line in dropwhile(lambda line: line.point != "Reserve", ordered(trace))]


def test_pod_that_binds_meets_every_point_once(tracer, nodes, pods, expect):
    first, second = (node.name for node in nodes.claim(2))
    pod = pods.create(scheduler=tracer)
    node = expect(pod).bound()
    trace = expect(pod).traced("PostBind", plugin="SecondTracer")
    assert points(trace) == ORDER
    for point in ("PreFilter", "PreScore"):
        assert plugins(trace, point) == {"": BOTH}
    for point in ("Filter", "Score"):
        assert plugins(trace, point) == {first: BOTH, second: BOTH}
    for point in ("Reserve", "Permit", "PreBind", "Bind", "PostBind"):
        assert plugins(trace, point) == {node: BOTH}
    for point in ("PreEnqueue", "NormalizeScore"):  # in no order that one could rely on
        assert sorted(plugins(trace, point)[""]) == sorted(BOTH)


def test_only_feasible_node_is_not_scored(tracer, nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=tracer)
    trace = expect(pod).traced("PostBind", plugin="SecondTracer")
    assert points(trace) == [point for point in ORDER if point not in SCORING]


def test_pod_that_fits_nowhere_ends_at_post_filter_until_it_changes(tracer, nodes, pods, expect):
    """It stays away for longer than the backoff of 1 s, and goes through all points again once its label is gone."""
    first, second = (node.name for node in nodes.claim(2))
    pod = pods.create(scheduler=tracer, labels={"Filter": "Unschedulable"})
    expect(pod).stays_pending(rejected_by="Tracer", seconds=1.5)
    pod.label({"Filter": None})
    expect(pod).bound()
    trace = expect(pod).traced("PostBind", plugin="SecondTracer")
    rejected = ["PreEnqueue", "PreFilter", "Filter", "PostFilter"]
    assert points(trace) == [*rejected, "QueueingHint", *ORDER]

    attempt = expect(pod).traced("PostFilter", plugin="SecondTracer")
    assert points(attempt) == rejected
    assert plugins(attempt, "Filter") == {first: ["Tracer"], second: ["Tracer"]}  # one rejection is enough
    assert plugins(attempt, "PostFilter") == {"": BOTH}


@pytest.mark.parametrize(
    ("point", "calls"),
    [
        ("Reserve", ["Tracer:Reserve"]),
        ("Permit", [*RESERVED, "Tracer:Permit"]),
        ("PreBind", [*RESERVED, *PERMITTED, "Tracer:PreBind"]),
        ("Bind", [*RESERVED, *PERMITTED, *PREBOUND, "Tracer:Bind"]),
    ],
    ids=["Reserve", "Permit", "PreBind", "Bind"],
)
def test_failure_from_reserve_on_is_taken_back_in_reverse_order(point, calls, tracer, pods, expect):
    """Unreserve is called on every plugin, also on one that had not been asked to reserve yet."""
    pod = pods.create(scheduler=tracer, labels={point: "Unschedulable"})
    trace = expect(pod).traced("Unreserve")
    assert since_reserve(trace) == [*calls, *UNRESERVED]
    assert len({line.node for line in trace if line.point in {"Reserve", "Unreserve"}}) == 1


@pytest.mark.parametrize(
    ("label", "seconds", "calls"),
    [("allowed", 0.1, [*PREBOUND, *BOUND]), ("rejected", 0.1, UNRESERVED), ("times-out", 0.2, UNRESERVED)],
    ids=["allowed", "rejected", "times-out"],
)
def test_pod_that_waits_is_held_once_every_plugin_was_asked(label, seconds, calls, tracer, pods, expect):
    """The first arm is the control: where the wait ends well, nothing is taken back."""
    pod = pods.create(scheduler=tracer, labels={"Permit": label})
    plugin, _, point = calls[-1].partition(":")
    trace = expect(pod).traced(point, plugin=plugin)
    assert since_reserve(trace) == [*RESERVED, *PERMITTED, *calls]
    times = {str(line): line.time for line in trace}
    assert (times[calls[0]] - times["Tracer:Permit"]).total_seconds() >= seconds
