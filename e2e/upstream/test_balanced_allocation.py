"""NodeResourcesBalancedAllocation favours the node whose use of resources a pod balances, as its documentation says."""

import pytest

from schedtest import KubeScheduler

pytestmark = pytest.mark.requires("resize")

#: only the balance counts
BALANCED = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "schedulerName": "balanced",
            "plugins": {
                "score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesBalancedAllocation"}]}
            },
        }
    ],
}


def test_pod_goes_where_it_improves_the_balance(install, pods, nodes, expect, known_bug):
    """One node is at 70 % of its CPU and 20 % of its memory, the other one is empty; the pod takes 10 % and 30 %.

    The first gets more balanced by the pod, the second less, but the second is the more balanced one with the pod.
    """
    balanced = install(KubeScheduler("balanced", config=BALANCED))
    lopsided, empty = nodes.claim(2, capacity={"cpu": "10", "memory": "10Gi"})
    lopsided.label({"lopsided": "yes"})
    filler = pods.create(requests={"cpu": "7", "memory": "2Gi"}, node_selector={"lopsided": "yes"})
    expect(filler).bound_to(lopsided)
    pod = pods.create(scheduler=balanced, requests={"cpu": "1", "memory": "3Gi"})
    with known_bug(
        "kubernetes<1.36",
        reason="kubernetes#135573: what counts is how balanced the node is with the pod, not what the pod changes",
        match=f"bound to {empty.name}",
    ):
        expect(pod).bound_to(lopsided)


def test_of_empty_nodes_the_one_that_the_pod_fills_evenly_is_taken(install, pods, nodes, expect):
    balanced = install(KubeScheduler("balanced", config=BALANCED))
    _wide, fitting = nodes.claim(2, capacity={"cpu": "10", "memory": "10Gi"})
    fitting.resize({"cpu": "10", "memory": "30Gi"})
    expect(pods.create(scheduler=balanced, requests={"cpu": "1", "memory": "3Gi"})).bound_to(fitting)
