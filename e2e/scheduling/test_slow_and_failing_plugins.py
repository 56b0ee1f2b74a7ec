"""A plugin that is late, or fails, from Reserve to Bind: what holds the pod is said, and what follows."""

import pytest

from schedtest import ExpectationError

POINTS = ["Reserve", "Permit", "PreBind", "Bind"]
#: the labels of a pod that Tracer holds no longer
RELEASED = {"released": "yes"}


@pytest.fixture
def create(tracer, nodes, pods):
    """Create pods whose labels choose the outcomes, on nodes of the test's own."""
    nodes.claim(1)
    return lambda labels: pods.create(scheduler=tracer, labels=labels)


def seen(claim):
    """Return what a claim has seen that fails."""
    with pytest.raises(ExpectationError) as caught:
        claim.bound()
    return next(line for line in str(caught.value).splitlines() if line.startswith("  seen: "))


@pytest.mark.parametrize("point", POINTS)
def test_slow_plugin_holds_the_pod(point, create, expect):
    pod = create({point: "slow"})
    expect(pod).traced(point)
    with pytest.raises(ExpectationError, match=r"timed out after 3 s"):  # the API has whole seconds
        expect(pod, timeout=3).bound()
    pod.label(RELEASED)
    expect(pod).bound()
    with pytest.raises(ExpectationError, match="too late"):
        expect(pod).bound(within=1)


@pytest.mark.parametrize("point", ["Reserve", "Permit"])
def test_scheduler_is_busy_until_a_slow_plugin_returns(point, create, expect):
    slow = create({point: "slow"})
    expect(slow).traced(point)
    other = create({})
    assert f"that has been trying {slow} since" in seen(expect(other, timeout=0.5))
    slow.label(RELEASED)
    for pod in (slow, other):
        expect(pod).bound()


@pytest.mark.parametrize(
    ("point", "label", "held"),
    [
        ("Permit", "held", "waits at Permit (plugin Tracer or SecondTracer) since "),
        (
            "PreBind",
            "slow",
            "waits at PreBind (plugin Tracer or SecondTracer) or Bind (plugin Tracer or SecondTracer) since ",
        ),
        (
            "Bind",
            "slow",
            "waits at PreBind (plugin Tracer or SecondTracer) or Bind (plugin Tracer or SecondTracer) since ",
        ),
    ],
)
def test_scheduler_goes_on_while_a_binding_is_held(point, label, held, create, expect):
    pod, other = create({point: label}), create({})
    expect(other).bound()
    shown = seen(expect(pod, timeout=0.5))
    assert "has found " in shown
    assert held in shown
    pod.label(RELEASED)
    expect(pod).bound()


@pytest.mark.parametrize("status", ["Error", "Unschedulable"])
@pytest.mark.parametrize("point", POINTS)
def test_failure_is_undone_and_the_pod_tried_again(point, status, create, expect):
    """A rejected pod waits for a change, which new labels are, and so is the nomination after Permit."""
    pod = create({point: f"{status}-once"})
    calls = [str(call) for call in expect(pod).traced("Unreserve")]
    assert calls[-2:] == ["SecondTracer:Unreserve", "Tracer:Unreserve"]
    if status == "Unschedulable":
        if point in ("Reserve", "Permit"):
            expect(pod).pending()
        pod.label({"changed": "yes"})
    expect(pod).bound()
    assert len(expect(pod).traced(point, count=2)) > len(calls)


def test_failure_that_lasts_is_tried_too_often(create, expect):
    mark = expect.mark()
    once, always = create({"PreBind": "Error-once"}), create({"PreBind": "Error"})
    expect(once).bound()
    assert "has 2 attempts since" in expect(once).tried(at_least=2, at_most=2, since=mark)
    with pytest.raises(ExpectationError, match=r"wanted: tried in 1 to 2 attempts since"):
        expect(always).tried(at_most=2, since=mark, seconds=10)


def test_pod_is_bound_before_a_late_binding_returns(create, expect):
    pod = create({"Bind": "late"})
    expect(pod).bound()
    with pytest.raises(ExpectationError):
        expect(pod, timeout=0.5).event("Scheduled")
    pod.label(RELEASED)
    expect(pod).event("Scheduled")


def test_pod_that_nothing_holds_is_bound_soon(create, expect):
    """The control of all others."""
    pod = create({})
    expect(pod).bound()
    assert not any(call.point == "Unreserve" for call in expect(pod).traced("PostBind"))
