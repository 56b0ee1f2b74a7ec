"""A pod that waits behind a gate is not changed by any component; one that annotates it is found out."""

import pytest

from schedtest import ExpectationError

pytestmark = pytest.mark.bound_only

GATED = {"schedulingGates": [{"name": "example.com/not-yet"}]}


def test_pod_behind_a_gate_is_unchanged(pods, expect):
    expect(pods.create(spec=GATED)).unchanged()


def test_annotation_is_a_change(pods, expect):
    pod, mark = pods.create(spec=GATED), expect.mark()
    pod.patch({"metadata": {"annotations": {"example.com/device": "0"}}})  # as a component would do
    with pytest.raises(ExpectationError, match=r"metadata\.annotations\.example\.com/device: absent -> '0'"):
        expect(pod).unchanged(since=mark)


def test_rejection_is_a_change(nodes, pods, expect):
    nodes.claim(1)
    pod = pods.create(node_selector={"no": "such"})
    with pytest.raises(ExpectationError, match=r"status\.conditions: .* 'PodScheduled'"):
        expect(pod).unchanged()


def test_change_that_is_put_back_is_a_change(pods, expect):
    pod, mark = pods.create(spec=GATED), expect.mark()
    for value in ("0", None):
        pod.patch({"metadata": {"annotations": {"example.com/device": value}}})
    with pytest.raises(ExpectationError, match=r"metadata\.annotations\.example\.com/device: absent -> '0'"):
        expect(pod).unchanged(since=mark)
