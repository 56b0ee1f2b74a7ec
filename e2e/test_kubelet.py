"""Real nodes: containers that really run, kubelets that die, machines that are switched off."""

import pytest

pytestmark = pytest.mark.requires("kubelet")

#: by default a pod stays for five minutes on a node that does not answer
AT_ONCE = {
    "tolerations": [
        {"key": f"node.kubernetes.io/{state}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}
        for state in ("unreachable", "not-ready")
    ]
}


def test_container_is_created_and_runs(pods, nodes, expect):
    (node,) = nodes.claim(1)
    pod = pods.create()
    expect(pod).running()
    for reason in ("Scheduled", "Pulled", "Created", "Started"):
        expect(pod).event(reason)
    assert expect(pod).bound() == node.name


def test_pods_of_a_node_that_stops_come_up_elsewhere(deployments, nodes, expect):
    first, second = nodes.claim(2)
    second.cordon()
    web = deployments.create("web", spec=AT_ONCE)
    (before,) = web.pods(1)
    expect(before).bound_to(first)
    expect(before).running()

    second.uncordon()
    first.stop()
    expect(first).not_ready()
    # Its kubelet cannot confirm that the pod is gone, so it stays while it is being deleted.
    expect(before).evicted("DeletionByTaintManager")
    (after,) = web.pods(1)
    expect(after).bound_to(second)
    expect(after).running()

    first.start()
    expect(first).ready()


def test_kubelet_that_is_killed_comes_back_and_its_pods_run_on(pods, nodes, expect):
    nodes.claim(1)
    before = pods.create()
    expect(before).running()
    (node,) = [each for each in nodes.all() if each.name == expect(before).bound()]
    node.kill_kubelet()
    after = pods.create()
    expect(after).bound_to(node)
    expect(after).running()
    expect(before).running()
