"""Two extenders of one scheduler: filters are called one after the other, scores are weighed and added up."""

import pytest

from schedtest import Extender, KubeScheduler
from schedtest.extender import HostPriorityList, labels_of

pytestmark = pytest.mark.bound_only


class Likes(Extender):
    """Score the nodes that carry a label as the pod's label of the same name says."""

    def __init__(self, label):
        self.label = label

    def prioritize(self, args):
        score = int(args.pod_labels[self.label])
        return HostPriorityList.of(dict.fromkeys(labelled(args, self.label), score))


class LikesAndForbids(Likes):
    """Reject the nodes that carry another label, too."""

    def __init__(self, label, forbidden):
        super().__init__(label)
        self.forbidden = forbidden

    def filter(self, args):
        return args.reject(dict.fromkeys(labelled(args, self.forbidden), f"{self.forbidden} is forbidden"))


def labelled(args, label):
    return [node["metadata"]["name"] for node in args.nodes.items if label in labels_of(node)]


@pytest.fixture(scope="module")
def served(extenders):
    return [extenders.serve(LikesAndForbids("red", "closed")), extenders.serve(LikesAndForbids("blue", "shut"))]


@pytest.fixture(scope="module")
def twice_extended(install, served):
    manifest = "manifests/extenders/two-extenders.yaml"
    return install(KubeScheduler("twice-extended", config=manifest, extenders=[one.endpoint for one in served]))


@pytest.mark.parametrize(("blue", "wins"), [("3", "red"), ("4", "blue")])
def test_weighed_scores_are_added_up(blue, wins, twice_extended, served, pods, nodes, expect):
    """One extender gives its node 10 x 10 x 1 points, the other one 3 or 4 x 10 x 3."""
    coloured = dict(zip(["red", "blue"], nodes.claim(2), strict=True))
    for colour, node in coloured.items():
        node.label({colour: "yes"})
    pod = pods.create(scheduler=twice_extended, labels={"red": "10", "blue": blue})
    expect(pod).bound_to(coloured[wins])
    # The second has a filter as well, but the configuration does not name it.
    assert [sorted(call.verb for call in one.calls.of(pod=pod)) for one in served] == [
        ["filter", "prioritize"],
        ["prioritize"],
    ]


@pytest.mark.parametrize(("ignorable", "order"), [(False, [0, 1]), (True, [1, 0])], ids=["as-listed", "ignorable-last"])
def test_each_filter_gets_what_the_one_before_has_left(ignorable, order, served, install, pods, nodes, expect):
    """They are called as they are listed, but those that are ignorable after all others."""
    entries = [
        served[0].configuration(verbs=["filter"], ignorable=ignorable),
        served[1].configuration(verbs=["filter"]),
    ]
    scheduler = install(KubeScheduler("filtered-twice", extenders=entries))
    closed, shut, left = nodes.claim(3)
    closed.label({"closed": "yes"})
    shut.label({"shut": "yes"})
    pod = pods.create(scheduler=scheduler)
    expect(pod).bound_to(left)
    (first,), (second,) = (served[number].calls.of("filter", pod) for number in order)
    assert sorted(first.nodes) == sorted(node.name for node in (closed, shut, left))
    assert second.nodes == first.result.names
    assert second.result.names == [left.name]
