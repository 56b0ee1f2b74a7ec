"""Components as static pods of the control plane's node, which a kubelet starts before anybody schedules anything."""

import pytest

from schedtest import ConfigurationError, ExtenderProgram, ForkedScheduler, KubeScheduler
from schedtest.extender import Forward

pytestmark = pytest.mark.requires("kubelet", "default-scheduler")

DEFAULTS = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


@pytest.fixture
def static_pods(pods):
    """List what is called as a kubelet calls a component's static pod in the API: with the name of its node."""
    ours = {"app.kubernetes.io/managed-by": "schedtest"}
    return lambda name: [pod for pod in pods.select(ours, namespace="kube-system") if pod.name.startswith(f"{name}-")]


def test_fork_takes_the_place_of_the_default_scheduler_and_gives_it_back(install, static_pods, pods, nodes, expect):
    last = max(nodes.claim(3), key=lambda node: node.name)
    fork = ForkedScheduler("last-by-name", patch="manifests/forks/last-by-name.patch", config=DEFAULTS)
    forked = install(fork, static=True, replace=True)
    (static,) = static_pods("last-by-name")
    expect(static).running()
    for _ in range(12):
        pod = pods.create(runs=False)
        expect(pod).bound_to(last)
        pod.delete()  # so that the nodes stay equal
    expect(pods.create(node_selector={"no": "such"})).stays_pending(rejected_by="NodeAffinity")

    forked.uninstall()
    assert static_pods("last-by-name") == []
    expect(pods.create()).scheduled_by("default-scheduler")


def test_default_scheduler_goes_on_if_the_other_one_refuses_its_configuration(install, static_pods, pods, expect):
    broken = {**DEFAULTS, "profiles": [{"plugins": {"filter": {"enabled": [{"name": "NoSuchPlugin"}]}}}]}
    with pytest.raises(ConfigurationError, match='"NoSuchPlugin" does not exist'):
        install(KubeScheduler("broken", config=broken), static=True, replace=True)
    assert static_pods("broken") == []
    expect(pods.create()).scheduled_by("default-scheduler")


def test_one_that_was_killed_serves_what_has_waited_once_it_is_restarted(install, pods, expect):
    static = install(KubeScheduler("static"), static=True)
    expect(pods.create(scheduler=static)).scheduled_by("static")
    static.kill()
    pod = pods.create(scheduler=static)
    expect(pod).left_alone()
    static.restart()
    expect(pod).scheduled_by("static")


def test_extender_answers_the_scheduler_that_calls_it(install, extenders, static_pods, pods, nodes, expect):
    nodes.claim(2)
    chaos = install(
        ExtenderProgram(
            "dice",
            module="schedtest.extender.chaos",
            arguments=lambda at: [f"--host={at.host}", f"--port={at.port}", "--seed=7"],
        ),
        static=True,
    )
    (static,) = static_pods("dice")
    expect(static).running()
    recorded = extenders.serve(Forward(chaos.url, verbs=["prioritize"]))
    direct = {"urlPrefix": chaos.url, "prioritizeVerb": "prioritize", "weight": 1}
    for extender in (recorded.configuration(), direct):
        scheduler = install(KubeScheduler("diced", extenders=[extender]))
        expect(pods.create(scheduler=scheduler)).bound()
        scheduler.uninstall()
    (call,) = recorded.calls.of("prioritize")
    assert sorted(call.result.scores) == sorted(call.args.names)
    # One of the one that is recorded, and one of the other; the first line names the verbs as well.
    assert chaos.log().count(b"\nprioritize ") == 2
