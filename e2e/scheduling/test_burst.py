"""A burst of pods is bound, and it is said how fast and at what cost; if not all are, one that is not is explained."""

from collections import Counter

import pytest

from schedtest import ExpectationError, InconclusiveError, KubeScheduler, UsageError, spread_over


@pytest.mark.requires("resize")
def test_throughput_of_a_burst(custom_scheduler, nodes, burst, expect):
    nodes.claim(3, capacity={"cpu": "1000", "pods": "1000"})
    made = burst(150, scheduler=custom_scheduler, requests={"cpu": "10m"})
    measured = expect(made).bound()
    assert (measured.pods, len(measured.bindings)) == (150, 150)
    assert list(measured.bindings) == sorted(measured.bindings)
    assert measured.pods_per_second == pytest.approx(150 / measured.bindings[-1])
    assert 0 < measured.latency.p50 <= measured.latency.p90 <= measured.latency.p99
    assert made.throughput is measured


@pytest.mark.requires("resize", "processes")
def test_costs_of_a_burst(custom_scheduler, nodes, burst, expect):
    nodes.claim(3, capacity={"cpu": "1000", "pods": "1000"})
    made = burst(150, scheduler=custom_scheduler)
    measured = expect(made).bound()
    assert measured.attempts_per_pod == pytest.approx(1)
    assert 0 < measured.scheduler_latency.p50 <= measured.scheduler_latency.p99
    assert 0 < measured.cpu_seconds < 60
    assert 10e6 < measured.peak_memory < 1e9


@pytest.mark.requires("resize", "processes")
def test_time_at_extension_points(install, nodes, burst, expect):
    """Of the burst's own profile: the other profile of the same process gives no scores."""
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {"schedulerName": "scores"},
            {"schedulerName": "other", "plugins": {"score": {"disabled": [{"name": "*"}]}}},
        ],
    }
    install(KubeScheduler("two-profiles", config=config))
    nodes.claim(3, capacity={"cpu": "1000", "pods": "1000"})
    found = {}
    for name in ("scores", "other"):
        measured = expect(burst(50, scheduler=name)).bound()
        found[name] = measured.extension_points
        assert f"longest extension points {next(iter(found[name]))} " in str(measured)
    assert {"PreFilter", "Filter", "Score", "Bind"} <= found["scores"].keys()
    for each in found["scores"].values():
        assert 0 < each.mean < 1
        assert 0 < each.p99 < 1
    assert "Filter" in found["other"]
    assert "Score" not in found["other"]


@pytest.mark.requires("resize", "processes")
def test_a_scheduler_that_was_killed_meanwhile_has_counted_only_a_part(install, nodes, burst, expect):
    scheduler = install(KubeScheduler("killed"))
    made = burst(20, scheduler=scheduler)
    scheduler.kill()
    nodes.claim(2, capacity={"pods": "20"})
    scheduler.restart()
    measured = expect(made).bound()
    assert measured.pods == 20
    assert (measured.extension_points, measured.attempts_per_pod, measured.cpu_seconds) == (None, None, None)


@pytest.mark.requires("resize")
def test_pods_that_do_not_fit_are_not_bound(custom_scheduler, nodes, burst, expect):
    nodes.claim(2, capacity={"pods": "20"})
    made = burst(50, scheduler=custom_scheduler)
    with pytest.raises(ExpectationError, match=r"(?s)seen: +40 of 50 pods are bound.*Too many pods"):
        expect(made, timeout=2).bound()
    with pytest.raises(UsageError, match=r"40 of them are bound; expect\(burst\).bound\(\) waits"):
        _ = made.throughput


@pytest.mark.requires("resize")
def test_mixed_work_is_bound_and_its_backlog_is_not(custom_scheduler, nodes, pods, burst, expect):
    for zone, node in enumerate(nodes.claim(3, capacity={"cpu": "1000", "pods": "1000"})):
        node.label({"example.com/zone": f"zone-{zone}"})
    made = burst(
        60,
        scheduler=custom_scheduler,
        mix={
            "plain": {"share": 2},
            "spread": {"labels": {"app": "a"}, "spread": [spread_over("example.com/zone", {"app": "a"})]},
        },
        backlog={
            "too-large": {"count": 5, "requests": {"cpu": "5000"}},
            "gated": {"count": 5, "spec": {"schedulingGates": [{"name": "example.com/quota"}]}},
        },
    )
    measured = expect(made).bound()
    assert (measured.pods, measured.kinds.keys()) == (60, {"plain", "spread"})
    spread = pods.select({"schedtest.dev/kind": "spread"}, count=20)
    assert sorted(Counter(expect(pod).bound() for pod in spread).values()) == [6, 7, 7]
    large, *_ = pods.select({"schedtest.dev/kind": "too-large"}, count=5)
    expect(large).pending(rejected_by="NodeResourcesFit")
    gated, *_ = pods.select({"schedtest.dev/kind": "gated"}, count=5)
    expect(gated).held_back(by="SchedulingGates")


@pytest.mark.requires("resize")
def test_backlog_that_is_bound_fails_the_burst(custom_scheduler, nodes, burst, expect):
    nodes.claim(2, capacity={"cpu": "90", "pods": "90"})
    made = burst(20, scheduler=custom_scheduler, backlog={"fits": {"count": 5}})
    with pytest.raises(ExpectationError, match="of its backlog, which is to stay pending, burst-1-backlog-0000"):
        expect(made).bound()


#: what comes and goes while a burst is bound: a pod that fits no node, a node, and a Service
PASSING = [
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "too-large"},
        "spec": {"containers": [{"name": "c", "image": "pause", "resources": {"requests": {"cpu": "5000"}}}]},
    },
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "passing"}},
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "passing"},
        "spec": {"selector": {"app": "a"}, "ports": [{"port": 80}]},
    },
]


def left_of_a_churn(objects):
    return [each for kind in ("Pod", "Node", "Service") for each in objects.select(kind) if "-burst-" in each.name]


@pytest.mark.requires("resize")
@pytest.mark.parametrize("mode", ["recreate", "create"])
def test_burst_is_bound_while_others_come_and_go(custom_scheduler, nodes, objects, burst, expect, mode):
    claimed = nodes.claim(2, capacity={"cpu": "1000", "pods": "1000"})
    made = burst(200, scheduler=custom_scheduler, churn={"every": 0.05, "objects": PASSING, "mode": mode})
    measured = expect(made).bound()
    assert measured.pods == 200
    assert measured.churn_rounds >= 1
    assert {node for _, node in made.run.bound.values()} <= {node.name for node in claimed}
    assert left_of_a_churn(objects) == []


@pytest.mark.requires("resize")
def test_burst_that_is_bound_before_a_round_of_its_churn_says_nothing(custom_scheduler, nodes, objects, burst, expect):
    nodes.claim(2, capacity={"cpu": "1000", "pods": "1000"})
    made = burst(5, scheduler=custom_scheduler, churn={"every": 1000, "objects": PASSING})
    with pytest.raises(InconclusiveError, match="bound before its churn had a round"):
        expect(made).bound()
    assert left_of_a_churn(objects) == []


def test_churn_that_the_api_server_refuses(burst):
    refused = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}
    with pytest.raises(UsageError, match="containers"):
        burst(100, churn={"objects": [refused]})


def test_pods_that_are_deleted_are_not_waited_for(nodes, pods, burst, expect):
    nodes.claim(1)
    made = burst(5, scheduler="not-there")
    pods.select({"schedtest.dev/burst": made.name})[0].delete()
    with pytest.raises(ExpectationError, match="1 were deleted without having been bound"):
        expect(made).bound()


def test_burst_that_the_api_server_refuses(burst):
    with pytest.raises(UsageError, match="no PriorityClass with name there-is-none"):
        burst(100, priority_class="there-is-none")
