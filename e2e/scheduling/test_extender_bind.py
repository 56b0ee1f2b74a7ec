"""An extender with the verb bind binds in kube-scheduler's place, and is believed."""

import pytest

from schedtest import ConfigurationError, ExpectationError, KubeScheduler
from schedtest.extender import Binder, ExtenderBindingResult

pytestmark = pytest.mark.bound_only

REFUSED = "not the first time"


class Moody(Binder):
    """Bind, but treat some pods otherwise, by their names: refuse one once, and lie about another."""

    def __init__(self, kubeconfig):
        super().__init__(kubeconfig)
        self.refused = set()

    def bind(self, args):
        if args.pod_name == "lied-about":
            return ExtenderBindingResult()
        if args.pod_name == "refused" and args.pod_uid not in self.refused:
            self.refused.add(args.pod_uid)
            return ExtenderBindingResult(error=REFUSED)
        return super().bind(args)


@pytest.fixture(scope="module")
def served(extenders, cluster):
    return extenders.serve(Moody(cluster.kubeconfig))


@pytest.fixture(scope="module")
def delegating(install, served):
    return install(KubeScheduler("delegating", extenders=[served.configuration()]))


def test_extender_binds(delegating, served, pods, nodes, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=delegating)
    expect(pod).bound_to(node)
    expect(pod).scheduled_by("delegating")
    (call,) = served.calls.of(pod=pod)
    assert (call.verb, call.nodes, call.pod) == ("bind", [node.name], f"{pod.namespace}/{pod.name}")


def test_refused_binding_is_tried_again(delegating, served, pods, nodes, expect):
    nodes.claim(1)
    pod = pods.create("refused", scheduler=delegating)
    expect(pod).event("FailedScheduling", message=REFUSED)
    expect(pod).bound()
    # The pod is bound within the call, which is recorded when it is over.
    assert [call.result.error for call in served.calls.wait("bind", pod, count=2)] == [REFUSED, ""]


def test_the_scheduler_does_not_bind(delegating, served, pods, nodes, expect):
    """Control arm: kube-scheduler takes the extender's word, reports the pod as scheduled, and forgets about it."""
    nodes.claim(1)
    pod = pods.create("lied-about", scheduler=delegating)
    expect(pod).event("Scheduled")
    with pytest.raises(ExpectationError, match="wanted: bound to a node"):
        expect(pod, timeout=0.5).bound()
    with pytest.raises(ExpectationError, match="a Scheduled event; Pending"):
        expect(pod, timeout=0.5).scheduled_by("delegating")
    assert len(served.calls.of("bind", pod)) == 1


def test_only_one_extender_may_bind(extenders, cluster, install):
    served = extenders.serve(Moody(cluster.kubeconfig))
    with pytest.raises(ConfigurationError, match="only one extender can implement bind"):
        install(KubeScheduler("torn", extenders=[served.configuration()] * 2))
    assert not served.calls
