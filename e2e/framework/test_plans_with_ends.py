"""Plans in which pods end late, and pods and nodes come again under their names, on the real control plane."""

import pytest

from schedtest.properties import Plan, laws

pytestmark = pytest.mark.requires("more-nodes", "resize")

HELD = """
nodes: [{metadata: {name: n1}, status: {allocatable: {pods: '1'}}}]
objects: [{kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: high}, value: 100}]
pods: [{metadata: {name: p1, finalizers: [example.com/hold]}}]
steps:
"""


def places(history):
    """Return the nodes of the pods at each rest."""
    return [
        {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in episode.after.pods}
        for episode in history.episodes
    ]


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        (
            "[{create: {metadata: {name: p2}}}, {delete: p1}, {release: p1}]",
            [{"p1": "n1", "p2": ""}, {"p1": "n1", "p2": ""}, {"p2": "n1"}],
        ),
        (
            "[{create: {metadata: {name: p2}, spec: {priorityClassName: high}}}, {release: p1}]",
            [{"p1": "n1", "p2": ""}, {"p2": "n1"}],
        ),
        (
            "[{release: p1}, {delete: p1}, {create: {metadata: {name: p1}, spec: {nodeSelector: {a: b}}}}]",
            [{"p1": "n1"}, {}, {"p1": ""}],
        ),
        (
            (
                "[{remove: n1}, {add: {metadata: {name: n1}, status: {allocatable: {pods: '1'}}}},"
                " {create: {metadata: {name: p2}}}, {resize: {node: n1, allocatable: {pods: '2'}}}]"
            ),
            [{"p1": "n1"}, {"p1": "n1"}, {"p1": "n1", "p2": ""}, {"p1": "n1", "p2": "n1"}],
        ),
    ],
    ids=["a deletion is held", "a preemption is held", "a pod comes again", "a node is replaced"],
)
def test_scheduler_waits_for_the_end_of_what_is_deleted(play, steps, wanted):
    played = play(Plan.from_yaml(HELD.rstrip() + f" {steps}\n"))
    assert places(played.history)[1:] == wanted
    played.keeps(laws.all())


def test_a_deletion_names_the_controller_that_evicts(play):
    """The laws rely on the mark: a taint's eviction may come after the next rest."""
    history = play(
        Plan.from_yaml(
            """
            nodes: [{metadata: {name: n1}}]
            pods: [{metadata: {name: p1}}]
            steps: [{taint: {node: n1, taints: [{key: t, value: x, effect: NoExecute}]}}]
            """
        )
    ).history
    moves = [(move.node, move.mark) for episode in history.episodes for move in episode.moves]
    assert moves == [("n1", ""), ("", "DeletionByTaintManager")]
