"""Schedulers that are random in the usual tests, and not elsewhere: each is caught by the claim that looks there.

They are those of ``toy_faults.py``. Each also passes the claim that does not look there, which shows what that misses.
"""

import pytest

from schedtest import ExpectationError
from toy_component import toy

pytestmark = pytest.mark.requires("processes", "resize")

#: how often each must be caught: at the usual 0.99, one in a hundred runs of this file would fail
SURELY = 0.99999

TERMS = {"bias": 3, "power": SURELY, "sequential": True}

#: the program's name, how placements are made that show the fault, and what the failure says
BROKEN = [
    ("PilesUpLongQueue", {"waiting": 200}, "was drawn"),
    ("SeedsByName", {"same_name": True}, "was drawn|a draw repeated the one 10 draws before it|as a whole"),
]


@pytest.fixture(scope="module")
def random_toy(install):
    return lambda name: install(toy(name.lower(), name))


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


@pytest.mark.parametrize("way", [way for _, way, _ in BROKEN], ids=str)
def test_healthy_scheduler_is_not(way, random_toy, placements, roomy, expect):
    expect(placements(scheduler=random_toy("Random"), **way)).uniform_over(roomy, **TERMS)
