"""NodeResourcesAllocatable of sigs.k8s.io/scheduler-plugins: nodes are ranked by what they offer in all."""

import pytest

from schedtest import PluginScheduler

#: scheduler-plugins 0.34.7 is compiled with Kubernetes 1.34: it serves an API server of 1.34, or of the next minor
pytestmark = [pytest.mark.bound_only, pytest.mark.requires("resize", "kubernetes>=1.34,<1.36")]


@pytest.fixture(scope="module")
def allocatable(install):
    return install(
        PluginScheduler(
            "allocatable", module="scheduler-plugins", config="manifests/schedulers/node-resources-allocatable.yaml"
        )
    )


@pytest.mark.usefixtures("allocatable")
@pytest.mark.parametrize(("profile", "preferred"), [("smallest-node", "small"), ("largest-node", "large")])
def test_mode_decides_where_pods_go_however_full_the_node_is(profile, preferred, pods, nodes, expect):
    """Each mode is the other one's control arm."""
    small, large = nodes.claim(2)
    small.resize({"cpu": "2"})
    large.resize({"cpu": "8"})
    wanted, other = (small, large) if preferred == "small" else (large, small)
    size = wanted.object["status"]["allocatable"]["cpu"]

    first = pods.create(scheduler=profile)
    expect(first).bound_to(wanted)
    # All of its CPUs: from now on the other node alone has room, and until then the load made no difference.
    expect(pods.create(scheduler=profile, requests={"cpu": size})).bound_to(wanted)
    expect(pods.create(scheduler=profile, requests={"cpu": "1"})).bound_to(other)
    expect(first).scheduled_by(profile)
