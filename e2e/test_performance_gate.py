"""A scheduler that became slower fails its gate, one that did not passes, and noise is no verdict.

One pod after the other is looked at on one node after the other (``parallelism``), so that a millisecond for each node
shows on a few of them.
"""

import pytest

from schedtest import ExpectationError, ForkedScheduler, InconclusiveError, KubeScheduler, UsageError

pytestmark = pytest.mark.requires("resize", "processes")

#: pods of a measurement
PODS = 40


def configuration(name):
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "parallelism": 1,
        "profiles": [{"schedulerName": name}],
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
def burst(nodes, pods, stock):
    nodes.claim(5, capacity={"cpu": "1000", "pods": "1000"})
    return pods.burst(PODS, scheduler=stock)


def test_slower_scheduler_fails(slow, stock, burst, expect):
    with pytest.raises(ExpectationError, match=r"(?s)slow: slower\n.*at least as fast as stock.*throughput: 0\.\d+"):
        expect(slow).at_least_as_fast_as(stock, on=burst, by=0.3, metrics=("throughput",), alpha=0.05)


def test_equal_scheduler_passes_and_is_a_baseline_for_another_day(equal, stock, burst, expect, tmp_path):
    saved = tmp_path / "equal.json"
    terms = {"by": 0.9, "power": 0.8, "metrics": ("cpu",)}
    result = expect(equal).at_least_as_fast_as(stock, on=burst, save=saved, **terms)
    assert result.n >= 3
    assert 0.5 < result.metrics[0].ratio < 2
    with pytest.raises(UsageError, match="was measured with a reference on another day; name it"):
        expect(equal).at_least_as_fast_as(saved, on=burst)


def test_too_few_pairs_are_no_verdict(equal, stock, burst, expect):
    with pytest.raises(InconclusiveError, match="not decided after 1 pair"):
        expect(equal).at_least_as_fast_as(stock, on=burst, most=1)
    assert not equal.down
    assert not stock.down


def test_scheduler_is_not_compared_with_itself(stock, burst, expect):
    with pytest.raises(UsageError, match="stock cannot be compared with itself"):
        expect(stock).at_least_as_fast_as(stock, on=burst)
