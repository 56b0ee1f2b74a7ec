"""Simulated nodes play their part at once after each return of the API server, and the next test's schedulers, too."""

import pytest

from schedtest import KubeScheduler

pytestmark = pytest.mark.requires("restart", "simulated-nodes", "processes")


@pytest.fixture(scope="module")
def second(install):
    return install(KubeScheduler("second"))


@pytest.mark.usefixtures("second")
def test_pods_run_at_once_after_many_restarts(cluster, nodes, pods, expect):
    (node,) = nodes.claim(1)
    for _ in range(4):  # a client that is refused in between would wait twice as long each time
        cluster.restart_api_server()
    # Without a scheduler, which watches again after a pause of its own.
    expect(pods.create(spec={"nodeName": node.name}), timeout=10).running()


def test_schedulers_watch_again_for_the_next_test(second, nodes, pods, expect):
    (node,) = nodes.claim(1)
    for pod in (pods.create(), pods.create(scheduler=second)):
        expect(pod, timeout=10).bound_to(node)


def test_pod_that_is_called_not_ready_is_ready_again(nodes, pods, expect):
    """As the controller manager does if a node's Lease ends for a moment, and as a kubelet mends it."""
    (node,) = nodes.claim(1)
    pod = pods.create(spec={"nodeName": node.name})
    expect(pod).running()
    before = pod.object["status"]["conditions"]
    unready = {"type": "Ready", "status": "False", "reason": "Tested", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    pod.patch(
        {"status": {"conditions": [*(each for each in before if each["type"] != "Ready"), unready]}}, part="status"
    )
    expect(pod).condition("Ready", "True")
    (ready,) = (each for each in pod.object["status"]["conditions"] if each["type"] == "Ready")
    assert ready["lastTransitionTime"] > unready["lastTransitionTime"]


def test_nodes_that_are_deleted_and_made_again_at_once_run_pods(nodes, pods, expect):
    """KWOK would lose some of them, and would be late for others."""
    bodies = [{"metadata": {"name": f"again-{number}"}} for number in range(4)]
    for _ in range(15):
        for node in nodes.create(bodies):
            node.delete()
        made = nodes.create(bodies)
        bound = [pods.create(spec={"nodeName": node.name}) for node in made]
        for pod in bound:
            expect(pod, timeout=5).running()
            pod.delete()
        for node in made:
            node.delete()
