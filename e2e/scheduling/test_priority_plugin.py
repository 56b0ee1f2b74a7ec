"""A plugin compiled into kube-scheduler: Priority runs pods on labelled nodes only, the highest ranked first."""

import pytest

from schedtest import ConfigurationError, PluginScheduler

LABEL = "schedtest.dev/priority"
UNLABELLED = f"node does not have label {LABEL}"


@pytest.fixture(scope="module")
def priority(install):
    return install(
        PluginScheduler(
            "i-scheduler", module="scheduler", follow_kubernetes=True, config="manifests/schedulers/priority.yaml"
        )
    )


def test_pods_follow_the_labels(priority, nodes, deployments, expect):
    """The story of a deployment: no node is ranked, one is, a better one is, the first overtakes it."""
    first, second = nodes.claim(2)
    web = deployments.create("web", scheduler=priority)
    (pod,) = web.pods(1)
    expect(pod).stays_pending(rejected_by="Priority", message=f"2 {UNLABELLED}")

    first.label({LABEL: "10"})
    expect(pod).bound_to(first)
    expect(pod).scheduled_by("i-scheduler")

    second.label({LABEL: "20"})
    web.scale(2)
    _, added = web.pods(2)
    expect(added).bound_to(second)

    first.label({LABEL: "30"})
    web.restart()
    for replaced in web.pods(2):
        expect(replaced).bound_to(first)


def test_pod_waits_again_once_the_label_is_gone(priority, nodes, pods, expect):
    (node,) = nodes.claim(1, labels={LABEL: "10"})
    expect(pods.create(scheduler=priority)).bound_to(node)
    node.label({LABEL: None})
    expect(pods.create(scheduler=priority)).stays_pending(rejected_by="Priority", message=f"1 {UNLABELLED}")


def test_label_that_is_no_number_is_an_error_that_names_the_node(priority, nodes, pods, expect):
    """Two nodes are feasible, or the bad value would never be read: a single feasible node is not scored."""
    good, bad = nodes.claim(2, labels={LABEL: "10"})
    bad.label({LABEL: "abc"})
    pod = pods.create(scheduler=priority)
    rejection = expect(pod).stays_pending(message=f'node {bad.name} has label {LABEL}="abc"')
    assert rejection.reason == "SchedulerError"

    elsewhere = pods.create(scheduler=priority, node_selector={"kubernetes.io/hostname": good.name})
    expect(elsewhere).bound_to(good)

    bad.label({LABEL: "20"})
    expect(pod).bound_to(bad)


def test_default_scheduler_does_not_care(nodes, pods, expect):
    """Control arm: without the plugin, pods run on nodes that have no label."""
    claimed = nodes.claim(2)
    expect(pods.create()).bound_to_one_of(claimed)


def test_bad_argument_is_refused_with_the_plugins_own_words(install):
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {
                "schedulerName": "broken",
                "plugins": {"filter": {"enabled": [{"name": "Priority"}]}},
                "pluginConfig": [{"name": "Priority", "args": {"labelKey": "not a key"}}],
            }
        ],
    }
    with pytest.raises(ConfigurationError, match="labelKey"):
        install(PluginScheduler("broken", module="scheduler", follow_kubernetes=True, config=config))
