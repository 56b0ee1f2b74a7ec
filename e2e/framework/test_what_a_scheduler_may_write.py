"""``laws.restraint``: a scheduler writes bindings, evictions, and what it says of its pods; all else breaks the law.

A plan shows it whatever the end is: what was changed and taken back counts, too.
"""

import re

import pytest

from schedtest import ExpectationError
from schedtest.properties import Plan, laws
from toy_component import MEDDLING, toy

pytestmark = pytest.mark.requires("processes", "more-nodes", "resize")

#: seconds that a pod has to be bound: many rounds of these schedulers, which do not back off
SOON = 1

PLAN = Plan.from_yaml("""
nodes:
- metadata: {name: n1}
- {metadata: {name: n2}, spec: {taints: [{key: a, effect: NoSchedule}]}}
- {metadata: {name: n3}, spec: {unschedulable: true}}
pods:
- {metadata: {name: p1, labels: {app: a}}}
- {metadata: {name: p2}, spec: {nodeSelector: {disk: ssd}}}
- {metadata: {name: p3}, spec: {schedulingGates: [{name: example.com/g}]}}
- {metadata: {name: p4}, spec: {schedulerName: another}}
steps:
- create: {metadata: {name: p5}}
""")

#: every change that a plan can make, which are not the scheduler's
ALL_STEPS = Plan.from_yaml("""
nodes:
- {metadata: {name: n1, labels: {disk: ssd}}, status: {allocatable: {cpu: '1'}}}
- metadata: {name: n2}
pods:
- {metadata: {name: p1, labels: {app: a}}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
- {metadata: {name: p2}, spec: {nodeSelector: {disk: hdd}}}
- {metadata: {name: p3}, spec: {schedulingGates: [{name: example.com/g}], nodeSelector: {disk: hdd}}}
- {metadata: {name: p4}, spec: {nodeName: n2}}
steps:
- label: {pod: p1, labels: {app: null}}
- label: {node: n1, labels: {disk: nvme}}
- label: {namespace: ns1, labels: {a: b}}
- taint: {node: n1, taints: [{key: a, effect: NoSchedule}]}
- taint: {node: n2, taints: [{key: a, effect: NoExecute}]}
- cordon: n1
- uncordon: n1
- resize: {node: n1, allocatable: {cpu: '2'}}
- lift: {pod: p3, gate: example.com/g}
- add: {metadata: {name: n3, labels: {disk: nvme}}}
- create: {metadata: {name: p5}}
- delete: p5
- remove: n3
- restart: scheduler
""")

MEDDLERS = [
    ("OpensNodes", r"spec.taints.a:NoSchedule of the node n2 was changed: '' became nothing"),
    ("LabelsNodes", r"metadata.labels.disk of the node n\d was changed: nothing became 'ssd'"),
    ("AnnotatesNodesForAMoment", r"metadata.annotations.example.com/lock of the node n\d was changed"),
    ("EnlargesNodes", r"status.allocatable.cpu of the node n\d was changed: '32' became '64'"),
    ("DeletesNodes", r"the node n\d was deleted"),
    ("RelabelsPods", r"metadata.labels.seen-by of the pod p\d was changed: nothing became 'broken'"),
    ("RelabelsWhatItBinds", r"metadata.labels.app of the pod p1 was changed: 'a' became nothing"),
    ("AnnotatesByItsBinding", r"metadata.annotations.example.com/by of the pod p1 was changed"),
    ("ToleratesEverything", r"spec.tolerations of the pod p\d was changed"),
    ("LiftsGates", r"spec.schedulingGates of the pod p3 was changed"),
    ("HoldsRoomByPods", r"a pod holder-\w+ was created"),
    ("LabelsNamespaces", r"metadata.labels.used-by of the namespace ns1 was changed"),
    ("SetsOwnCondition", r"status.conditions.example.com/Queued of the pod p\d was changed"),
    ("RejectsPodsOfOthers", r"status.conditions.PodScheduled of the pod p4 was changed"),
]


@pytest.mark.parametrize(("fault", "words"), MEDDLERS, ids=[each[0] for each in MEDDLERS])
def test_scheduler_that_writes_what_it_may_not_is_caught(fault, words, install, play):
    broken = install(toy("broken", fault, rights=MEDDLING))
    found = play(PLAN, scheduler=broken, patience=SOON).broken([laws.restraint])
    assert any(re.match(f"{words}.*, which no scheduler may write", each.words) for each in found), found


def test_failure_says_what_was_written(install, play):
    broken = install(toy("broken", "RelabelsWhatItBinds", rights=MEDDLING))
    with pytest.raises(ExpectationError, match=r"breaks a law: restraint: metadata.labels.app of the pod p1 was"):
        play(PLAN, scheduler=broken, patience=SOON).keeps(laws.restraint)


def test_plan_s_own_changes_are_not_the_scheduler_s(play):
    """Control: stock kube-scheduler writes nothing else, whatever a plan, controllers and simulated nodes do."""
    for plan in (PLAN, ALL_STEPS):
        play(plan).keeps(laws.restraint)


def test_healthy_scheduler_writes_what_it_may(install, play):
    play(PLAN, scheduler=install(toy("healthy"))).keeps(laws.restraint)


def test_pod_that_waits_is_not_deleted_by_its_scheduler(install, play):
    broken = install(toy("broken", "DeletesUnplaceable"))
    (found,) = play(PLAN, scheduler=broken, patience=SOON).broken([laws.soundness])
    assert found.words == "p2 was deleted, and it waited for a node"
