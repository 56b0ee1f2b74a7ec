"""Coscheduling of sigs.k8s.io/scheduler-plugins: the pods of a PodGroup run together, or not at all."""

from dataclasses import replace

import pytest

from schedtest import ComponentError, KubeScheduler, PluginScheduler, Rule

#: scheduler-plugins 0.34.7 is the last release: it serves an API server of its own minor, or of the next one
pytestmark = pytest.mark.requires("kubernetes>=1.34,<1.36")

POD_GROUP = "manifests/objects/pod-group.yaml"
COSCHEDULING = PluginScheduler(
    "coscheduling",
    module="scheduler-plugins",
    config="manifests/schedulers/coscheduling.yaml",
    crds=("sigs.k8s.io/scheduler-plugins/config/crd/bases/scheduling.x-k8s.io_podgroups.yaml",),
    rules=(Rule(("scheduling.x-k8s.io",), ("podgroups",), ("list", "watch")),),
)


@pytest.fixture
def coscheduling(install):
    return install(COSCHEDULING)


@pytest.fixture
def member(pods):
    """Create a pod of a group, of 1 CPU."""

    def create(group="gang", name=None, *, scheduler):
        labels = {"scheduling.x-k8s.io/pod-group": group}
        return pods.create(name, scheduler=scheduler, labels=labels, requests={"cpu": "1"})

    return create


def test_group_waits_at_two_and_runs_at_three(coscheduling, objects, member, nodes, expect):
    claimed = nodes.claim(3)  # a real node may have room for one of them only
    objects.create(POD_GROUP)
    gang = [first, second] = [member(scheduler=coscheduling) for _ in range(2)]
    # The first may have been tried before there was a second; nothing makes the plugin try it again.
    expect(first).pending(rejected_by="Coscheduling", message="cannot find enough sibling pods")
    expect(second).pending(rejected_by="Coscheduling", message="current pods number: 2, minMember of group: 3")
    expect(first).stays_pending()

    gang.append(member(scheduler=coscheduling))
    for pod in gang:
        expect(pod).running()
        expect(pod).bound_to_one_of(claimed)


@pytest.mark.usefixtures("coscheduling")
def test_default_scheduler_does_not_wait(objects, member, nodes, expect):
    """Control arm: without the plugin, the first pod of a group runs."""
    nodes.claim(1)
    objects.create(POD_GROUP)
    expect(member(scheduler=None)).running()


def test_without_the_right_to_list_groups_it_does_not_get_ready(install):
    with pytest.raises(ComponentError, match=r"was refused: .*list podgroups of API group 'scheduling\.x-k8s\.io'"):
        install(replace(COSCHEDULING, rules=()), timeout=3)


@pytest.mark.requires("resize", "whole-cluster")  # what others change has the group tried again
def test_time_out_releases_what_a_part_of_the_group_has_reserved(coscheduling, objects, member, pods, nodes, expect):
    """Two of the three exist, but no scheduler serves them: the third gets a node, and waits for them in vain."""
    (node,) = nodes.claim(1, capacity={"cpu": "1"})
    objects.create(POD_GROUP, {"spec": {"scheduleTimeoutSeconds": 3}})
    for _ in range(2):
        member(scheduler="not-installed")
    waiting = member(scheduler=coscheduling)
    other = pods.create(scheduler=coscheduling, requests={"cpu": "1"})
    expect(other).pending(rejected_by="NodeResourcesFit", message="Insufficient cpu")

    # An Event, which stays: the pod is tried again at once, and its condition tells of that.
    expect(waiting).event("FailedScheduling", message="rejected due to timeout after waiting 3s at plugin Coscheduling")
    expect(other).bound_to(node)
    expect(waiting).stays_pending()


@pytest.fixture
def gang(coscheduling, objects, member, nodes):
    """Make the three pods of a group that has this name. There is room for four pods, and no scheduler runs yet."""
    nodes.claim(1, capacity={"cpu": "4"})
    coscheduling.uninstall()  # it has brought the kind PodGroup

    def make(name):
        objects.create(POD_GROUP, {"metadata": {"name": name}})
        return [member(name, f"{name}-{number}", scheduler="coscheduling") for number in range(3)]

    return make


@pytest.mark.requires("resize")
def test_of_two_gangs_that_cannot_both_fit_one_runs_whole_and_the_other_waits(gang, install, expect):
    """All pods wait when the scheduler starts. Groups of equal age are tried in the order of their names."""
    first, second = gang("first"), gang("second")
    install(COSCHEDULING)
    for pod in first:
        expect(pod).running()
    for pod in second:
        expect(pod).stays_pending()


@pytest.mark.requires("resize")
def test_without_the_plugin_the_other_gang_holds_what_is_left(gang, install, expect):
    """Control arm: a pod of the second gang runs, for nothing.

    The second gang comes last: from 1.35 on pods that wait when a scheduler starts are tried in any order.
    """
    first = gang("first")
    install(KubeScheduler("coscheduling"))
    for pod in first:
        expect(pod).running()
    started, *left = gang("second")
    expect(started).running()
    for pod in left:
        expect(pod).stays_pending(rejected_by="NodeResourcesFit")
