"""An extender's filter takes nodes away from those that passed kube-scheduler's own filters."""

import pytest

from schedtest import Extender, KubeScheduler
from schedtest.extender import labels_of

pytestmark = pytest.mark.bound_only

SLOW = "its disk is slow"

#: what the default scheduler follows, and what the extender forbids
PREFERS_TAPE = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 100,
                "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["tape"]}]},
            }
        ]
    }
}


class FastDisksOnly(Extender):
    """Reject nodes without the label ``disk: ssd``; for good, if the pod says so."""

    def filter(self, args):
        slow = {node["metadata"]["name"]: SLOW for node in args.nodes.items if labels_of(node).get("disk") != "ssd"}
        if args.pod_labels.get("slow") == "unresolvable":
            return args.reject({}, unresolvable=slow)
        return args.reject(slow)


@pytest.fixture(scope="module")
def fast_disks(extenders):
    return extenders.serve(FastDisksOnly())


@pytest.fixture(scope="module")
def filtered(install, fast_disks):
    return install(KubeScheduler("filtered", config="manifests/extenders/filter.yaml", extenders=[fast_disks.endpoint]))


def test_filter_removes_exactly_the_nodes_it_rejects(filtered, fast_disks, pods, nodes, expect):
    tape, ssd = nodes.claim(2)
    tape.label({"disk": "tape"})
    ssd.label({"disk": "ssd"})
    pod = pods.create(scheduler=filtered, affinity=PREFERS_TAPE)
    expect(pod).bound_to(ssd)
    (call,) = fast_disks.calls.of("filter", pod)
    assert sorted(call.nodes) == sorted([tape.name, ssd.name])
    assert call.result.names == [ssd.name]
    assert call.result.failed_nodes == {tape.name: SLOW}
    # Control arm: the same pod goes to the other node if no extender forbids it.
    expect(pods.create(affinity=PREFERS_TAPE)).bound_to(tape)


def test_reason_is_in_the_event_and_the_pod_comes_back_when_a_node_changes(filtered, pods, nodes, expect):
    first, second = nodes.claim(2)
    pod = pods.create(scheduler=filtered)
    expect(pod).stays_pending(rejected_by="Extender", message=f"2 {SLOW}")
    expect(pods.create()).bound_to_one_of([first, second])  # control arm
    second.label({"disk": "ssd"})
    expect(pod).bound_to(second)


@pytest.mark.parametrize(
    ("slow", "preemption"),
    [
        ("for-now", "1 No preemption victims found for incoming pod"),
        ("unresolvable", "Preemption is not helpful for scheduling"),
    ],
)
def test_unresolvable_nodes_are_left_out_of_preemption(slow, preemption, filtered, pods, nodes, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=filtered, labels={"slow": slow})
    rejection = expect(pod).pending(rejected_by="Extender", message=f"1 {SLOW}")
    assert preemption in rejection.message
    assert ("No preemption victims" in rejection.message) == (slow == "for-now")
