"""Schedulers that are random in the usual tests, and not elsewhere: each is caught by the claim that looks there.

They are those of ``toy_faults.py``. Each also passes the claim that does not look there, which shows what that misses.
"""

import pytest

from schedtest import ExpectationError
from toy_component import toy

pytestmark = pytest.mark.requires("processes", "resize")

#: how often each must be caught: at the usual 0.99, one in a hundred runs of this file would fail
SURELY = 0.99999

#: a bias that takes fewer than 240 draws, even where the run has nearly no false alarms left
TERMS = {"bias": 5, "power": SURELY, "sequential": True}

#: the program's name, how placements are made that show the fault, and what the failure says
BROKEN = [
    ("PilesUpLongQueue", {"waiting": 200}, "was drawn"),
    ("SeedsByName", {"same_name": True}, "was drawn|a draw repeated the one 10 draws before it|as a whole"),
]


@pytest.fixture(scope="module")
def random_toy(install):
    return lambda fault, name="": install(toy(name or fault.lower(), fault))


@pytest.fixture
def roomy(nodes):
    """Nodes on which any backlog fits, whichever of them gets it."""
    return nodes.claim(4, capacity={"pods": "500"})


@pytest.mark.parametrize(("name", "way", "deviation"), BROKEN, ids=[name for name, *_ in BROKEN])
def test_fault_is_caught_where_it_shows(name, way, deviation, random_toy, placements, roomy, expect):
    broken = random_toy(name)
    expect(placements(scheduler=broken)).uniform_over(roomy, **TERMS)
    with pytest.raises(ExpectationError, match=f"seen: .*({deviation})"):
        expect(placements(scheduler=broken, **way)).uniform_over(roomy, **TERMS)


@pytest.mark.parametrize("sequential", [False, True], ids=["at-once", "sequential"])
def test_fault_that_sets_in_late_is_caught_by_a_claim_that_draws_so_long(
    sequential, random_toy, placements, roomy, expect
):
    """It works for 240 pods, which is more than the bias takes."""
    tiring = placements(scheduler=random_toy("TiresAfter240", f"tires-{sequential}".lower()))
    with pytest.raises(ExpectationError, match=r"seen: .*(was drawn|a draw repeated|as a whole)"):
        expect(tiring).uniform_over(roomy, at_least=480, **{**TERMS, "sequential": sequential})


def test_fault_that_sets_in_late_is_missed_by_a_claim_that_draws_no_longer(random_toy, placements, roomy, expect):
    assert expect(placements(scheduler=random_toy("TiresAfter240"))).uniform_over(roomy, **TERMS).n < 240


@pytest.mark.parametrize("way", [way for _, way, _ in BROKEN], ids=str)
def test_healthy_scheduler_is_not(way, random_toy, placements, roomy, expect):
    expect(placements(scheduler=random_toy("Random"), **way)).uniform_over(roomy, **TERMS)


def test_healthy_scheduler_does_not_tire(random_toy, placements, roomy, expect):
    result = expect(placements(scheduler=random_toy("Random"))).uniform_over(roomy, at_least=480, **TERMS)
    assert result.n == 480


@pytest.fixture
def backlog(random_toy, pods):
    """Make pods that wait until a scheduler is started: twice as many as ``PilesUpLongQueue`` places well."""

    def make(fault):
        scheduler = random_toy(fault, f"backlog-{fault}".lower())
        scheduler.kill()
        made = [pods.create(scheduler=scheduler, runs=False) for _ in range(200)]
        scheduler.restart()
        return made

    return make


def test_pods_of_the_test_pile_up(backlog, roomy, expect):
    with pytest.raises(ExpectationError, match=r"seen: .*(was drawn|a draw repeated|as a whole)"):
        expect(backlog("PilesUpLongQueue")).uniform_over(roomy)


def test_pods_of_the_test_are_placed_by_chance(backlog, roomy, expect):
    assert expect(backlog("Random")).uniform_over(roomy).n == 200
