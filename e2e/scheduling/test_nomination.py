"""Nominations: to the node where a pod has preempted others, and from 1.35 on while its binding waits."""

import pytest

from schedtest import ExpectationError, KubeScheduler

pytestmark = pytest.mark.bound_only


@pytest.mark.requires("resize")
def test_preemptor_is_nominated_to_the_node_of_its_victim(full, pods, expect):
    node, victim, let_go = full
    preemptor = pods.create(requests={"cpu": "1"}, priority_class=pods.priority_class("high", 1000))
    assert expect(preemptor).nominated_to(node) == "preemption"
    expect(preemptor).nominated_to(node, by="preemption")
    with pytest.raises(ExpectationError, match=r"never nominated"):
        expect(victim, timeout=1).nominated_to(node)
    with pytest.raises(ExpectationError, match=rf"nominated to {node.name}, by preemption"):
        expect(preemptor, timeout=1).nominated_to(node, by="binding")
    let_go()
    expect(preemptor).bound_to(node)
    expect(preemptor).nominated_to(node, by="preemption")


@pytest.mark.requires("resize")
def test_other_node_is_the_wrong_one(full, nodes, pods, expect):
    node, *_ = full
    (other,) = nodes.claim(1, capacity={"cpu": "500m"})
    preemptor = pods.create(requests={"cpu": "1"}, priority_class=pods.priority_class("high", 1000))
    expect(preemptor).nominated_to(node)
    with pytest.raises(ExpectationError, match=rf"seen: +nominated to {node.name}"):
        expect(preemptor, timeout=1).nominated_to(other)


@pytest.mark.requires("resize")
def test_scheduler_that_does_not_preempt_nominates_nothing(full, install, pods, expect):
    node, *_ = full
    off = {"schedulerName": "polite", "plugins": {"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "profiles": [off],
    }
    polite = install(KubeScheduler("polite", config=config))
    preemptor = pods.create(scheduler=polite, requests={"cpu": "1"}, priority_class=pods.priority_class("high", 1000))
    expect(preemptor).pending(rejected_by="NodeResourcesFit")
    with pytest.raises(ExpectationError, match=r"seen: +never nominated"):
        expect(preemptor, timeout=1).nominated_to(node)


@pytest.mark.requires("resize")
def test_nomination_is_cleared_for_a_more_important_pod(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    levels = [pods.priority_class(name, value) for name, value in (("low", 1), ("mid", 500), ("high", 1000))]
    victims = [pods.create(requests={"cpu": "1"}, priority_class=levels[0]) for _ in range(2)]
    for victim in victims:
        victim.patch({"metadata": {"finalizers": ["example.com/stays"]}})
        expect(victim).bound_to(node)
    middle = pods.create(requests={"cpu": "1"}, priority_class=levels[1])
    expect(middle).nominated_to(node, by="preemption")
    with pytest.raises(ExpectationError, match=rf"seen: +nominated to {node.name}"):
        expect(middle, timeout=1).nomination_cleared()
    mark = expect.mark()
    high = pods.create(requests={"cpu": "2"}, priority_class=levels[2])
    expect(high).nominated_to(node, by="preemption", since=mark)
    assert expect(middle).nomination_cleared(since=mark) == f"no longer nominated to {node.name}"
    for victim in victims:
        victim.patch({"metadata": {"finalizers": None}})


@pytest.mark.requires("kubernetes>=1.35")
def test_binding_that_waits_is_a_nomination(late_volumes, nodes, pods, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(spec=late_volumes.using(late_volumes.claim()))
    assert expect(pod).nominated_to(node) == "binding"
    with pytest.raises(ExpectationError, match=rf"nominated to {node.name}, by binding"):
        expect(pod, timeout=1).nominated_to(node, by="preemption")
