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

        def join(count, **spec):
            return group.add(count, labels={"gang": group.name, "gang-size": "3"}, requests={"cpu": "1"}, **spec)

        return group, join

    return make


def test_healthy_one_waits_and_places_the_whole_group(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "3"})
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


def test_one_that_leaves_a_pod_out_is_caught(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "3"})
    group, join = gang_of("NeedsRoomToSpare")
    join(3)
    expect(group).scheduled(at_least=2)
    with pytest.raises(ExpectationError, match=r"seen: +2 of 3 pods bound, of which the group needs 3"):
        expect(group, timeout=1).scheduled()


def test_one_that_binds_to_a_node_that_is_none_is_caught(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "3"})
    group, join = gang_of("BindsNowhere")
    join(3)
    with pytest.raises(ExpectationError, match=r"seen: +bound to node-77, which is no node of the cluster"):
        expect(group).scheduled()


class TestPreemption:
    """A group of three takes a node that two pods fill half: it needs the room of one of them."""

    @pytest.fixture
    def victims(self, nodes, pods, expect):
        nodes.claim(1, capacity={"cpu": "4"})
        low = pods.priority_class("low", 1)
        made = [pods.create(requests={"cpu": "1"}, priority_class=low) for _ in range(2)]
        for pod in made:
            expect(pod).bound()
        return made

    @pytest.fixture
    def group_of(self, gang_of, pods):
        """Return a group of more important pods, of a scheduler with this fault."""
        high = pods.priority_class("high", 1000)

        def make(fault="Toy"):
            group, join = gang_of(fault)
            join(3, priority_class=high)
            return group

        return make

    def test_healthy_one_evicts_no_more_than_it_needs(self, victims, group_of, expect):
        group = group_of()
        (evicted,) = expect(group).preempts(victims, count=1)
        (spared,) = (pod for pod in victims if pod != evicted)
        expect(spared).bound()

    def test_one_that_evicts_one_more_is_caught(self, victims, group_of, expect):
        group = group_of("EvictsOneMore")
        with pytest.raises(ExpectationError, match=r"seen: +preempted for it: .*, "):
            expect(group).preempts(victims, count=1)
        with pytest.raises(ExpectationError, match=rf"seen: +{victims[0]} would have had room"):
            expect(group).preempts(victims)

    def test_one_that_only_says_that_it_evicts_is_caught(self, victims, group_of, expect):
        group = group_of("SaysEvictedOnly")
        with pytest.raises(ExpectationError, match=r"seen: +preempted, but not gone: "):
            expect(group, timeout=3).preempts(victims, count=1)


def test_group_that_has_no_room_at_all(gang_of, nodes, expect):
    nodes.claim(1, capacity={"cpu": "500m"})
    group, join = gang_of()
    join(3)
    expect(group).unschedulable(message="1 Insufficient cpu")
    expect(group).all_or_nothing()
