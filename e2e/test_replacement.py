"""In place of the default scheduler: meanwhile the pods that name none are served by another one."""

import pytest

from schedtest import ConfigurationError, ForkedScheduler, KubeScheduler
from schedtest.objects.builders import Taint

pytestmark = pytest.mark.requires("default-scheduler")

DRAWS = 12

MAINTENANCE = Taint("example.com/maintenance")


def configured(**profile):
    """Return a configuration whose one profile serves what names no scheduler."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", **profile}],
    }


def drawn(pods, claimed, expect):
    """Return the nodes that pods without a schedulerName were bound to, one after the other."""
    chosen = []
    for _ in range(DRAWS):
        pod = pods.create()
        chosen.append(expect(pod).bound_to_one_of(claimed))
        expect(pod).scheduled_by("default-scheduler")
        pod.delete()  # so that the nodes stay equal
    return chosen


def test_fork_takes_the_place_of_the_default_scheduler_and_gives_it_back(install, pods, nodes, expect):
    claimed = nodes.claim(3)
    last = max(node.name for node in claimed)
    fork = install(
        ForkedScheduler("last-by-name", patch="manifests/forks/last-by-name.patch", config=configured()), replace=True
    )
    assert set(drawn(pods, claimed, expect)) == {last}
    fork.uninstall()
    # The stock scheduler leaves it to chance: 3**-12 to choose as the fork does.
    assert set(drawn(pods, claimed, expect)) != {last}


def test_pod_that_waits_for_the_default_scheduler_is_tried_by_the_new_one(install, pods, nodes, expect):
    (node,) = nodes.claim(1)
    node.label({"mine": "yes"})
    node.taint(MAINTENANCE)
    waiting = pods.create(node_selector={"mine": "yes"})
    expect(waiting).pending(rejected_by="TaintToleration")

    forgetful = configured(plugins={"filter": {"disabled": [{"name": "TaintToleration"}]}})
    careless = install(KubeScheduler("careless", config=forgetful), replace=True)
    expect(waiting).bound_to(node)
    careless.uninstall()
    expect(pods.create(node_selector={"mine": "yes"})).stays_pending(rejected_by="TaintToleration")


def test_default_scheduler_goes_on_if_the_other_one_refuses_its_configuration(install, pods, expect):
    broken = configured(plugins={"filter": {"enabled": [{"name": "NoSuchPlugin"}]}})
    with pytest.raises(ConfigurationError, match='"NoSuchPlugin" does not exist'):
        install(KubeScheduler("broken", config=broken), replace=True)
    expect(pods.create()).scheduled_by("default-scheduler")
