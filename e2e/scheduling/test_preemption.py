"""A pod of higher priority takes the place of others."""

import pytest

pytestmark = pytest.mark.requires("resize")


def test_higher_priority_preempts_a_lower_one(pods, nodes, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    low, high = pods.priority_class("low", 10), pods.priority_class("high", 1000)
    victim = pods.create("victim", requests={"cpu": "2"}, priority_class=low)
    expect(victim).running()
    important = pods.create("important", requests={"cpu": "2"}, priority_class=high)
    expect(victim).preempted(by=important)
    expect(important).bound_to(node)


def test_the_cheapest_victim_is_taken(pods, nodes, expect):
    """Of two nodes that could be cleared, the one whose victim has the lower priority is."""
    nodes.claim(2, capacity={"cpu": "2"})
    low, middle, high = (pods.priority_class(name, value) for name, value in (("low", 1), ("mid", 2), ("high", 3)))
    cheap = pods.create("cheap", requests={"cpu": "2"}, priority_class=low)
    dear = pods.create("dear", requests={"cpu": "2"}, priority_class=middle)
    freed, kept = expect(cheap).running(), expect(dear).running()
    important = pods.create("important", requests={"cpu": "2"}, priority_class=high)
    expect(cheap).preempted(by=important)
    assert expect(important).bound() == freed
    assert expect(dear).running() == kept
