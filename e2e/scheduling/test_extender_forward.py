"""An extender that runs elsewhere, in whatever language, is recorded on the way."""

import json

import pytest

from schedtest import ExpectationError, Extender, KubeScheduler
from schedtest.extender import Forward, RawAnswer

pytestmark = pytest.mark.bound_only


class RejectsAll(Extender):
    """Reject every node."""

    def filter(self, args):
        return args.reject(dict.fromkeys(args.names, "not today"))


@pytest.fixture(scope="module")
def elsewhere(extenders):
    return extenders.serve(RejectsAll())


@pytest.fixture(scope="module")
def forward(extenders, elsewhere):
    return extenders.serve(Forward(elsewhere.url, verbs=["filter"]))


@pytest.fixture(scope="module")
def forwarded(install, forward):
    return install(KubeScheduler("forwarded", extenders=[forward.configuration()]))


def test_answers_count_and_are_recorded(forwarded, forward, elsewhere, pods, nodes, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=forwarded)
    expect(pod).pending(rejected_by="Extender", message="1 not today")
    expect(pods.create()).bound_to(node)  # control arm
    here, there = forward.calls.of("filter", pod)[0], elsewhere.calls.of("filter", pod)[0]
    assert (here.args, here.result) == (there.args, there.result)


def test_nothing_is_made_up_when_it_is_down(forwarded, forward, elsewhere, pods, nodes, expect):
    nodes.claim(1)
    elsewhere.stop()
    pod = pods.create(scheduler=forwarded)
    expect(pod).pending(message='/filter": ')
    assert forward.calls.of("filter", pod)[0].error == f"{elsewhere.url} does not answer: connection refused"


class NamesNodes(Extender):
    """It answers with names, as if it were ``nodeCacheCapable``."""

    def filter(self, args):
        return RawAnswer(json.dumps({"NodeNames": args.names, "FailedNodes": {}}).encode())


def test_names_in_place_of_whole_nodes_are_no_answer(install, extenders, pods, nodes, expect):
    (node,) = nodes.claim(1)
    elsewhere = extenders.serve(NamesNodes())
    forward = extenders.serve(Forward(elsewhere.url, verbs=["filter"]))
    whole = install(KubeScheduler("whole", extenders=[forward.configuration()]))
    unread = "the answer has NodeNames, which kube-scheduler reads with nodeCacheCapable only: no node passes"
    said = rf"(?s)  nodes:.*{unread}.*  timeline:.*Forward\.filter\({node.name}\) -> {unread}"
    with pytest.raises(ExpectationError, match=said):
        expect(pods.create(scheduler=whole), timeout=3).bound()
    with pytest.raises(ExpectationError, match=f"nothing is said of {node.name}: {unread}"):
        expect(forward).answered_every_node()
    # Control arm: it reads names where it asks for them.
    names = install(KubeScheduler("names", extenders=[forward.configuration(node_cache_capable=True)]))
    expect(pods.create(scheduler=names)).bound()
