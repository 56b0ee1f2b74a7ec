"""The control plane is upgraded, or downgraded, in the middle of a test."""

import pytest
from e2e.upstream.devices import device_class

from schedtest import ComponentError, ExpectationError, InconclusiveError

OTHER = "1.37"


@pytest.mark.requires("upgrade:1.37")
def test_pods_stay_and_new_ones_are_bound(cluster, nodes, pods, expect):
    before = cluster.version
    nodes.claim(2)
    bound = [pods.create() for _ in range(5)]
    for pod in bound:
        expect(pod).running()
    waiting = pods.create(node_selector={"no": "such"})
    expect(waiting).pending(rejected_by="NodeAffinity")
    mark = expect.mark()
    cluster.upgrade(OTHER)
    assert cluster.version.startswith(f"v{OTHER}.")
    expect(waiting).stays_pending()
    expect(pods.create()).running()
    cluster.upgrade(before)
    assert cluster.version == before
    expect(waiting).stays_pending()
    expect(pods.create()).running()
    expect(bound).undisturbed(since=mark)
    expect(bound[0]).no_event("Preempted")


@pytest.mark.requires("upgrade:1.37")
def test_scheduler_may_stay_behind(cluster, pods, expect):
    cluster.upgrade(OTHER, order=["kube-apiserver", "kube-controller-manager"])
    expect(pods.create()).running()
    cluster.upgrade(OTHER)
    expect(pods.create()).running()


@pytest.mark.requires("upgrade:1.33", "kubernetes>=1.34")
def test_api_server_that_cannot_read_what_is_stored_is_the_finding(cluster, objects, pods, expect):
    """Device classes are stored as v1, which 1.33 does not know; it serves v1beta1, if it is told to."""
    before = cluster.version
    pod = pods.create()
    expect(pod).running()
    made = objects.create(device_class())
    mark = expect.mark()
    gates, apis = {"DynamicResourceAllocation": True}, {"resource.k8s.io/v1beta1": True}
    with pytest.raises(
        ComponentError, match=rf"kube-apiserver v1\.33\..* cannot read what {before}( with \S+)? has stored"
    ) as raised:
        cluster.upgrade("1.33", feature_gates=gates, runtime_config=apis, order=["kube-apiserver"])
    assert 'no kind "DeviceClass" is registered for version "resource.k8s.io/v1"' in str(raised.value)
    assert cluster.version == before, "it is back"
    expect(made).has({"metadata": {"name": made.name}})
    expect(pods.create()).running()
    expect([pod]).undisturbed(since=mark)


@pytest.mark.requires("upgrade", "default-scheduler", "kubernetes>=1.35")
def test_claims_about_waiting_pods_go_by_the_scheduler_that_runs_now(cluster, nodes, pods, expect):
    nodes.claim(1)
    gated = pods.create(spec={"schedulingGates": [{"name": "example.com/wait"}]})
    waiting = pods.create(node_selector={"disk": "ssd"})
    expect(gated).held_back(by="SchedulingGates")
    expect(waiting).stays_pending(rejected_by="NodeAffinity")
    mark = expect.mark()
    cluster.upgrade(cluster.version, feature_gates={"NominatedNodeNameForExpectation": False}, order=["kube-scheduler"])
    expect(gated).held_back(by="SchedulingGates")
    expect(waiting).tried(since=mark)
    with pytest.raises(InconclusiveError, match="its log may lack attempts"):
        expect(waiting, timeout=2).tried(at_most=5, since=mark)
    with pytest.raises(ExpectationError, match="has an attempt"):
        expect(waiting).not_retried(since=mark)
    expect(waiting).stays_pending(rejected_by="NodeAffinity")
