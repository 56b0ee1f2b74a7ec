"""Differences between the screen and a control plane: legal are those that kube-scheduler decides by chance or time."""

import pytest

from benchmarks.agreement import Reason, difference, in_order
from schedtest.features.properties.history import Episode, History, Move
from schedtest.features.properties.plan import AT_THE_END, Plan
from schedtest.features.screen.screen import Find, PlanAnswer
from schedtest.model.reference_model import ClusterState

PLAN = Plan.from_yaml("""
nodes: [{metadata: {name: n1}}]
pods: [{metadata: {name: p1}}, {metadata: {name: p2}}, {metadata: {name: p3}}]
steps: [{delete: p1}]
""")


def state(places, priorities):
    pods = [
        {"metadata": {"name": pod}, "spec": {"nodeName": node, "priority": priorities.get(pod, 0)}}
        for pod, node in places.items()
    ]
    return ClusterState(nodes=(), pods=tuple(pods))


def history(*moves, before=None, priorities=None, cause="uncordon n1", late=()):
    """Return a history with one episode, which these bindings and deletions end."""
    before, priorities = before or {}, priorities or {}
    gone = {move.pod for move in moves if not move.node}
    bound = {**before, **{move.pod: move.node for move in moves}}
    after = {pod: node for pod, node in bound.items() if pod not in gone}
    states = (state(each, priorities) for each in (before, before, after))
    return History(PLAN, (Episode(cause, *states, moves, late=dict.fromkeys(late, ("n1",))),))


def screened(*bound, before=None, best=(), finds=()):
    """Return the answer of the screen with one rest, before which these pods were bound."""
    places = {**(before or {}), **dict(bound)}
    told = [{"pod": pod, "node": node, "best": list(best)} for pod, node in bound]
    return PlanAnswer(rests=({"cause": "uncordon n1", "nodes": places, "bound": told},), finds=finds)


def test_equal_places_are_no_difference_in_whatever_order():
    moves = Move("p1", "n1", 1), Move("p2", "n2", 2)
    assert difference(history(*moves), screened(("p2", "n2"), ("p1", "n1"))) is None
    assert difference(history(*moves, cause=AT_THE_END), screened()) is None


@pytest.mark.parametrize(
    ("best", "reason"), [(["n1", "n2"], Reason.EQUAL_SCORES), (["n1"], None), ([], None)], ids=["equal", "lower", "no"]
)
def test_other_node_is_legal_if_its_score_is_the_highest(best, reason):
    found = difference(history(Move("p1", "n2", 1)), screened(("p1", "n1"), best=best))
    assert found.reason == reason
    assert f"p1 on n2 on the control plane; p1 on n1 in the screen ({reason or 'no choice of kube-sch'}" in str(found)


WAIT = {"p1": "", "p2": ""}


@pytest.mark.parametrize(
    ("before", "priorities", "reason"),
    [
        (WAIT, {}, Reason.EQUAL_PRIORITIES),
        (WAIT, {"p1": 1}, None),
        ({"p1": ""}, {}, None),
    ],
    ids=["both waited", "one has a higher priority", "one is new"],
)
def test_other_pod_is_legal_if_both_have_waited_with_the_same_priority(before, priorities, reason):
    real = history(Move("p1", "n1", 1), before=before, priorities=priorities)
    assert difference(real, screened(("p2", "n1"), before=before)).reason == reason


@pytest.mark.parametrize(
    ("real", "reason"), [([Move("p1", "n1", 1), Move("p2", "n1", 2), Move("p1", "", 3)], Reason.BACK_OFF), ([], None)]
)
def test_pod_of_lower_priority_may_go_first_if_the_other_one_preempts_it(real, reason):
    told = history(*real, before=WAIT, priorities={"p2": 1})
    found = difference(told, screened(("p2", "n1"), before=WAIT))
    assert found.reason == reason


@pytest.mark.parametrize(
    ("kind", "late", "differs"),
    [("missed requeue", ["p1"], False), ("missed requeue", ["p2"], True), ("no rest", ["p1"], True)],
)
def test_find_of_the_screen_has_to_show_on_the_control_plane(kind, late, differs):
    found = difference(history(before=WAIT, late=late), screened(before=WAIT, finds=(Find(kind, pod="p1"),)))
    assert (found is not None) == differs
    assert found is None or ("the screen alone finds" in found.words and found.reason is None)


@pytest.mark.parametrize(
    ("kind", "revives", "reason"),
    [("missed requeue", True, Reason.UNDECIDED), ("missed requeue", False, None), ("no rest", True, None)],
)
def test_find_that_the_model_does_not_decide_is_legal_if_a_restart_binds_the_pod(kind, revives, reason):
    answer = screened(before=WAIT, finds=(Find(kind, pod="p1"),))
    assert difference(history(before=WAIT), answer, lambda _: revives).reason == reason


@pytest.mark.parametrize(
    ("labels", "node", "reason"),
    [({}, "n1", Reason.REFUSED), ({"a": "b"}, "n1", None), ({}, "n2", None)],
    ids=["the model refuses", "the model allows", "another node"],
)
def test_pod_that_the_model_refuses_may_be_bound_after_the_rest(labels, node, reason):
    pod = {"metadata": {"name": "p1"}, "spec": {"nodeSelector": {"a": "b"}, "containers": [{"name": "main"}]}}
    there = {"metadata": {"name": "n1", "labels": labels}, "spec": {}, "status": {"allocatable": {"pods": "110"}}}
    waits = ClusterState((there,), (pod,))
    episodes = Episode("delete p2", waits, waits, waits), Episode("x", waits, waits, waits, (Move("p1", node, 1),))
    found = difference(History(PLAN, episodes), screened(("p1", "n1")))
    assert found.reason == reason


@pytest.mark.parametrize(("moves", "bound"), [([Move("p1", "n1", 1)], []), ([], [("p1", "n1")])])
def test_pod_that_waits_in_one_world_alone_is_never_legal(moves, bound):
    found = difference(history(*moves, before=WAIT), screened(*bound, before=WAIT))
    assert (found.rest, found.reason) == (0, None)


def test_pods_are_created_in_the_order_of_their_bindings():
    plan = in_order(PLAN, ["p3", "p1"])
    assert plan.pods == ()
    assert [str(step) for step in plan.steps] == ["create p3", "create p1", "create p2", "delete p1"]


@pytest.mark.parametrize(
    ("moves", "late", "reason"),
    [
        ([Move("p2", "n1", 1)], ["p1"], Reason.BACKED_OFF),
        ([Move("p2", "n1", 1)], [], None),
        ([], ["p1"], "no difference"),
    ],
    ids=["one is lucky", "none is late", "both are late"],
)
def test_pod_may_be_tried_after_a_change_that_another_one_misses(moves, late, reason):
    real = history(*moves, before=WAIT, late=late)
    found = difference(real, screened(before=WAIT, finds=(Find("missed requeue", pod="p1"),)))
    assert (found.reason if found else "no difference") == reason
