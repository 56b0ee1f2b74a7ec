"""Claims about groups of pods go by the API alone, too: the schedulers of ``toy_faults.py`` log nothing that is read.

They know a gang by its labels, and place those of its pods that fit once there are enough: a group that has room is
placed whole, and of another one a part.
"""

import pytest

from schedtest import ExpectationError
from toy_component import toy

pytestmark = pytest.mark.requires("processes", "resize", "kubernetes>=1.36", "gate:GenericWorkload")


@pytest.fixture
def gang_of(install, groups):
    """Make a group of three for a scheduler with this fault; ``join`` lets so many pods of 1 CPU join."""

    def make(fault="Toy"):
        scheduler = install(toy("gangs", fault))
        group = groups.create(minimum=3, scheduler=scheduler, api="in-tree")

        def join(count):
            return group.add(count, labels={"gang": group.name, "gang-size": "3"}, requests={"cpu": "1"})

        return group, join

    return make


def test_healthy_one_waits_and_places_the_whole_group(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "4"})
    group, join = gang_of()
    join(2)
    expect(group).waits_for_quorum()
    join(1)
    expect(group).scheduled()
    expect(group).all_or_nothing()


def test_one_that_ignores_groups_is_caught(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "4"})
    group, join = gang_of("IgnoresGangs")
    for pod in join(2):
        expect(pod).bound()
    with pytest.raises(ExpectationError, match=r"as only 2 of 3 have joined"):
        expect(group).waits_for_quorum()
    join(1)
    expect(group).scheduled()
    with pytest.raises(ExpectationError, match=r"without the 3 that the group needs: .*made \S+ s later"):
        expect(group).all_or_nothing()


def test_one_that_places_a_part_is_caught(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "2"})
    group, join = gang_of()
    join(3)
    expect(group).scheduled(at_least=2)
    with pytest.raises(ExpectationError, match=r"2 of 3 pods bound"):
        expect(group).unschedulable(message="Insufficient cpu")
    with pytest.raises(ExpectationError, match=r"without the 3 that the group needs"):
        expect(group).all_or_nothing()


def test_group_that_has_no_room_at_all(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "500m"})
    group, join = gang_of()
    join(3)
    expect(group).unschedulable(message="1 Insufficient cpu")
    expect(group).all_or_nothing()
