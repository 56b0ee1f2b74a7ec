"""Groups of pods by Kubernetes' own API, scheduling.k8s.io, whose pods are placed together or not at all.

The broken scheduler is kube-scheduler without the feature: it takes the pods of a group one by one.
"""

import pytest

from schedtest import ExpectationError, InconclusiveError, KubeScheduler, UsageError

pytestmark = pytest.mark.requires("gate:GenericWorkload", "kubernetes>=1.36")

RACK = "example.com/rack"
ONE = {"cpu": "1"}

#: kube-scheduler of 1.36 is never at rest with a group that has no room, see the test of that
NO_PAUSE = pytest.mark.requires("kubernetes>=1.37")


@pytest.fixture
def gang(install):
    return install(KubeScheduler("gang"))


#: the gates of groups, of which 1.36 and 1.37 have more than 1.38
GATES = {"GenericWorkload", "GangScheduling", "TopologyAwareWorkloadScheduling", "WorkloadWithJob"} | {
    "WorkloadAwarePreemption",
    "CompositePodGroup",
    "PodGroupPreemptionPolicy",
    "DRAWorkloadResourceClaims",
}


@pytest.fixture
def one_by_one(cluster, install):
    off = {name: False for name in GATES if cluster.feature_gates.get(name)}
    return install(KubeScheduler("gang", feature_gates=off))


def test_group_waits_at_two_and_runs_at_three(gang, groups, nodes, expect):
    nodes.claim(3)
    group = groups.create(minimum=3, scheduler=gang)
    assert group.api == "in-tree"
    first, _ = group.add(2, requests=ONE)
    expect(group).waits_for_quorum()
    expect(first).held_back(by="GangScheduling")
    group.add(requests=ONE)
    expect(group).scheduled()
    expect(group).all_or_nothing()
    for pod in group.pods:
        expect(pod).running()


def test_without_the_feature_a_part_of_the_group_runs(one_by_one, groups, nodes, expect):
    nodes.claim(3)
    group = groups.create(minimum=3, scheduler=one_by_one)
    for pod in group.add(2, requests=ONE):
        expect(pod).bound()
    with pytest.raises(ExpectationError, match="as only 2 of 3 have joined"):
        expect(group).waits_for_quorum()
    group.add(requests=ONE)
    expect(group).scheduled()
    with pytest.raises(ExpectationError, match=r"without the 3 that the group needs: .*made \S+ s later"):
        expect(group).all_or_nothing()


@NO_PAUSE
@pytest.mark.requires("resize")
def test_group_without_room_is_rejected_whole(gang, groups, nodes, expect):
    nodes.claim(1, capacity={"cpu": "2"})
    group = groups.create(minimum=3, scheduler=gang)
    group.add(3, requests=ONE)
    rejected = expect(group).unschedulable(rejected_by="NodeResourcesFit", message="Insufficient cpu")
    assert rejected.pod in group.pods
    assert not rejected.untried
    expect(group).all_or_nothing()
    nodes.claim(1, capacity={"cpu": "1"})
    expect(group).scheduled()
    expect(group).all_or_nothing()


@pytest.mark.requires("resize")
def test_group_without_room_is_tried_now_and_then(gang, groups, nodes, expect, known_bug):
    nodes.claim(1, capacity={"cpu": "1"})
    group = groups.create(minimum=2, scheduler=gang)
    begin = expect.mark()
    first, _ = group.add(2, requests=ONE)
    expect(first).event("FailedScheduling")
    gang.kill()  # its log would soon have gigabytes
    busy = known_bug(
        "kubernetes<1.37",
        reason="a group that was rejected is tried again at once, a thousand times a second",
        match=r"has \d{2,} attempts",
    )
    with busy, pytest.raises(InconclusiveError, match="its scheduler is not running"):
        expect(first, timeout=1).tried(at_most=20, since=begin)


@pytest.mark.requires("resize", "kubernetes>=1.37")  # 1.36 tries them all
def test_pods_after_the_one_that_decides_are_not_tried(gang, groups, nodes, expect):
    nodes.claim(1, capacity={"cpu": "2"})
    group = groups.create(minimum=3, scheduler=gang)
    for cpu in ("4", "1", "1"):
        group.add(requests={"cpu": cpu})
    rejected = expect(group).unschedulable(message="Insufficient cpu")
    large, *others = group.pods
    assert (rejected.pod, list(rejected.untried)) == (large, others)
    with pytest.raises(ExpectationError) as failure:
        expect(group, timeout=0.5).scheduled()
    said = str(failure.value)
    assert f"first rejected: {large}, rejected by NodeResourcesFit" in said
    assert f"{others[0].name}: not tried" in said


@pytest.mark.requires("resize")
def test_without_the_feature_a_part_of_the_group_takes_the_room(one_by_one, groups, nodes, expect):
    nodes.claim(1, capacity={"cpu": "2"})
    group = groups.create(minimum=3, scheduler=one_by_one)
    group.add(3, requests=ONE)
    expect(group).scheduled(at_least=2)
    with pytest.raises(ExpectationError, match=r"seen: +2 of 3 pods bound"):
        expect(group).unschedulable(message="Insufficient cpu")


@NO_PAUSE
@pytest.mark.requires("resize")
def test_two_groups_do_not_block_each_other(gang, groups, nodes, expect):
    nodes.claim(1, capacity={"cpu": "4"})
    both = [groups.create(name, minimum=3, scheduler=gang) for name in ("first", "second")]
    for _ in range(3):
        for group in both:
            group.add(requests=ONE)
    assert expect(both).no_deadlock() == both[:1]


@pytest.mark.requires("resize")
def test_without_the_feature_two_groups_block_each_other(one_by_one, groups, nodes, expect):
    nodes.claim(1, capacity={"cpu": "4"})
    both = [groups.create(name, minimum=3, scheduler=one_by_one) for name in ("first", "second")]
    for group in both:
        for pod in group.add(2, requests=ONE):
            expect(pod).bound()
    for group in both:
        group.add(requests=ONE)
    with pytest.raises(ExpectationError, match=r"seen: +first: 2 of 3 pods bound.*; second: 2 of 3 pods bound"):
        expect(both, timeout=2).no_deadlock()


def test_pods_of_a_group_without_a_minimum_are_placed_by_themselves(gang, groups, nodes, expect):
    nodes.claim(1)
    group = groups.create(scheduler=gang)
    assert group.minimum is None
    group.add(2)
    expect(group).scheduled()
    with pytest.raises(UsageError, match="has the policy basic, so its pods need no minimum"):
        expect(group).all_or_nothing()


@pytest.mark.requires("gate:TopologyAwareWorkloadScheduling", "resize")
class TestTopology:
    """A group stays in one rack."""

    @pytest.fixture
    def racks(self, nodes):
        """Make two racks of two hosts, with room for two pods each; the first host of the first one is full."""
        return nodes.claim_topology(zones=1, racks=2, hosts=2, rack_label=RACK, capacity={"cpu": "2"})[0]

    def test_group_stays_in_the_rack_that_has_room(self, racks, gang, groups, pods, expect):
        pods.create(requests=ONE, node_selector={RACK: "zone-1-rack-1"})
        group = groups.create(minimum=4, scheduler=gang, topology=RACK)
        group.add(4, requests=ONE)
        assert expect(group).in_one_domain() == "zone-1-rack-2"
        assert set(expect(group).scheduled()) == {host.name for host in racks[1]}

    @pytest.mark.usefixtures("racks")
    def test_without_the_feature_it_does_not(self, install, groups, expect):
        scheduler = install(KubeScheduler("gang", feature_gates={"TopologyAwareWorkloadScheduling": False}))
        group = groups.create(minimum=4, scheduler=scheduler, topology=RACK)
        group.add(4, requests=ONE)  # which it spreads over hosts of equal room
        with pytest.raises(ExpectationError, match=r"rack-1.*rack-2|rack-2.*rack-1"):
            expect(group).in_one_domain()

    def test_claim_that_cannot_fail_is_refused(self, gang, groups, nodes, expect):
        nodes.claim_topology(zones=1, racks=1, hosts=1, rack_label=RACK)
        group = groups.create(scheduler=gang, topology=RACK)
        group.add()
        with pytest.raises(UsageError, match=f"fewer than two values of {RACK}"):
            expect(group).in_one_domain()


@pytest.mark.requires("resize")
class TestPreemption:
    """A group evicts what is in its way, and may be evicted."""

    @pytest.fixture
    def low(self, pods):
        return pods.priority_class("low", 1)

    @pytest.fixture
    def high(self, pods):
        return pods.priority_class("high", 1000)

    def test_group_evicts_no_more_than_it_needs(self, gang, groups, pods, nodes, low, high, expect):
        nodes.claim(1, capacity={"cpu": "4"})
        victims = [pods.create(scheduler=gang, requests=ONE, priority_class=low) for _ in range(3)]
        for victim in victims:
            expect(victim).bound()
        group = groups.create(minimum=3, scheduler=gang, priority_class=high)
        group.add(3, requests=ONE)
        assert len(expect(group).preempts(victims, count=2)) == 2
        expect(group).all_or_nothing()
        with pytest.raises(ExpectationError, match="preempted for it"):
            expect(group, timeout=1).preempts(victims)

    @pytest.fixture
    def two_groups(self, groups, nodes, low, high, expect):
        """Make a group that is only disrupted whole, and one that needs the room of one of its two pods."""

        def make(scheduler):
            nodes.claim(1, capacity={"cpu": "3"})
            whole = {"priority_class": low, "disruption_mode": "All"}
            victims = groups.create("victims", minimum=2, scheduler=scheduler, **whole)
            assert victims.disrupted_whole
            victims.add(2, requests=ONE)
            expect(victims).scheduled()
            group = groups.create(minimum=2, scheduler=scheduler, priority_class=high)
            group.add(2, requests=ONE)
            return victims, group

        return make

    def test_group_goes_whole_if_so_wanted(self, gang, two_groups, expect):
        victims, group = two_groups(gang)
        assert len(expect(group).preempts([victims])) == 2

    def test_without_the_feature_a_part_of_it_goes(self, one_by_one, two_groups, expect):
        victims, group = two_groups(one_by_one)
        with pytest.raises(ExpectationError, match=r"but not victims-\d of the same group"):
            expect(group, timeout=3).preempts([victims])

    def test_without_the_feature_pods_are_evicted_for_nothing(self, one_by_one, groups, pods, nodes, low, high, expect):
        """Two of three could be placed if they evict others; what they evict helps none."""
        nodes.claim(1, capacity={"cpu": "2"})
        victims = [pods.create(scheduler=one_by_one, requests=ONE, priority_class=low) for _ in range(2)]
        for victim in victims:
            expect(victim).bound()
        group = groups.create(minimum=3, scheduler=one_by_one, priority_class=high)
        group.add(3, requests=ONE)
        for victim in victims:
            expect(victim).preempted()
        with pytest.raises(ExpectationError, match=r"seen: +[012] of 3 pods bound"):
            expect(group, timeout=2).preempts(victims)


@pytest.mark.requires("gate:WorkloadWithJob")
def test_job_makes_its_group(gang, groups, objects, nodes, expect):
    nodes.claim(2)
    job = objects.create(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "train"},
            "spec": {
                "parallelism": 2,
                "completions": 2,
                "completionMode": "Indexed",
                "template": {
                    "spec": {
                        "schedulerName": gang.scheduler_name,
                        "restartPolicy": "Never",
                        "containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}],
                    }
                },
            },
        }
    )
    group = groups.of(job, pods=2)
    expect(group).scheduled()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"minimum": 0}, "groups.create: minimum must be a whole number of at least 1, got 0"),
        ({"disruption_mode": "all"}, "groups.create: disruption_mode: there is no all; did you mean All"),
        ({"api": "kubernetes"}, "groups.create: api: there is no kubernetes"),
    ],
)
def test_mistakes_are_refused(groups, asked, message):
    with pytest.raises(UsageError, match=message):
        groups.create(**asked)
