"""Coscheduling of sigs.k8s.io/scheduler-plugins: the pods of a PodGroup run together, or not at all."""

import re
from dataclasses import replace

import pytest

from schedtest import ComponentError, ExpectationError, KubeScheduler, PluginScheduler, Rule, UsageError

#: scheduler-plugins 0.34.7 is compiled with Kubernetes 1.34: it serves an API server of 1.34, or of the next minor
pytestmark = pytest.mark.requires("kubernetes>=1.34,<1.36")

COSCHEDULING = PluginScheduler(
    "coscheduling",
    module="scheduler-plugins",
    config="manifests/schedulers/coscheduling.yaml",
    crds=("sigs.k8s.io/scheduler-plugins/config/crd/bases/scheduling.x-k8s.io_podgroups.yaml",),
    rules=(Rule(("scheduling.x-k8s.io",), ("podgroups",), ("list", "watch")),),
)
#: the same with a pause between two attempts at a group: without it, a group with room for some of its pods is tried
#: again and again, as fast as the scheduler can (scheduler-plugins#429)
WITH_PAUSE = replace(COSCHEDULING, config="manifests/schedulers/coscheduling-with-pause.yaml")
#: what is broken: the stock kube-scheduler, which knows no groups
STOCK = KubeScheduler("coscheduling")


@pytest.fixture
def coscheduling(install):
    return install(COSCHEDULING)


@pytest.fixture
def stock(coscheduling, install):
    coscheduling.uninstall()  # it has brought the kind PodGroup
    return install(STOCK)


@pytest.fixture
def gang(groups):
    """Create a group that needs three pods; ``add`` lets pods of 1 CPU join."""

    def create(scheduler, name="gang", **more):
        return groups.create(name, minimum=3, scheduler=scheduler, api="coscheduling", **more)

    return create


def test_group_waits_at_two_and_runs_at_three(coscheduling, groups, nodes, expect):
    claimed = nodes.claim(3)  # a real node may have room for one of them only
    gang = groups.create(minimum=3, scheduler=coscheduling)
    assert gang.api == "coscheduling"
    first, second = gang.add(2, requests={"cpu": "1"})
    expect(gang).waits_for_quorum()
    # The first may have been tried before there was a second; nothing makes the plugin try it again.
    expect(first).pending(rejected_by="Coscheduling", message="cannot find enough sibling pods")
    expect(second).pending(rejected_by="Coscheduling", message="current pods number: 2, minMember of group: 3")

    gang.add(requests={"cpu": "1"})
    assert set(expect(gang).scheduled()) <= {node.name for node in claimed}
    expect(gang).all_or_nothing()
    for pod in gang.pods:
        expect(pod).running()


def test_scheduler_without_the_plugin_does_not_wait(stock, gang, nodes, expect):
    """The broken scheduler: two of three pods run, and it does not help that the third one comes later."""
    nodes.claim(3)
    group = gang(stock)
    group.add(2, requests={"cpu": "1"})
    with pytest.raises(
        ExpectationError, match=r"wanted: no pod bound, as only 2 of 3 have joined\n +seen: +gang-\d was"
    ):
        expect(group).waits_for_quorum()
    for pod in group.pods:
        expect(pod).bound()
    group.add(requests={"cpu": "1"})
    expect(group).scheduled()
    with pytest.raises(ExpectationError) as failure:
        expect(group).all_or_nothing()
    assert re.search(r"without the 3 that the group needs: .*gang-3 was made \S+ s later", str(failure.value))


@pytest.mark.requires("resize")
def test_part_of_a_group_is_caught_though_the_rest_follows(coscheduling, gang, nodes, install, expect):
    """The broken scheduler: there is room for two when it meets all three; later there is room for all."""
    nodes.claim(1, capacity={"cpu": "2"})
    coscheduling.uninstall()
    group = gang("coscheduling")
    group.add(3, requests={"cpu": "1"})
    install(STOCK)
    expect(group).scheduled(at_least=2)
    # It is rejected after the first binding, or just before that is complete.
    with pytest.raises(ExpectationError, match=r"gang-\d was (rejected|bound to \S+ without the 3)") as failure:
        expect(group).all_or_nothing()
    said = str(failure.value)
    assert "quorum: 3 joined, 2 bound, 3 needed" in said
    assert re.search(r"first rejected: pod \S+/gang-\d, rejected by .*NodeResourcesFit.*: .* 1 Insufficient cpu", said)
    nodes.claim(1, capacity={"cpu": "2"})
    expect(group).scheduled()
    with pytest.raises(ExpectationError, match=r"without the 3 that the group needs: gang-\d was"):
        expect(group).all_or_nothing()


@pytest.mark.requires("resize")
def test_group_without_room_is_rejected_whole(coscheduling, gang, nodes, expect):
    nodes.claim(1, capacity={"cpu": "2"})
    group = gang(coscheduling)
    group.add(3, requests={"cpu": "1"})
    rejected = expect(group).unschedulable(rejected_by="NodeResourcesFit", message="Insufficient cpu")
    assert rejected.pod in group.pods
    expect(group).all_or_nothing()


@pytest.mark.requires("resize")
def test_group_that_is_partly_bound_is_not_unschedulable(stock, gang, nodes, expect):
    """The broken scheduler."""
    nodes.claim(1, capacity={"cpu": "2"})
    group = gang(stock)
    group.add(3, requests={"cpu": "1"})
    with pytest.raises(ExpectationError, match=r"wanted: no pod bound of at least 3; .*\n +seen: +\d of 3 pods bound"):
        expect(group).unschedulable(message="Insufficient cpu")


def test_without_the_right_to_list_groups_it_does_not_get_ready(install):
    with pytest.raises(ComponentError, match=r"was refused: .*list podgroups of API group 'scheduling\.x-k8s\.io'"):
        install(replace(COSCHEDULING, rules=()), timeout=10)


@pytest.mark.requires("resize", "whole-cluster")  # what others change has the group tried again
def test_time_out_releases_what_a_part_of_the_group_has_reserved(coscheduling, gang, pods, nodes, expect):
    """Two of the three exist, but no scheduler serves them: the third gets a node, and waits for them in vain."""
    (node,) = nodes.claim(1, capacity={"cpu": "1"})
    group = gang(coscheduling, spec={"scheduleTimeoutSeconds": 3})
    group.add(2, scheduler="not-installed", requests={"cpu": "1"})
    (waiting,) = group.add(requests={"cpu": "1"})
    other = pods.create(scheduler=coscheduling, requests={"cpu": "1"})
    expect(other).pending(rejected_by="NodeResourcesFit", message="Insufficient cpu")

    # An Event, which stays: the pod is tried again at once, and its condition tells of that.
    expect(waiting).event("FailedScheduling", message="rejected due to timeout after waiting 3s at plugin Coscheduling")
    expect(other).bound_to(node)
    expect(waiting).stays_pending()


@pytest.fixture
def two_gangs(coscheduling, gang, nodes):
    """Make two groups of three pods. There is room for four, and no scheduler runs yet."""
    nodes.claim(1, capacity={"cpu": "4"})
    coscheduling.uninstall()
    made = [gang("coscheduling", name) for name in ("first", "second")]
    for _ in range(3):
        for group in made:  # so that a scheduler without the plugin takes them in turn
            group.add(requests={"cpu": "1"})
    return made


@pytest.mark.requires("resize")
def test_of_two_gangs_that_cannot_both_fit_one_runs_whole_and_the_other_waits(two_gangs, install, expect):
    """All pods wait when the scheduler starts. Groups of equal age are tried in the order of their names."""
    install(WITH_PAUSE)
    assert expect(two_gangs).no_deadlock() == two_gangs[:1]
    for group in two_gangs:
        expect(group).all_or_nothing()


@pytest.mark.requires("resize")
def test_without_the_plugin_two_gangs_block_each_other(coscheduling, gang, nodes, install, expect):
    """The broken scheduler: each has a part of the room, for nothing."""
    nodes.claim(1, capacity={"cpu": "4"})
    coscheduling.uninstall()
    install(STOCK)
    two_gangs = [gang("coscheduling", name) for name in ("first", "second")]
    for group in two_gangs:
        for pod in group.add(2, requests={"cpu": "1"}):
            expect(pod).bound()
    for group in two_gangs:
        group.add(requests={"cpu": "1"})
    with pytest.raises(ExpectationError, match=r"seen: +first: 2 of 3 pods bound.*; second: 2 of 3 pods bound"):
        expect(two_gangs, timeout=2).no_deadlock()


@pytest.mark.usefixtures("coscheduling")
@pytest.mark.parametrize(
    ("asked", "lacking"),
    [
        ({"minimum": 3, "topology": "example.com/rack"}, "topology: a PodGroup of scheduler-plugins has none"),
        ({"minimum": 3, "disruption_mode": "All"}, "disruption_mode: a PodGroup of scheduler-plugins has none"),
        ({}, "minimum: a PodGroup of scheduler-plugins needs one"),
    ],
)
def test_what_the_api_lacks_is_refused(groups, asked, lacking):
    with pytest.raises(UsageError, match=lacking):
        groups.create(scheduler="coscheduling", **asked)
