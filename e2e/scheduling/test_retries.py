"""A pod that waits is tried again when something happens that may help it, and not otherwise; silence is no proof."""

import pytest

from schedtest import ExpectationError, InconclusiveError
from toy_component import toy

#: what others change in a shared cluster has a pod tried again
pytestmark = [pytest.mark.bound_only, pytest.mark.requires("whole-cluster")]


@pytest.fixture
def waiting(nodes, pods, expect):
    """A node without the label that a pod wants, and the pod, which was rejected."""
    (node,) = nodes.claim(1)
    pod = pods.create(node_selector={"disk": "ssd"})
    expect(pod).stays_pending(message="didn't match Pod's node affinity/selector")
    return node, pod


def test_change_that_may_help_has_the_pod_tried_again(waiting, expect):
    node, pod = waiting
    node.label({"disk": "ssd"})
    assert "after: node " in expect(pod).retried()
    expect(pod).bound_to(node)


def test_change_that_cannot_help_does_not(waiting, expect):
    node, pod = waiting
    node.annotate({"disk": "ssd"})
    assert "made later" in expect(pod).not_retried()
    with pytest.raises(ExpectationError, match=r"wanted: tried again since: node .*: annotate\n") as caught:
        expect(pod, timeout=1).retried()
    assert "  hint:   its scheduler has not tried it since the test's changes (node " in str(caught.value)
    assert ": annotation disk=ssd" in str(caught.value)


def test_claim_that_it_was_not_tried_fails_if_it_was(waiting, expect):
    node, pod = waiting
    node.label({"disk": "ssd"})
    with pytest.raises(ExpectationError, match=r"its scheduler's log has an attempt"):
        expect(pod).not_retried()


def test_attempts_are_counted(waiting, expect):
    node, pod = waiting
    assert "has 1 attempt since: its creation" in expect(pod).tried(at_most=1)
    mark = expect.mark()
    node.label({"disk": "ssd"})
    expect(pod).bound_to(node)
    assert "has 1 attempt since: the mark" in expect(pod).tried(at_most=1, since=mark)
    with pytest.raises(ExpectationError, match=r"seen: +its scheduler's log has 1 attempt since"):
        expect(pod).tried(at_least=2, since=mark)


@pytest.fixture
def waiting_for_another_make(install, nodes, pods, expect):
    """Return a node and a pod as above, for a scheduler that is not kube-scheduler, with a fault or without."""

    def waits(fault):
        (node,) = nodes.claim(1)
        pod = pods.create(scheduler=install(toy(f"toy-{fault.lower()}", fault)), node_selector={"disk": "ssd"})
        expect(pod).pending()
        return node, pod

    return waits


def test_what_a_scheduler_of_another_make_reports_shows_that_it_has_tried_it(waiting_for_another_make, expect):
    node, pod = waiting_for_another_make("Toy")
    node.label({"disk": "ssd"})
    assert ": label" in expect(pod).retried()


@pytest.mark.parametrize("claim", ["retried", "not_retried"])
def test_silence_of_a_scheduler_of_another_make_shows_nothing(waiting_for_another_make, expect, claim):
    node, pod = waiting_for_another_make("NeverRetries")
    node.label({"disk": "ssd"})
    with pytest.raises(InconclusiveError, match=r"has reported nothing of it since|no log says whether"):
        getattr(expect(pod, timeout=3), claim)()
