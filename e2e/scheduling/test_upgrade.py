"""The control plane is upgraded, or downgraded, in the middle of a test."""

import pytest

pytestmark = pytest.mark.requires("upgrade:1.37")

OTHER = "1.37"


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
