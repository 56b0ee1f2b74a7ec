"""Pods that wait together are bound in the order of their priorities.

The ages of pods that were made before kube-scheduler started decide nothing from 1.35 on: it lists them in any order.
"""

import re

import pytest

from schedtest import ExpectationError, InconclusiveError, KubeScheduler

pytestmark = pytest.mark.bound_only


@pytest.fixture(scope="module")
def scheduler(install):
    return install(KubeScheduler("ordering"))


@pytest.fixture
def waiting(scheduler, pods, nodes):
    """Three pods of rising priority, and one as old and low as can be, that waited while their scheduler was down."""
    nodes.claim(1)
    levels = [pods.priority_class(name, value) for name, value in (("low", 1), ("mid", 2), ("high", 3))]
    scheduler.kill()
    low, mid, high = (pods.create(scheduler=scheduler, priority_class=level) for level in levels)
    scheduler.restart()
    return [high, mid, low]


def test_highest_priority_comes_first(waiting, expect):
    assert len(expect(waiting).bound_in_order()) == 3


def test_wrong_order_is_noticed(waiting, expect):
    """The pair is named, with its times."""
    high, mid, _ = waiting
    with pytest.raises(ExpectationError) as failure:
        expect([mid, high]).bound_in_order()
    times = r"-> \S+ +\(made at \+(\S+) s, taken up at \+(\S+) s, bound at \+\S+ s\)"
    seen = re.search(rf"seen: +{mid} {times} was bound after {high} {times}\n", str(failure.value))
    assert seen, failure.value
    assert float(seen[2]) > float(seen[4])


def test_pods_that_never_waited_together_are_in_no_order(scheduler, pods, nodes, expect):
    nodes.claim(1)
    first = pods.create(scheduler=scheduler)
    expect(first).bound()
    with pytest.raises(InconclusiveError, match="was decided about before its scheduler knew of"):
        expect([first, pods.create(scheduler=scheduler)]).bound_in_order()
    important = pods.create(scheduler=scheduler, priority_class=pods.priority_class("high", 1000))
    expect(important).bound()
    with pytest.raises(InconclusiveError, match="was decided about before its scheduler knew of"):
        expect([important, first]).bound_in_order()
