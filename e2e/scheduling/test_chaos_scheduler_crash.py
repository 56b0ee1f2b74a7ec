"""The chaos scheduler dies, and nothing is lost and nothing is done twice."""

import re
from collections import Counter

import pytest

from chaos_scheduler.component import Election, chaos_scheduler

pytestmark = pytest.mark.bound_only

#: four seconds until a dead leader's place is taken, and three that a busy machine may take to renew a Lease
SHORT = Election(duration=4, renew_deadline=3, retry_period=0.2)

#: how many bindings it has under way at most
WORKERS = 4

#: pods of a burst: more than it binds until a container of kind is killed
BURST = 200

#: bursts that are tried, each twice as large: on a busy machine a whole one may be bound before the first news of it
BURSTS = 4


def bindings_in(log):
    """Return the pods and nodes of all bindings that a scheduler has logged."""
    return [(pod.decode(), node.decode()) for pod, node in re.findall(rb"bound pod (\S+) to (\S+)", log)]


def kill_once_bound(scheduler, pods, expect):
    """Kill a scheduler as soon as all of these pods are bound."""
    for pod in pods:
        expect(pod).bound()
    scheduler.kill()


def test_killed_mid_burst_and_restarted_it_binds_every_pod_once(install, pods, expect):
    """Most of a burst of pods waits when the scheduler starts. It is killed as soon as the first few of them are bound.

    These are one more than it has workers, so at least one worker has logged its binding. A pod is bound once if its
    binding is logged at most once in both lives, and where the log says so the pod is. What the killed scheduler had
    under way is not logged.
    """
    burst = [pods.create(scheduler="crashing") for _ in range(BURST)]
    crashing = install(chaos_scheduler("crashing", f"--workers={WORKERS}"))
    kill_once_bound(crashing, burst[: WORKERS + 1], expect)
    kills = 1
    while len(bindings_in(crashing.log())) + WORKERS * kills >= len(burst) and kills < BURSTS:
        late = [pods.create(scheduler="crashing") for _ in range(BURST << kills)]
        burst += late
        kills += 1
        crashing.restart()
        kill_once_bound(crashing, late[: WORKERS + 1], expect)
    before = bindings_in(crashing.log())
    assert 0 < len(before) < len(burst) - WORKERS * kills, "it was killed in the midst of them"
    burst += [pods.create(scheduler="crashing") for _ in range(50)]
    # Control arm: it is dead indeed.
    expect(burst[-1]).left_alone()

    crashing.restart()

    bound = {f"{pod.namespace}/{pod.name}": expect(pod).bound() for pod in burst}
    # It ends in order: a worker logs a binding after the API has it, so its last lines may be still to come.
    crashing.uninstall()
    logged = bindings_in(crashing.log())
    assert max(Counter(pod for pod, _ in logged).values()) == 1
    assert dict(logged).items() <= bound.items()
    # Each of its workers may have been killed between a binding and the line that tells of it, once per kill.
    assert len(bound) - WORKERS * kills <= len(logged)


def test_other_replica_takes_over_from_one_that_dies(install, lease_expired_first, pods, expect):
    first, second = (install(chaos_scheduler(name, serves="dice", election=SHORT)) for name in ("one", "two"))
    early = [pods.create(scheduler=first) for _ in range(5)]
    for pod in early:
        expect(pod).scheduled_by("dice")

    check = lease_expired_first("dice")
    first.kill()

    late = [pods.create(scheduler=second) for _ in range(5)]
    expect(late[0]).bound()
    check()
    for pod in late:
        expect(pod).scheduled_by("dice")
    second.uninstall()
    worked = [{pod for pod, _ in bindings_in(replica.log())} for replica in (first, second)]
    assert worked == [{f"{pod.namespace}/{pod.name}" for pod in pods_of_one} for pods_of_one in (early, late)]


def test_leader_that_ends_in_order_hands_over_at_once(install, pods, expect):
    """The lease lasts for 15 s; the second replica need not wait for that."""
    usual = Election(retry_period=0.2)
    first, second = (install(chaos_scheduler(name, serves="in-order", election=usual)) for name in ("one", "two"))
    expect(pods.create(scheduler=first)).scheduled_by("in-order")
    first.uninstall()
    expect(pods.create(scheduler=second), timeout=10).scheduled_by("in-order")
