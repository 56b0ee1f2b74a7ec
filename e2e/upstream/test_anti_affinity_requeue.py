"""A pod that waits because of another pod's anti-affinity is tried again when that pod is deleted."""

import pytest

from schedtest import KubeScheduler, required_pod_affinity

#: what others change would have the pod tried again
pytestmark = pytest.mark.requires("whole-cluster")

HOST = "kubernetes.io/hostname"
NOISY = {"noise": "loud"}

#: seconds for the binding that does not come with the bug: many times what it takes, back-off of 1 s included
SOON = 5


@pytest.fixture(scope="module")
def stock(install):
    return install(KubeScheduler("stock"))


def test_pod_is_bound_once_the_pod_that_avoids_it_is_deleted(stock, pods, nodes, expect, known_bug):
    nodes.claim(1)
    avoiding = pods.create(scheduler=stock, affinity=required_pod_affinity(NOISY, HOST, anti=True))
    expect(avoiding).bound()
    avoided = pods.create(scheduler=stock, labels=NOISY)
    expect(avoided).stays_pending(rejected_by="InterPodAffinity", message="didn't satisfy existing pods anti-affinity")
    avoiding.delete()
    with known_bug(
        "kubernetes<1.36",
        reason="kubernetes#134393: the deletion of a pod whose anti-affinity kept another one away goes unnoticed",
        match="didn't satisfy existing pods anti-affinity",
    ):
        expect(avoided, timeout=SOON).bound()


def test_pod_is_bound_once_the_pod_that_it_avoids_is_deleted(stock, pods, nodes, expect):
    nodes.claim(1)
    avoided = pods.create(scheduler=stock, labels=NOISY)
    expect(avoided).bound()
    avoiding = pods.create(scheduler=stock, affinity=required_pod_affinity(NOISY, HOST, anti=True))
    expect(avoiding).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod anti-affinity rules")
    avoided.delete()
    expect(avoiding).bound()
