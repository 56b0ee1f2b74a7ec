"""An upgrade ends with its test, whatever became of it; what another version does not show is not gone."""

import pytest

from schedtest import UsageError

pytestmark = pytest.mark.requires("upgrade:1.37")

API = "scheduling.k8s.io/v1beta1"
GROUPS = {"feature_gates": {"GenericWorkload": True}, "runtime_config": {API: True}}


@pytest.fixture(scope="module")
def refused(cluster):
    """Return the version of the run, and the error of an upgrade in a fixture that outlives a test."""
    with pytest.raises(UsageError) as raised:
        cluster.upgrade("1.37")
    return cluster.version, str(raised.value)


def test_fixture_of_a_module_cannot_upgrade(refused):
    assert "it lasts as long as a test" in refused[1]


def test_upgrade_in_a_test_that_fails_is_put_back(refused, cluster, request):
    cluster.upgrade("1.37", order=["kube-apiserver"])
    assert cluster.version != refused[0]
    request.applymarker(pytest.mark.xfail(strict=True))
    pytest.fail("as tests do")


def test_next_test_has_the_version_of_the_run(refused, cluster, pods, expect):
    assert cluster.version == refused[0]
    expect(pods.create()).running()


def test_group_that_the_older_version_does_not_serve_is_not_gone(cluster, objects, pods, expect):
    pod = pods.create()
    expect(pod).bound()
    before = cluster.version
    cluster.upgrade("1.37", order=["kube-apiserver"], **GROUPS)
    policy = {"schedulingPolicy": {"gang": {"minCount": 2}}}
    group = objects.create({"apiVersion": API, "kind": "PodGroup", "metadata": {"name": "kept"}, "spec": policy})
    expect(group).has({"spec": policy})
    cluster.upgrade(before)
    assert not cluster.feature_gates.get("GenericWorkload")
    expect([pod]).undisturbed(seconds=2)  # meanwhile the watch of groups finds none
    expect(group).has({"spec": policy})
    cluster.upgrade("1.37", order=["kube-apiserver"], **GROUPS)
    expect(group).has({"spec": policy})
    assert group.object["metadata"]["uid"] == group.uid
