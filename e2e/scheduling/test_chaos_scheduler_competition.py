"""Two schedulers compete for the last CPU of a node.

Kubernetes documents that several schedulers know nothing of each other, and that a binding is not checked against what
a node has left: the API server accepts every binding of a pod that has none. Who looks is the scheduler, before it
binds, and the kubelet, afterwards: on a real node the kubelet rejects the pod that it sees last (phase ``Failed``,
reason ``OutOfcpu``). A simulated node has no kubelet, and runs both.

Which of two kube-schedulers is first is a matter of chance. The chaos scheduler makes the outcome certain: it never
looks at resources, so it is the competitor that has not yet seen the other's binding.
"""

import pytest

from chaos_scheduler.component import chaos_scheduler

pytestmark = pytest.mark.requires("resize")

LAST = {"cpu": "1"}


@pytest.fixture(scope="module")
def chaos(install):
    return install(chaos_scheduler())


def test_second_binding_to_the_last_cpu_is_accepted(chaos, pods, nodes, expect):
    (node,) = nodes.claim(1, capacity=LAST)
    first = pods.create(requests=LAST)
    expect(first).bound_to(node)
    second = pods.create(scheduler=chaos, requests=LAST)
    expect(second).bound_to(node)
    expect(first).bound_to(node)
    # Control arm: there is no room indeed.
    expect(pods.create(requests=LAST)).stays_pending(rejected_by="NodeResourcesFit", message="1 Insufficient cpu")


@pytest.mark.requires("simulated-nodes")
def test_simulated_node_runs_both(chaos, pods, nodes, expect):
    nodes.claim(1, capacity=LAST)
    both = [pods.create(requests=LAST, **chosen) for chosen in ({}, {"scheduler": chaos})]
    for pod in both:
        expect(pod).running()


def test_scheduler_that_looks_respects_the_bindings_of_another(chaos, pods, nodes, expect):
    (node,) = nodes.claim(1, capacity=LAST)
    expect(pods.create(scheduler=chaos, requests=LAST)).bound_to(node)
    late = pods.create(requests=LAST)
    expect(late).stays_pending(rejected_by="NodeResourcesFit", message="1 Insufficient cpu")
