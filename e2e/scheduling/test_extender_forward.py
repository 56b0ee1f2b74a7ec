"""An extender that runs elsewhere, in whatever language, is recorded on the way."""

import pytest

from schedtest import Extender, KubeScheduler
from schedtest.extender import Forward

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
