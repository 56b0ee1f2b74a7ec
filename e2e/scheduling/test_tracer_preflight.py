"""PreBindPreFlight, where a plugin says if its PreBind has work to do: called with a feature gate, off in 1.34."""

import pytest

from schedtest import PluginScheduler

pytestmark = [pytest.mark.bound_only, pytest.mark.requires("kubernetes>=1.34")]

MANIFEST = "manifests/schedulers/tracer.yaml"
GATES = {"NominatedNodeNameForExpectation": True}

ASKED = ["Tracer:PreBindPreFlight", "SecondTracer:PreBindPreFlight"]


@pytest.fixture(scope="module")
def gated(install):
    return install(
        PluginScheduler("tracer", module="scheduler", follow_kubernetes=True, config=MANIFEST, feature_gates=GATES)
    )


@pytest.mark.parametrize(
    ("labels", "working"),
    [({}, ["Tracer:PreBind", "SecondTracer:PreBind"]), ({"PreBindPreFlight": "Skip"}, ["SecondTracer:PreBind"])],
    ids=["no label", "Skip"],
)
def test_plugin_without_work_is_left_out_at_pre_bind(labels, working, gated, pods, expect):
    pod = pods.create(scheduler=gated, labels=labels)
    expect(pod).bound()
    trace = expect(pod).traced("Bind")
    asked = [str(line) for line in trace if line.point.startswith("PreBind")]
    assert asked == [*ASKED, *working]


def test_error_ends_the_attempt(gated, pods, expect):
    pod = pods.create(scheduler=gated, labels={"PreBindPreFlight": "Error"})
    rejection = expect(pod).pending(message='running PreBindPreFlight "Tracer": Tracer returns Error')
    assert rejection.reason == "SchedulerError"
    trace = expect(pod).traced("Unreserve")
    assert [str(line) for line in trace][-3:] == [ASKED[0], "SecondTracer:Unreserve", "Tracer:Unreserve"]
