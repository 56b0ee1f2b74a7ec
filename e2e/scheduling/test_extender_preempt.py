"""An extender with the verb preempt has the last word on where other pods have to go, and which."""

import pytest

from schedtest import Extender, KubeScheduler
from schedtest.extender import ExtenderPreemptionResult, MetaPod, MetaVictims

pytestmark = pytest.mark.requires("resize")


class Decides(Extender):
    """Do as the preempting pod's labels say: spare a node, or let one particular pod go."""

    def preempt(self, args):
        labels = args.pod_labels
        if "victim" in labels:
            victims = MetaVictims(pods=[MetaPod(uid=labels["victim"])])
            return ExtenderPreemptionResult(node_name_to_meta_victims=dict.fromkeys(args.names, victims))
        return args.keep([name for name in args.names if name != labels.get("spare")])


@pytest.fixture(scope="module")
def served(extenders):
    return extenders.serve(Decides())


def preempting(install, served, name, **choices):
    return install(KubeScheduler(name, extenders=[served.configuration(**choices)]))


@pytest.fixture(scope="module")
def scheduler(install, served):
    return preempting(install, served, "preempting")


@pytest.fixture(scope="module")
def schedulers(install, served, scheduler):
    """Give a scheduler for each form in which its extender gets the victims."""
    by_uid = preempting(install, served, "preempting-by-uid", node_cache_capable=True)
    return {"node_name_to_victims": scheduler, "node_name_to_meta_victims": by_uid}


@pytest.fixture
def priorities(pods):
    return [pods.priority_class(name, value) for name, value in (("low", 1), ("mid", 2), ("high", 3))]


@pytest.mark.parametrize("form", ["node_name_to_victims", "node_name_to_meta_victims"])
def test_extender_chooses_the_node(form, schedulers, served, priorities, pods, nodes, expect):
    """Of two nodes that could be cleared, kube-scheduler would take the one whose victim has the lower priority."""
    low, mid, high = priorities
    nodes.claim(2, capacity={"cpu": "2"})
    cheap, dear = (pods.create(requests={"cpu": "2"}, priority_class=level) for level in (low, mid))
    spared, cleared = expect(cheap).running(), expect(dear).running()
    important = pods.create(
        scheduler=schedulers[form], requests={"cpu": "2"}, priority_class=high, labels={"spare": spared}
    )
    expect(dear).preempted(by=important)
    assert expect(important).bound() == cleared
    assert expect(cheap).running() == spared
    args = served.calls.of("preempt", important)[0].args
    assert getattr(args, form) is not None
    assert {name: [pod.uid for pod in victims.pods] for name, victims in args.victims.items()} == {
        spared: [cheap.uid],
        cleared: [dear.uid],
    }


@pytest.mark.parametrize("chosen", [None, "mid"], ids=["by kube-scheduler", "by the extender"])
def test_extender_chooses_the_victim(chosen, scheduler, priorities, pods, nodes, expect):
    """Control arm: the one with the lower priority goes, if the extender agrees."""
    low, mid, high = priorities
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    victims = {
        name: pods.create(requests={"cpu": "1"}, priority_class=level) for name, level in (("low", low), ("mid", mid))
    }
    for victim in victims.values():
        expect(victim).running()
    labels = {"victim": victims[chosen].uid} if chosen else {}
    important = pods.create(scheduler=scheduler, requests={"cpu": "1"}, priority_class=high, labels=labels)
    gone = victims.pop(chosen or "low")
    expect(gone).preempted(by=important)
    expect(important).bound_to(node)
    (left,) = victims.values()
    expect(left).running()


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [("spare", "no candidate node for preemption"), ("victim", "but the pod is not found on that node")],
)
def test_no_victim_goes(wanted, reason, scheduler, priorities, pods, nodes, expect):
    """The extender leaves no node over, or names a victim that is not there."""
    low, _mid, high = priorities
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    resident = pods.create(requests={"cpu": "2"}, priority_class=low)
    expect(resident).running()
    labels = {"spare": node.name} if wanted == "spare" else {"victim": "no-such-uid"}
    important = pods.create(scheduler=scheduler, requests={"cpu": "2"}, priority_class=high, labels=labels)
    expect(important).stays_pending(message=reason)
    expect(resident).running()
