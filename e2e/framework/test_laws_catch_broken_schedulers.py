"""Each law of ``schedtest.properties`` catches a scheduler that breaks it, and no healthy one.

The schedulers are those of ``toy_faults.py``. The healthy one knows CPU, taints, cordons, ``nodeSelector`` and node
affinity with ``In``, so the plans have nothing else.
"""

import re

import pytest

from schedtest import ExpectationError, InconclusiveError, UsageError
from schedtest.properties import Plan, laws
from toy_component import toy

pytestmark = pytest.mark.requires("processes", "more-nodes", "resize")

#: seconds that a pod has to be bound: many rounds of these schedulers, which do not back off
SOON = 1

FULL = """
nodes:
- {metadata: {name: n1}, status: {allocatable: {cpu: '1'}}}
- {metadata: {name: n2}, spec: {taints: [{key: a, effect: NoSchedule}]}}
pods:
- {metadata: {name: p1}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
- {metadata: {name: p2}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
"""

EXACTLY_FULL = """
nodes:
- {metadata: {name: n1}, status: {allocatable: {cpu: '1'}}}
pods:
- {metadata: {name: p1}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
"""

ONE_OF_TWO_WAITS = """
nodes:
- metadata: {name: n1}
pods:
- {metadata: {name: p1}, spec: {nodeSelector: {disk: ssd}}}
- {metadata: {name: p2}}
"""

WAITS_FOR_A_LABEL = """
nodes:
- metadata: {name: n1}
pods:
- {metadata: {name: p1}, spec: {nodeSelector: {disk: ssd}}}
- {metadata: {name: p2}}
steps:
- label: {node: n1, labels: {disk: ssd}}
"""

A_GANG = """
nodes:
- metadata: {name: n1}
pods:
- {metadata: {name: p1}}
steps:
- create: {metadata: {name: p2, labels: {gang: g}}}
"""

ASKS_FOR_A_LABEL = """
nodes:
- metadata: {name: n1}
pods:
- {metadata: {name: p1}, spec: {nodeSelector: {disk: ssd}}}
"""

ONE_TOO_MANY = """
nodes:
- {metadata: {name: n1}, status: {allocatable: {cpu: '1'}}}
pods:
- {metadata: {name: p1}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
- {metadata: {name: p2}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
"""

SECOND_NODE_ONLY = """
nodes:
- metadata: {name: n1}
- {metadata: {name: n2, labels: {disk: ssd}}}
pods:
- {metadata: {name: p1}, spec: {nodeSelector: {disk: ssd}}}
"""

BROKEN = [
    ("IgnoresTaints", FULL, laws.soundness, r"soundness: .*bound to n2.*\n +n2: TaintToleration refuses"),
    ("IgnoresRequests", FULL, laws.soundness, r"soundness: .*bound to n1.*\n +n1: NodeResourcesFit refuses"),
    ("NeedsRoomToSpare", EXACTLY_FULL, laws.completeness, r"completeness: .*p\d fits n1.*stays pending"),
    ("NeverRetries", WAITS_FOR_A_LABEL, laws.liveness, r"liveness: after: label node/n1: p1 fits n1.*a restarted"),
    (
        "ReportsNothing",
        ONE_OF_TWO_WAITS,
        laws.honesty,
        r"honesty: p\d is not bound, and its condition PodScheduled is None",
    ),
    ("Crashes", A_GANG, laws.no_crash, r"no crash: .*ended by itself(.*\n)*.*KeyError: 'gang'"),
    ("TriesWithoutPause", ONE_OF_TWO_WAITS, laws.no_crash, r"no crash: p\d was tried \d+ times in vain, and only"),
    (
        "IgnoresNodeAffinity",
        ASKS_FOR_A_LABEL,
        laws.Indifference(only="its nodeSelector as node affinity"),
        r"indifference: p1 is left pending and, with its nodeSelector as node affinity, bound",
    ),
]


@pytest.fixture(scope="module")
def healthy(install):
    return install(toy("healthy"))


@pytest.mark.parametrize("plan", [FULL, WAITS_FOR_A_LABEL], ids=["full", "waits for a label"])
def test_healthy_scheduler_keeps_all_laws(plan, healthy, play):
    play(Plan.from_yaml(plan), scheduler=healthy).keeps([*laws.all(), laws.indifference])


def test_pod_that_is_tried_once_for_each_reason_is_not_tried_too_often(install, play):
    logging = install(toy("logging", "LogsAttempts"))
    played = play(Plan.from_yaml(ONE_OF_TWO_WAITS), scheduler=logging)
    assert played.history.tries["p1"].rejected >= 1
    played.keeps(laws.no_crash)


@pytest.mark.parametrize(("fault", "plan", "law", "words"), BROKEN, ids=[each[0] for each in BROKEN])
def test_broken_scheduler_is_caught(fault, plan, law, words, install, play):
    broken = install(toy("broken", fault))
    with pytest.raises(ExpectationError, match=words) as caught:
        play(Plan.from_yaml(plan), scheduler=broken, patience=SOON).keeps(law)
    said = str(caught.value)
    assert f"breaks a law: {law.name}" in said
    assert "confirmed 3 of 3 times" in said
    assert fault == "Crashes" or re.search(r"timeline of p\d:\n(.*\n)* +\+ +\d+\.\d+ s  ", said), said
    assert "def test_" in said


def test_scheduler_that_knows_no_taints_meets_no_node_but_the_plan_s(install, play):
    careless = install(toy("careless", "IgnoresTaints"))
    for plan in (ONE_TOO_MANY, SECOND_NODE_ONLY, ONE_TOO_MANY):
        play(Plan.from_yaml(plan), scheduler=careless).keeps([laws.soundness, laws.completeness])


def test_binding_after_the_last_rest_is_judged_too(install, play):
    broken = install(toy("broken", "BindsRejected"))
    with pytest.raises(ExpectationError, match=r"soundness: .*p1 was bound to n1.*\n +n1: NodeAffinity refuses"):
        play(Plan.from_yaml(ASKS_FOR_A_LABEL), scheduler=broken).keeps(laws.soundness)


FIRST_WAITS = """
nodes: [{metadata: {name: n1}}]
objects: [{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 10}]
pods:
- {metadata: {name: p1}, spec: {nodeSelector: {disk: ssd}, priorityClassName: high}}
steps: [create: {metadata: {name: p2}}]
"""


def test_own_conditions_are_no_reason_to_try_again(install, play):
    broken = install(toy("broken", "TriesWithoutPauseAndSaysSo"))
    (found,) = play(Plan.from_yaml(FIRST_WAITS), scheduler=broken).broken([laws.no_crash])
    assert re.fullmatch(r"p1 was tried \d+ times in vain, and only \d changes of .*", found.words)


@pytest.mark.parametrize("number", [12, 13, 30])
def test_capacity_is_judged_whatever_the_number_of_pods(number, install, play):
    request = "spec: {containers: [{name: main, resources: {requests: {cpu: 100m}}}]}"
    pods = "\n".join(f"- {{metadata: {{name: p{at}}}, {request}}}" for at in range(number))
    allocatable = f"status: {{allocatable: {{cpu: {number - 1}00m}}}}"
    plan = Plan.from_yaml(f"nodes: [{{metadata: {{name: n1}}, {allocatable}}}]\npods:\n{pods}\n")
    careless = install(toy("careless", "IgnoresRequests"))
    (found,) = play(plan, scheduler=careless).broken([laws.soundness])
    assert found.rules == ("NodeResourcesFit",)
    play(plan).keeps(laws.soundness)


WITH_A_PLACED_POD = """
nodes: [{metadata: {name: n1}}]
pods:
- {metadata: {name: p1}, spec: {containers: [{name: main, ports: [{containerPort: 80, hostPort: 80}]}]}}
- {metadata: {name: p2}, spec: {nodeName: n1, containers: [{name: main, ports: [{containerPort: 80, hostPort: 80}]}]}}
"""


def test_scheduler_knows_of_placed_pods_before_others_come(play):
    for _ in range(12):
        play(Plan.from_yaml(WITH_A_PLACED_POD)).keeps(laws.all())


NOTHING_FITS = """
nodes: [{metadata: {name: n1}}]
pods: [{metadata: {name: p1}, spec: {nodeSelector: {disk: ssd}}}]
"""


class TestSchedulerThatDoesNotDecide:
    """It keeps a law by nothing that it has left undone."""

    @pytest.mark.parametrize("law", [laws.soundness, laws.honesty, laws.restraint, laws.no_crash, laws.completeness])
    def test_it_keeps_no_law_by_doing_nothing(self, law, install, play):
        idle = install(toy("idle", "DoesNothing"))
        with pytest.raises(InconclusiveError, match="nothing shows that idle has tried p1, which waits"):
            play(Plan.from_yaml(NOTHING_FITS), scheduler=idle, patience=SOON).keeps(law)

    def test_it_breaks_a_law_where_a_pod_fits(self, install, play):
        idle = install(toy("idle", "DoesNothing"))
        found = play(Plan.from_yaml(EXACTLY_FULL), scheduler=idle, patience=SOON).broken(laws.all())
        assert {each.law for each in found} == {"completeness"}

    def test_one_that_only_says_nothing_goes_on(self, install, play):
        """Control: it says nothing of a pod that it rejects, and binds another one."""
        silent = install(toy("silent", "ReportsNothing"))
        play(Plan.from_yaml(NOTHING_FITS), scheduler=silent, patience=SOON).keeps(laws.all())

    def test_one_that_is_not_installed_is_a_mistake(self, play):
        with pytest.raises(UsageError, match=r"no scheduler serves the name nobody; installed are: .*default"):
            play(Plan.from_yaml(NOTHING_FITS), scheduler="nobody")
