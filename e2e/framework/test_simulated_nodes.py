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
