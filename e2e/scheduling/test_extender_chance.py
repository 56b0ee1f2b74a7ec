"""The chaos extender's coins and dice are fair, and a test notices those that are not."""

import itertools
import random

import pytest

from schedtest import ExpectationError, Extender, KubeScheduler
from schedtest.extender import ChaosExtender, HostPriorityList

#: only what extenders answer is of interest
pytestmark = pytest.mark.prefers("simulated-nodes")

SCORES = range(11)

#: how often a broken coin must be caught: at the usual 0.99, one in a hundred runs of this file would fail
SURELY = 0.99999


class Chance(Extender):
    """Whose coins and dice a test chooses; fair by default."""

    def __init__(self):
        self.fair()

    def take_seed(self, seed):
        self.random = random.Random(seed)  # noqa: S311 - chance that can be repeated, not secrecy

    def fair(self):
        self.heads = lambda: self.random.random() < 0.5
        self.roll = lambda: self.random.choice(SCORES)

    def filter(self, args):
        return args.reject({name: "tails" for name in args.names if not self.heads()})

    def prioritize(self, args):
        return HostPriorityList.of({name: self.roll() for name in args.names})


@pytest.fixture(scope="module")
def chaos(extenders):
    return extenders.serve(ChaosExtender())


@pytest.fixture(scope="module")
def chaos_draws(install, chaos):
    """Install the scheduler that asks the chaos extender."""
    config = "manifests/extenders/chaos.yaml"
    return install(KubeScheduler("chaos-draws", config=config, extenders=[chaos.endpoint]))


@pytest.fixture(scope="module")
def served(extenders):
    return extenders.serve(Chance())


@pytest.fixture(scope="module")
def scheduler(install, served):
    extended = served.configuration(node_cache_capable=True)
    return install(KubeScheduler("chance", extenders=[extended]))


@pytest.fixture
def chance(served):
    yield served.extender
    served.extender.fair()


def test_coins_are_fair(chaos_draws, chaos, placements, nodes, expect):
    draws = placements(scheduler=chaos_draws)
    expect(draws.coins(chaos)).fair(nodes.all(), sequential=True)


def test_dice_are_fair(chaos_draws, chaos, placements, expect):
    draws = placements(scheduler=chaos_draws)
    expect(draws.rolls(chaos)).uniform_over(SCORES, sequential=True)


def test_coins_that_fall_too_seldom_are_noticed(chance, served, scheduler, placements, nodes, expect):
    chance.heads = lambda: chance.random.random() < 0.45
    draws = placements(scheduler=scheduler)
    with pytest.raises(ExpectationError, match=r"seen: +.*(heads|counts as a whole)"):
        expect(draws.coins(served)).fair(nodes.all(), against=0.45, shared=True, power=SURELY, sequential=True)


def test_coins_that_alternate_are_noticed(chance, served, scheduler, placements, nodes, expect):
    """Each node's coin is heads every other time: exactly as often as it should be."""
    turns = itertools.count()
    count = len(nodes.all())
    chance.heads = lambda: next(turns) // count % 2 == 0
    draws = placements(scheduler=scheduler)
    with pytest.raises(ExpectationError, match=r"seen: +.*(repeated the one before it|drew the same)"):
        expect(draws.coins(served)).fair(nodes.all(), sequential=True)


def test_dice_that_never_roll_ten_are_noticed(chance, served, scheduler, placements, expect):
    chance.roll = lambda: chance.random.choice(SCORES[:-1])
    draws = placements(scheduler=scheduler)
    with pytest.raises(ExpectationError, match=r"seen: +(10 was drawn 0 times|the counts as a whole)"):
        expect(draws.rolls(served)).uniform_over(SCORES, sequential=True)
