"""An extender's scores are multiplied by ten and by its weight, and added to kube-scheduler's own.

Node affinity gives the node that the pod prefers 100 points more than any other, and nothing else counts here. So the
extender's favourite wins if its score x 10 x the weight is above 100, and loses below.
"""

import pytest

from schedtest import Extender, KubeScheduler
from schedtest.extender import HostPriority, HostPriorityList, faults, labels_of

pytestmark = pytest.mark.bound_only

PREFERRED = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "preference": {"matchExpressions": [{"key": "preferred", "operator": "Exists"}]}}
        ]
    }
}


class Favours(Extender):
    """Score the node with the label ``favourite`` as the pod's label ``score`` says."""

    def prioritize(self, args):
        score = args.pod_labels["score"]
        (favourite,) = (node["metadata"]["name"] for node in args.nodes.items if "favourite" in labels_of(node))
        match score.split("-"):
            case ["malformed"]:
                return faults.MALFORMED
            case ["twice", half]:
                return HostPriorityList([HostPriority(host=favourite, score=int(half))] * 2)
            case ["nowhere", points]:
                return HostPriorityList.of({faults.NO_SUCH_NODE: int(points)})
        return HostPriorityList.of({favourite: int(score)})


@pytest.fixture(scope="module")
def favours(extenders):
    return extenders.serve(Favours())


@pytest.fixture(scope="module", params=[1, 3], ids=["weight 1", "weight 3"])
def weight(request):
    return request.param


@pytest.fixture(scope="module")
def weighed(install, favours, weight):
    extender = {**favours.endpoint, "weight": weight}
    return install(KubeScheduler("weighed", config="manifests/extenders/prioritize.yaml", extenders=[extender]))


@pytest.fixture
def marked(nodes):
    """Mark the node that the pod prefers, and the one that the extender does."""
    marked = dict(zip(["preferred", "favourite"], nodes.claim(2), strict=True))
    for mark, node in marked.items():
        node.label({mark: "yes"})
    return marked


#: what the extender gives its favourite, and who wins with the weights 1 and 3
SCORES = {
    "3": {1: "preferred", 3: "preferred"},
    "4": {1: "preferred", 3: "favourite"},
    "9": {1: "preferred", 3: "favourite"},
    "11": {1: "favourite", 3: "favourite"},  # the answers leave the range of 0 to 10
}

#: the same for odd answers; none of them reaches the pod as an error
ODD = {
    "twice-2": {1: "preferred", 3: "favourite"},  # the scores of a node that is named twice are added up
    "nowhere-10": {1: "preferred", 3: "preferred"},  # those of an unknown node are dropped
    "malformed": {1: "preferred", 3: "preferred"},
}


@pytest.mark.parametrize("answers", [SCORES, ODD], ids=["scores", "odd answers"])
def test_score_counts_ten_times_its_weight(answers, weight, weighed, marked, favours, pods, expect):
    for answer, wins in answers.items():
        pod = pods.create(scheduler=weighed, affinity=PREFERRED, labels={"score": answer})
        expect(pod).bound_to(marked[wins[weight]])
        assert len(favours.calls.of("prioritize", pod)) == 1


def test_only_feasible_node_is_not_scored(weighed, marked, favours, pods, expect):
    pod = pods.create(scheduler=weighed, node_selector={"favourite": "yes"}, labels={"score": "1"})
    expect(pod).bound_to(marked["favourite"])
    assert favours.calls.of(pod=pod) == []
