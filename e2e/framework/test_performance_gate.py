"""A scheduler that became slower fails its gate, one that did not passes, and noise is no verdict.

One pod after the other is looked at on one node after the other (``parallelism``), so that a millisecond for each node
shows on a few of them.
"""

import re

import pytest

from schedtest import ExpectationError, ForkedScheduler, InconclusiveError, KubeScheduler, UsageError
from toy_component import toy

pytestmark = pytest.mark.requires("resize", "processes")

#: pods of a measurement
PODS = 40


#: pods that look at each other, on whichever node they are, for many reasons
APART = {
    "podAntiAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": weight,
                "podAffinityTerm": {
                    "topologyKey": "kubernetes.io/hostname",
                    "labelSelector": {"matchLabels": {"app": "apart"}},
                },
            }
            for weight in range(1, 81)
        ]
    }
}


def configuration(name, **profile):
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "parallelism": 1,
        "profiles": [{"schedulerName": name, **profile}],
    }


@pytest.fixture(scope="module")
def stock(install):
    return install(KubeScheduler("stock", config=configuration("stock"), verbosity=0))


@pytest.fixture(scope="module")
def equal(install):
    return install(KubeScheduler("equal", config=configuration("equal"), verbosity=0))


@pytest.fixture(scope="module")
def slow(install):
    patch = "manifests/forks/sleeps-in-filter.patch"
    return install(ForkedScheduler("slow", patch=patch, config=configuration("slow"), verbosity=0))


@pytest.fixture
def made(nodes, stock, burst):
    nodes.claim(5, capacity={"cpu": "1000", "pods": "1000"})
    return burst(PODS, scheduler=stock)


def test_slower_scheduler_fails(slow, stock, made, expect):
    with pytest.raises(ExpectationError, match=r"(?s)slow: slower\n.*at least as fast as stock.*throughput: 0\.\d+"):
        expect(slow).at_least_as_fast_as(stock, on=made, by=0.3, metrics=("throughput",), alpha=0.05)


def test_equal_scheduler_passes_and_is_said_to_be_the_same(equal, stock, made, expect):
    result = expect(equal).at_least_as_fast_as(
        stock, on=made, by=0.9, power=0.8, metrics=("throughput", "latency", "cpu"), at_least=3
    )
    assert result.n >= 3
    assert 0.1 < result.metrics[0].ratio < 10  # as claimed; a busy machine holds up one of a few measurements
    assert result.message.startswith("candidate and baseline are the same program with the same configuration")


def test_another_configuration_is_another_scheduler(equal, install, stock):
    chatty = install(KubeScheduler("chatty", config=configuration("chatty"), verbosity=5))
    assert equal.identity == stock.identity
    assert chatty.identity.program == stock.identity.program
    assert chatty.identity.configuration != stock.identity.configuration


def test_file_is_no_baseline(equal, made, expect):
    with pytest.raises(UsageError, match="Install that release beside this one, and name it"):
        expect(equal).at_least_as_fast_as("speed/release.json", on=made)


@pytest.mark.parametrize("fault", ["ThinksFirst", "LeavesLastPod"])
def test_waiting_fails_before_the_first_binding_and_before_the_last(install, nodes, burst, expect, fault):
    """What shows neither between the first binding and the last, nor in the CPU time."""
    nodes.claim(2, capacity={"cpu": "90", "pods": "90"})
    slow, fast = install(toy("slow-toy", fault)), install(toy("fast-toy"))
    made = burst(20, scheduler=fast)
    with pytest.raises(ExpectationError, match=r"slower\n(.*\n)*.*throughput: 0\.\d+ times"):
        expect(slow).at_least_as_fast_as(fast, on=made, metrics=("throughput",), by=0.3, alpha=0.3)


def test_too_few_pairs_are_no_verdict(equal, stock, made, expect):
    with pytest.raises(InconclusiveError, match="not decided after 1 pair"):
        expect(equal).at_least_as_fast_as(stock, on=made, most=1)
    assert not equal.down
    assert not stock.down


def test_scheduler_is_not_compared_with_itself(stock, made, expect):
    with pytest.raises(UsageError, match="stock cannot be compared with itself"):
        expect(stock).at_least_as_fast_as(stock, on=made)


def test_function_that_makes_it_slower_is_named(install, nodes, burst, expect):
    """One of two equal schedulers runs a plugin that the other one does not."""
    without = {"plugins": {"multiPoint": {"disabled": [{"name": "InterPodAffinity"}]}}}
    less = install(KubeScheduler("less", config=configuration("less", **without), verbosity=0))
    more = install(KubeScheduler("more", config=configuration("more"), verbosity=0))
    nodes.claim(5, capacity={"cpu": "1000", "pods": "1000"})
    made = burst(300, scheduler=less, labels={"app": "apart"}, affinity=APART)
    with pytest.raises(InconclusiveError) as caught:
        expect(more).at_least_as_fast_as(less, on=made, most=1)
    functions = re.findall(r"^ +([\d.]+) +([\d.]+)  (\S+)$", str(caught.value), re.MULTILINE)
    assert 1 <= len(functions) <= 8, caught.value
    guilty = [each for each in functions if "plugins/interpodaffinity." in each[2]]
    assert guilty
    assert all(float(candidate) > float(baseline) == 0 for candidate, baseline, _ in guilty)


def test_equal_schedulers_have_no_guilty_function(equal, stock, made, expect):
    with pytest.raises(InconclusiveError, match="CPU by function in ms per pod") as caught:
        expect(equal).at_least_as_fast_as(stock, on=made, most=1)
    assert "interpodaffinity" not in str(caught.value)


def test_without_a_profile_the_gate_says_why(install, stock, made, expect):
    config = {**configuration("unprofiled"), "enableProfiling": False}
    unprofiled = install(KubeScheduler("unprofiled", config=config, verbosity=0))
    with pytest.raises(InconclusiveError, match="CPU by function: not known: unprofiled serves no profile"):
        expect(unprofiled).at_least_as_fast_as(stock, on=made, most=1)


def test_scheduler_that_is_none_of_kubernetes_has_no_profile(install, nodes, burst, expect):
    nodes.claim(2, capacity={"cpu": "90", "pods": "90"})
    one, other = install(toy("one-toy")), install(toy("other-toy"))
    made = burst(20, scheduler=other)
    with pytest.raises(
        InconclusiveError, match="CPU by function: not known: one-toy serves something else than a CPU profile"
    ):
        expect(one).at_least_as_fast_as(other, on=made, metrics=("throughput",), most=1)
