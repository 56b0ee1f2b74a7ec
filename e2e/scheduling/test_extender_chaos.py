"""A scheduler whose extender leaves everything to chance still gets every pod to run."""

import re

import pytest

from schedtest import KubeScheduler
from schedtest.extender import ChaosExtender

REPLICAS, NODES = 25, 3

#: With three nodes, all of this seed's coins are tails in the calls 6, 7 and 14, and not again before call 52. So other
#: pods are bound after the rejected ones, whichever these are, and every binding makes the scheduler try them again.
SEED = 56


@pytest.fixture(scope="module")
def chaos(extenders):
    return extenders.serve(ChaosExtender(SEED))


@pytest.fixture(scope="module")
def chaos_scheduler(install, chaos):
    config = "manifests/extenders/chaos.yaml"
    return install(KubeScheduler("chaos-scheduler", config=config, extenders=[chaos.endpoint]))


def attempts(scheduler, namespace):
    """Return how often the scheduler says that it has tried a pod of the namespace."""
    return len(re.findall(rf'"Attempting to schedule pod" pod="{namespace}/'.encode(), scheduler.log()))


def test_every_replica_runs_in_the_end(chaos_scheduler, chaos, deployments, nodes, namespace, expect):
    nodes.claim(NODES)
    web = deployments.create("web", replicas=REPLICAS, scheduler=chaos_scheduler)
    bound = {pod.uid: expect(pod).running() for pod in web.pods(REPLICAS)}

    filtered = chaos.calls.of("filter")
    assert len(filtered) == attempts(chaos_scheduler, namespace)
    rejected = [call for call in filtered if not call.result.names]
    assert len(filtered) == REPLICAS + len(rejected)
    assert {call.args.pod_uid for call in rejected} <= bound.keys()

    unlucky = next(pod for pod in web.pods(REPLICAS) if pod.uid == rejected[0].args.pod_uid)
    expect(unlucky).event("FailedScheduling", message=f"{NODES} the pod cannot be scheduled to the node: coin is tails")

    # The dice decide, and nothing else: with several nodes left, the pod is where the highest roll was.
    for uid, node in bound.items():
        passed = [call.result.names for call in filtered if call.args.pod_uid == uid][-1]
        rolls = [call.result.scores for call in chaos.calls.of("prioritize") if call.args.pod_uid == uid]
        assert len(rolls) == (len(passed) > 1)
        candidates = [name for name, roll in rolls[0].items() if roll == max(rolls[0].values())] if rolls else passed
        assert node in candidates


def test_without_the_extender_no_coin_is_flipped(deployments, nodes, expect):
    """Control arm: the same deployment under the default scheduler."""
    nodes.claim(NODES)
    for pod in deployments.create("web", replicas=REPLICAS).pods(REPLICAS):
        expect(pod).running()
        expect(pod).no_event("FailedScheduling", seconds=0)
