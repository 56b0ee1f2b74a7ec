"""With ``managedResources`` an extender is asked only about pods that want one of them.

kube-scheduler looks whether the resource is named at all among the requests and limits of the containers and the init
containers, whatever the amount. (The API server makes requests and limits of an extended resource equal, and allows
none at the level of the pod.)
"""

import pytest

from schedtest import PAUSE_IMAGE, KubeScheduler

pytestmark = pytest.mark.bound_only

FPGA = "example.com/fpga"
MANIFESTS = "manifests/extenders"


@pytest.fixture(scope="module")
def served(extenders, accepts_all):
    return extenders.serve(accepts_all)


@pytest.fixture(scope="module")
def fpga_scheduler(install, served):
    config = f"{MANIFESTS}/managed-resources.yaml"
    return install(KubeScheduler("fpga-scheduler", config=config, extenders=[served.endpoint]))


@pytest.fixture(scope="module")
def trusting_scheduler(install, served):
    config = f"{MANIFESTS}/managed-resources-ignored.yaml"
    return install(KubeScheduler("trusting-scheduler", config=config, extenders=[served.endpoint]))


def container(name, resources=None, **more):
    return {"name": name, "image": PAUSE_IMAGE, "resources": resources or {}, **more}


ONE = {"limits": {FPGA: "1"}}

#: specs of pods by what is special about them
WANTING = {
    "limits": {"containers": [container("main", ONE)]},
    "requests and limits": {"containers": [container("main", {**ONE, "requests": ONE["limits"]})]},
    "an amount of zero": {"containers": [container("main", {"limits": {FPGA: "0"}})]},
    "second container": {"containers": [container("main"), container("other", ONE)]},
    "init container": {"containers": [container("main")], "initContainers": [container("init", ONE)]},
    "sidecar": {
        "containers": [container("main")],
        "initContainers": [container("sidecar", ONE, restartPolicy="Always")],
    },
}
NOT_WANTING = {
    "nothing": {"containers": [container("main")]},
    "another resource": {"containers": [container("main", {"requests": {"cpu": "1"}})]},
}


@pytest.mark.requires("resize")
@pytest.mark.parametrize("spec", WANTING.values(), ids=WANTING)
def test_asked_about_a_pod_that_wants_the_resource(spec, fpga_scheduler, served, pods, nodes, expect):
    (node,) = nodes.claim(1, capacity={FPGA: "1"})
    pod = pods.create(scheduler=fpga_scheduler, spec=spec)
    expect(pod).bound_to(node)
    assert [call.nodes for call in served.calls.of("filter", pod)] == [[node.name]]


@pytest.mark.parametrize("spec", NOT_WANTING.values(), ids=NOT_WANTING)
def test_not_asked_about_a_pod_that_does_not(spec, fpga_scheduler, served, pods, nodes, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=fpga_scheduler, spec=spec)
    expect(pod).bound_to(node)
    assert served.calls.of(pod=pod) == []


def test_resource_is_counted_unless_it_is_ignored(fpga_scheduler, trusting_scheduler, served, pods, nodes, expect):
    """No node has the resource: only ``ignoredByScheduler`` lets the extender decide."""
    (node,) = nodes.claim(1)
    counted = pods.create(scheduler=fpga_scheduler, requests={FPGA: "1"})
    expect(counted).pending(rejected_by="NodeResourcesFit", message=f"1 Insufficient {FPGA}")
    assert served.calls.of(pod=counted) == []
    trusted = pods.create(scheduler=trusting_scheduler, requests={FPGA: "1"})
    expect(trusted).bound_to(node)
    assert len(served.calls.of(pod=trusted)) == 1
