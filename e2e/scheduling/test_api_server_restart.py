"""The API server crashes and is back: no pod is lost, and a scheduler binds none twice."""

import re
from collections import Counter

import pytest

from chaos_scheduler.component import chaos_scheduler

pytestmark = pytest.mark.requires("restart")

AFTERWARDS = {"example.com/after": "the-crash"}


@pytest.fixture
def chaos(install):
    return install(chaos_scheduler())


def test_bursts_around_the_crash_are_bound(chaos, cluster, nodes, pods, expect):
    """Two schedulers have 50 pods each. Half of them are made just before the crash, half just after it."""
    schedulers = [{}, {"scheduler": chaos}]
    running = [pods.create(**chosen) for chosen in schedulers]
    burst = [pods.create(**chosen, runs=False) for _ in range(25) for chosen in schedulers]
    cluster.restart_api_server()
    burst += [pods.create(**chosen, runs=False) for _ in range(25) for chosen in schedulers]
    for pod in burst:
        expect(pod).bound()
    # Where the answer to a binding was lost in the crash, the scheduler finds the pod bound, and binds no other node.
    bindings = Counter(re.findall(rb"bound pod (\S+) to \S+", chaos.log()))
    assert set(bindings.values()) == {1}
    assert len(bindings) >= 26, "those that it was not about to bind in the crash"
    running += [pods.create(**chosen) for chosen in schedulers]
    for pod in running:
        expect(pod).running()
    # What changes afterwards is seen as well: the default scheduler's watch of nodes is back, too.
    (node,) = nodes.claim(1, labels=AFTERWARDS)
    expect(pods.create(node_selector=AFTERWARDS)).bound_to(node)
