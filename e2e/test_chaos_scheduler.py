"""A separate scheduler that shares no code with kube-scheduler: the chaos scheduler binds each pod to a random node.

Where chance decides, the docstring says how often a correct scheduler would fail the test.
"""

import pytest

from schedtest import ChaosScheduler
from schedtest.objects.builders import Taint

CLOSED = Taint("example.com/closed")


@pytest.fixture(scope="module")
def chaos(install):
    return install(ChaosScheduler(seed=7))


def test_pod_waits_for_its_scheduler(pods, nodes, install, expect):
    pod = pods.create(scheduler="late-scheduler")
    # Control arm: the default scheduler is at work meanwhile, and could have taken the pod.
    expect(pods.create()).bound()
    expect(pod).left_alone()

    install(ChaosScheduler("late-scheduler"))

    expect(pod).bound_to_one_of(nodes.all())
    expect(pod).scheduled_by("late-scheduler")
    expect(pod).running()


def test_it_serves_its_own_pods_only(chaos, pods, expect):
    stranger = pods.create(scheduler="nobody")
    mine = [pods.create(scheduler=chaos) for _ in range(5)]
    others = [pods.create() for _ in range(5)]
    for pod in mine:
        expect(pod).scheduled_by("chaos-scheduler")
        expect(pod).running()
    for pod in others:
        expect(pod).scheduled_by(pod.scheduler)
    expect(stranger).left_alone()


def test_same_seed_gives_the_same_picks(chaos, install, pods, nodes, expect):
    """Twelve picks among three nodes agree by chance once in 500 000 runs: so rarely the last line fails."""
    nodes.claim(3)

    def picks(scheduler):
        created = [pods.create(f"pod-{number}", scheduler=scheduler, runs=False) for number in range(12)]
        picked = [expect(pod).bound() for pod in created]
        for pod in created:
            pod.delete()
        return picked

    expected = picks(chaos)
    assert picks(install(ChaosScheduler("same-seed", seed=7))) == expected
    assert picks(install(ChaosScheduler("other-seed", seed=8))) != expected


def test_node_opened_later_is_used(chaos, pods, nodes, expect):
    """Twenty picks leave one of two nodes out by chance once in 500 000 runs: so rarely the last line fails."""
    (first,) = nodes.claim(1)
    for _ in range(3):
        expect(pods.create(scheduler=chaos)).bound_to(first)
    (later,) = nodes.claim(1)
    created = [pods.create(scheduler=chaos, runs=False) for _ in range(20)]
    assert {expect(pod).bound() for pod in created} == {first.name, later.name}


def test_pod_waits_with_the_reason_until_a_node_opens(chaos, pods, nodes, expect):
    cordoned, tainted = nodes.claim(2)
    cordoned.cordon()
    tainted.taint(CLOSED)
    pod = pods.create(scheduler=chaos)
    expect(pod).stays_pending(message="1 node(s) were unschedulable")
    # Control arm: the scheduler is at work meanwhile.
    expect(pods.create(scheduler=chaos, tolerates=[CLOSED])).bound_to(tainted)
    cordoned.uncordon()
    expect(pod).bound_to(cordoned)


def test_the_reason_is_in_an_event_too(chaos, pods, nodes, expect):
    for node in nodes.claim(1):
        node.taint(CLOSED)
    pod = pods.create(scheduler=chaos)
    expect(pod).event("FailedScheduling", message="node(s) had untolerated taint(s)")
    # Control arm: a pod that tolerates the taint is bound at the first attempt.
    welcome = pods.create(scheduler=chaos, tolerates=[CLOSED])
    expect(welcome).scheduled_by("chaos-scheduler")
    expect(welcome).no_event("FailedScheduling")
