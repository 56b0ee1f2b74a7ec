"""Of two replicas of a kube-scheduler one works at a time, whatever becomes of the leader."""

import re
from collections import Counter

import pytest

from schedtest import ComponentError, ExpectationError, KubeScheduler, UsageError

pytestmark = pytest.mark.bound_only

#: four seconds until the place of a leader that does not renew its lease is taken; a busy machine may take three
ELECTION = {
    "leaderElect": True,
    "resourceName": "replicas",
    "leaseDuration": "4s",
    "renewDeadline": "3s",
    "retryPeriod": "200ms",
}

#: client-go compares the times of renewals by whole seconds, as metav1.Time is written in JSON
RESOLUTION = 1.0

CONFIG = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "leaderElection": ELECTION,
    "profiles": [{"schedulerName": "replicas"}],
}


@pytest.fixture
def replicas(install):
    """The leader, which was there first, and the one that may take its place."""
    return [install(KubeScheduler(name, config=CONFIG)) for name in ("one", "two")]


def bound_by(scheduler):
    """Return the pods that a scheduler says it has bound."""
    return [name.decode() for name in re.findall(rb'"Successfully bound pod to node" pod="([^"]+)"', scheduler.log())]


def names(pods):
    return {f"{pod.namespace}/{pod.name}" for pod in pods}


def check_turns(replicas, pause, resume, expired_first, pods, expect):
    """Let the leader hang, and expect that the other takes its place, and that no pod is bound twice."""
    leader, other = replicas
    early = [pods.create(scheduler="replicas") for _ in range(5)]
    for pod in early:
        expect(pod).scheduled_by("replicas")

    check = expired_first("replicas", RESOLUTION)
    pause()
    late = [pods.create(scheduler="replicas") for _ in range(5)]
    expect(late[0]).bound()
    check()
    for pod in late:
        expect(pod).scheduled_by("replicas")

    # It sees that it has lost its lease, and ends: the pod is the other one's again, whose log shows no other end.
    resume()
    nowhere = pods.create(scheduler="replicas", node_selector={"no": "such"})
    with pytest.raises(ComponentError, match=r"(?s)one.* ended by itself with exit code 1.*[Ll]eader ?election lost"):
        expect(nowhere).bound()
    leader.uninstall()
    expect(pods.create(scheduler="replicas")).scheduled_by("replicas")

    bound = Counter([*bound_by(leader), *bound_by(other)])
    assert max(bound.values()) == 1
    assert set(bound_by(leader)) == names(early)
    assert set(bound_by(other)) >= names(late)  # the log may not have come yet that tells of the last one


def test_leader_that_hangs_is_replaced_and_binds_nothing_when_it_comes_to_itself(
    replicas, lease_expired_first, pods, expect
):
    leader, _ = replicas
    check_turns(replicas, leader.pause, leader.resume, lease_expired_first, pods, expect)


def test_claims_are_judged_by_the_log_of_whichever_leads(replicas, pods, expect):
    leader, _ = replicas
    early = pods.create(scheduler="replicas", node_selector={"no": "such"})
    expect(early).pending(rejected_by="NodeAffinity")
    leader.kill()
    late = pods.create(scheduler="replicas", node_selector={"no": "such"})
    expect(late).stays_pending(rejected_by="NodeAffinity")
    with pytest.raises(ExpectationError, match=r"\[rejected by NodeAffinity"):
        expect(late, timeout=0.5).pending(rejected_by="NodeResourcesFit")


@pytest.mark.requires("kubelet", "whole-cluster")  # what is shipped has roles for the whole cluster
def test_leader_whose_node_hangs_is_replaced_and_binds_nothing_when_it_comes_to_itself(
    install, shipped, lease_expired_first, nodes, pods, expect
):
    def replica(name, node):
        """Describe one that works on a node of its own, and elects by the same Lease as the other."""
        ours = {f"{what}: {name}": f"{what}: replicas" for what in ("resourceName", "schedulerName")}
        ours |= {f"resourceNames: [{name}]": "resourceNames: [replicas]"}
        ours |= {'node-role.kubernetes.io/control-plane: ""': f"kubernetes.io/hostname: {node.name}"}
        return shipped(name, ours, serves="replicas", lease="kube-system/replicas")

    node, another, _ = nodes.claim(3)
    replicas = [install(replica("one", node)), install(replica("two", another))]
    check_turns(replicas, node.pause, node.resume, lease_expired_first, pods, expect)


@pytest.mark.usefixtures("replicas")
def test_replicas_that_elect_by_different_leases_are_refused(install):
    """They would race for every pod."""
    stranger = {**CONFIG, "leaderElection": {**ELECTION, "resourceName": "another"}}
    with pytest.raises(UsageError, match="pods of schedulerName replicas are served by one already"):
        install(KubeScheduler("three", config=stranger))
