"""A separate scheduler that shares no code with kube-scheduler: the chaos scheduler binds each pod to a random node.

Its picks follow from a seed and the names of pods and nodes, so a test knows them beforehand. Whether they are as
random as claimed is tested in ``test_chaos_scheduler_chance``.
"""

import itertools
import random

import pytest

from chaos_scheduler.component import chaos_scheduler
from schedtest import Taint

CLOSED = Taint("example.com/closed")

SEED = 7


def pick(seed, claimed, namespace, name):
    """Return the node that a scheduler with a seed picks in its first attempt to place a pod."""
    chance = random.Random(f"{seed}/{namespace}/{name}/1")  # noqa: S311 - chance that can be repeated, not secrecy
    return chance.choice(sorted(node.name for node in claimed))


@pytest.fixture(scope="module")
def chaos(install):
    return install(chaos_scheduler("chaos-scheduler", f"--seed={SEED}"))


def test_pod_waits_for_its_scheduler(pods, nodes, install, expect):
    pod = pods.create(scheduler="late-scheduler")
    # Control arm: the default scheduler is at work meanwhile, and could have taken the pod.
    expect(pods.create()).bound()
    expect(pod).left_alone()

    install(chaos_scheduler("late-scheduler"))

    expect(pod).bound_to_one_of(nodes.all())
    expect(pod).scheduled_by("late-scheduler")
    expect(pod).running()


def test_it_serves_its_own_pods_only(chaos, pods, expect):
    stranger = pods.create(scheduler="not-installed")
    mine = [pods.create(scheduler=chaos) for _ in range(5)]
    others = [pods.create() for _ in range(5)]
    for pod in mine:
        expect(pod).scheduled_by("chaos-scheduler")
        expect(pod).running()
    for pod in others:
        expect(pod).scheduled_by(pod.scheduler)
    expect(stranger).left_alone()


def test_picks_follow_from_the_seed(chaos, install, pods, nodes, expect):
    claimed = nodes.claim(3)
    names = [f"pod-{number}" for number in range(12)]

    def picks(scheduler):
        created = [pods.create(name, scheduler=scheduler, runs=False) for name in names]
        picked = [expect(pod).bound() for pod in created]
        for pod in created:
            pod.delete()
        return created[0].namespace, picked

    namespace, expected = picks(chaos)

    def foreseen(seed):
        return [pick(seed, claimed, namespace, name) for name in names]

    assert expected == foreseen(SEED)
    assert picks(install(chaos_scheduler("same-seed", f"--seed={SEED}"))) == (namespace, expected)
    other = next(seed for seed in itertools.count(SEED + 1) if foreseen(seed) != expected)
    assert picks(install(chaos_scheduler("other-seed", f"--seed={other}"))) == (namespace, foreseen(other))


def test_node_opened_later_is_used(chaos, pods, nodes, expect):
    (first,) = nodes.claim(1)
    for _ in range(3):
        pod = pods.create(scheduler=chaos)
        expect(pod).bound_to(first)
    (later,) = nodes.claim(1)
    for node in (first, later):
        names = (f"for-{node.name}-{number}" for number in itertools.count())
        name = next(name for name in names if pick(SEED, [first, later], pod.namespace, name) == node.name)
        expect(pods.create(name, scheduler=chaos, runs=False)).bound_to(node)


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
