"""The API server crashes and is back: no pod is lost, and none is bound twice."""

import pytest

from schedtest import ChaosScheduler

pytestmark = pytest.mark.requires("restart")

AFTERWARDS = {"example.com/after": "the-crash"}


@pytest.fixture(scope="module")
def chaos(install):
    return install(ChaosScheduler())


@pytest.mark.parametrize("scheduler", [None, "chaos-scheduler"], ids=["default-scheduler", "chaos-scheduler"])
def test_burst_around_the_crash_is_bound(scheduler, chaos, cluster, nodes, pods, expect):  # noqa: ARG001 - chaos runs
    """Of 100 pods half are made just before the crash, while the others are being bound, and half just after it."""
    burst = [pods.create(scheduler=scheduler) for _ in range(50)]
    cluster.restart_api_server()
    burst += [pods.create(scheduler=scheduler) for _ in range(50)]
    for pod in burst:
        expect(pod).bound()
        expect(pod).running()
    # What changes afterwards is seen as well: the default scheduler's watch of nodes is back, too.
    (node,) = nodes.claim(1, labels=AFTERWARDS)
    expect(pods.create(node_selector=AFTERWARDS)).bound_to(node)
