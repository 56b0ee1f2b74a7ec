"""Simulated nodes play their part at once after each return of the API server."""

import pytest


@pytest.mark.requires("restart", "simulated-nodes", "processes")
def test_pods_run_at_once_after_many_restarts(cluster, nodes, pods, expect):
    (node,) = nodes.claim(1)
    for _ in range(4):  # a client that is refused in between would wait twice as long each time
        cluster.restart_api_server()
    # Without a scheduler, which watches again after a pause of its own.
    expect(pods.create(spec={"nodeName": node.name}), timeout=5).running()
    expect(pods.create(), timeout=90).bound()  # the next test needs the default scheduler
