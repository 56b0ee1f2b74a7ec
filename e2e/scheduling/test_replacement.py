"""In place of the default scheduler: meanwhile the pods that name none are served by another one."""

import pytest

from schedtest import ConfigurationError, ForkedScheduler, KubeScheduler, Taint

pytestmark = [pytest.mark.bound_only, pytest.mark.requires("default-scheduler")]

DRAWS = 12

MAINTENANCE = Taint("example.com/maintenance")
MINE = {"mine": "yes"}


def configured(**profile):
    """Return a configuration whose one profile serves what names no scheduler."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", **profile}],
    }


#: without the plugin that keeps pods off tainted nodes
FORGETFUL = configured(plugins={"filter": {"disabled": [{"name": "TaintToleration"}]}})


def drawn(pods, claimed, expect):
    """Return the nodes that pods without a schedulerName were bound to, one after the other."""
    chosen = []
    for _ in range(DRAWS):
        pod = pods.create(node_selector=MINE)
        chosen.append(expect(pod).bound_to_one_of(claimed))
        expect(pod).scheduled_by("default-scheduler")
        pod.delete()  # so that the nodes stay equal
    return chosen


def test_fork_takes_the_place_of_the_default_scheduler_and_gives_it_back(install, pods, nodes, expect):
    """The last node is tainted: the stock scheduler must not go there, and the fork always does."""
    claimed = nodes.claim(3)
    for node in claimed:
        node.label(MINE)
    last = max(claimed, key=lambda node: node.name)
    last.taint(MAINTENANCE)
    fork = install(
        ForkedScheduler("last-by-name", patch="manifests/forks/last-by-name.patch", config=FORGETFUL), replace=True
    )
    assert set(drawn(pods, claimed, expect)) == {last.name}
    fork.uninstall()
    assert last.name not in drawn(pods, claimed, expect)


def test_pod_that_waits_for_the_default_scheduler_is_tried_by_the_new_one(install, pods, nodes, expect):
    (node,) = nodes.claim(1)
    node.label(MINE)
    node.taint(MAINTENANCE)
    waiting = pods.create(node_selector=MINE)
    expect(waiting).pending(rejected_by="TaintToleration")

    careless = install(KubeScheduler("careless", config=FORGETFUL), replace=True)
    expect(waiting).bound_to(node)
    careless.uninstall()
    expect(pods.create(node_selector=MINE)).stays_pending(rejected_by="TaintToleration")


def test_default_scheduler_goes_on_if_the_other_one_refuses_its_configuration(install, pods, expect):
    broken = configured(plugins={"filter": {"enabled": [{"name": "NoSuchPlugin"}]}})
    with pytest.raises(ConfigurationError, match='"NoSuchPlugin" does not exist'):
        install(KubeScheduler("broken", config=broken), replace=True)
    expect(pods.create()).scheduled_by("default-scheduler")
