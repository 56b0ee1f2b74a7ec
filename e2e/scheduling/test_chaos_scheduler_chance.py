"""The chaos scheduler is as random as it claims to be, and a test notices when it is not.

How often each claim fails although it is true, and what it notices, is declared: see ``Terms`` of
``schedtest.claims.chance``.
"""

import pytest

from chaos_scheduler.component import chaos_scheduler
from schedtest import ExpectationError, InconclusiveError, Taint

#: only where pods are bound is of interest
pytestmark = pytest.mark.prefers("simulated-nodes")

CLOSED = Taint("example.com/closed")

#: how often a broken scheduler must be caught: at the usual 0.99, one in a hundred runs of this file would fail
SURELY = 0.99999


@pytest.fixture(scope="module")
def chaos(install):
    return install(chaos_scheduler())


@pytest.fixture
def three(nodes):
    """As many nodes as take the fewest draws: of more, each is drawn less often; of two, draws repeat more often."""
    return nodes.claim(3)


@pytest.mark.parametrize("sequential", [False, True], ids=["at-once", "sequential"])
def test_every_node_is_as_likely(sequential, chaos, placements, three, expect):
    expect(placements(scheduler=chaos)).uniform_over(three, sequential=sequential)


def test_closed_nodes_are_left_out_and_the_others_as_likely(chaos, placements, nodes, expect):
    cordoned, tainted, *others = nodes.claim(4)
    cordoned.cordon()
    tainted.taint(CLOSED)
    expect(placements(scheduler=chaos)).uniform_over(others, sequential=True)
    expect(placements(scheduler=chaos, tolerates=[CLOSED])).uniform_over([tainted, *others], sequential=True)


@pytest.mark.parametrize(
    ("policy", "deviation"),
    [
        # Once in a hundred times the counts as a whole tell of it first.
        ("never-last", "(the counts as a whole .*: )?{last} was drawn 0 times"),
        ("first-twice", "(the counts as a whole .*: )?{first} was drawn"),
        # It never comes back to a node before it was at all others, so neither after one draw nor after two.
        ("round-robin", r"a draw repeated the one (\d draws )?before it"),
        # Ten in a row show in the counts, too, if these are looked at early.
        ("sticky", r"(a draw repeated the one (\d draws )?before it|the counts as a whole|\S+ was drawn)"),
    ],
    ids=["never-last", "first-twice", "round-robin", "sticky"],
)
def test_wrong_policies_are_noticed(policy, deviation, install, placements, nodes, expect):
    """Each of these has the frequencies, or the independence, that it should have, but never both."""
    broken = install(chaos_scheduler("broken", f"--policy={policy}"))
    first, *_, last = sorted(node.name for node in nodes.all())
    with pytest.raises(ExpectationError, match=f"seen: +{deviation.format(first=first, last=last)}"):
        expect(placements(scheduler=broken)).uniform_over(nodes.all(), power=SURELY, sequential=True)


def test_declared_weights_are_kept(install, placements, three, expect):
    """The scheduler that takes the first node twice as often is right if that is what is claimed of it."""
    twice = install(chaos_scheduler("twice", "--policy=first-twice"))
    first, *others = sorted(three, key=lambda node: node.name)
    weights = {first: 2.0} | dict.fromkeys(others, 1.0)
    expect(placements(scheduler=twice)).distributed_as(weights, sequential=True)


def test_too_few_draws_are_neither_a_pass_nor_a_failure(chaos, placements, nodes, expect):
    with pytest.raises(InconclusiveError, match=r"too few draws to say.* takes \d+ draws; 40 draws catch"):
        expect(placements(scheduler=chaos)).uniform_over(nodes.all(), draws=40, bias=2)


def test_node_that_is_not_named_is_noticed_at_once(chaos, placements, nodes, expect):
    *most, last = nodes.all()
    with pytest.raises(ExpectationError, match=f"{last.name} was drawn, which the claim says never comes"):
        expect(placements(scheduler=chaos)).uniform_over(most)
