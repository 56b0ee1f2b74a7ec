"""An extender's answers: complete, in range, in time and the same each time; a careless one is found out."""

import time

import pytest

from schedtest import ExpectationError, Extender, KubeScheduler
from schedtest.extender import ExtenderFilterResult, HostPriorityList

pytestmark = pytest.mark.bound_only

CLAIMS = ("answered_every_node", "named_only_asked_nodes", "scored_in_range", "never_failed")


class Careful(Extender):
    """It lets every node through, and likes all of them alike."""

    def filter(self, args):
        return args.reject({})

    def prioritize(self, args):
        return HostPriorityList.of(dict.fromkeys(args.names, 5))


class Forgetful(Careful):
    """It drops a node without a word."""

    def filter(self, args):
        return args.keep(args.names[:1])


class Inventive(Careful):
    """It names a node that nothing was asked about."""

    def prioritize(self, args):
        return HostPriorityList.of({"elsewhere": 5, **dict.fromkeys(args.names, 5)})


class Generous(Careful):
    """Its scores are out of range."""

    def prioritize(self, args):
        return HostPriorityList.of(dict.fromkeys(args.names, 100))


class Failing(Careful):
    """It gives no answer."""

    def filter(self, args):
        return ExtenderFilterResult(error=f"cannot say where {args.about} fits")


class Slow(Careful):
    """It takes its time."""

    def filter(self, args):
        time.sleep(0.2)
        return super().filter(args)


@pytest.fixture
def served(extenders, install, nodes, pods):
    """Serve an extender, have a scheduler ask it about a pod and two nodes, and return it."""

    def serve(extender):
        made = extenders.serve(extender)
        scheduler = install(KubeScheduler("asking", extenders=[made.configuration(node_cache_capable=True)]))
        nodes.claim(2)
        pods.create(scheduler=scheduler)
        return made

    return serve


def test_careful_extender_keeps_every_claim(served, expect):
    extender = served(Careful())
    extender.calls.wait("prioritize")
    for claim in CLAIMS:
        assert getattr(expect(extender), claim)() > 0
    expect(extender).answered_within(5)


@pytest.mark.parametrize(
    ("extender", "verb", "broken"),
    [
        (Forgetful(), "filter", "answered_every_node"),
        (Inventive(), "prioritize", "named_only_asked_nodes"),
        (Generous(), "prioritize", "scored_in_range"),
        (Failing(), "filter", "never_failed"),
    ],
)
def test_careless_extender_breaks_its_claim(extender, verb, broken, served, expect):
    made = served(extender)
    made.calls.wait(verb)
    with pytest.raises(ExpectationError, match=f"extender {type(extender).__name__}: it did not hold"):
        getattr(expect(made), broken)()


def test_slow_extender_is_late(served, expect):
    with pytest.raises(ExpectationError, match=r"each answer within 0\.1 s"):
        expect(served(Slow())).answered_within(0.1, verb="filter")
