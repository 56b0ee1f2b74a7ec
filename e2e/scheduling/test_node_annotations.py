"""Annotations of nodes, by which schedulers of devices often tell nodes apart."""

import pytest

from schedtest import Extender, KubeScheduler

pytestmark = pytest.mark.bound_only

DEVICES = "example.com/devices"


class DevicesOnly(Extender):
    """Reject nodes without the annotation."""

    def filter(self, args):
        return args.reject(
            {
                node["metadata"]["name"]: "it has no devices"
                for node in args.nodes.items
                if DEVICES not in node["metadata"].get("annotations", {})
            }
        )


@pytest.fixture(scope="module")
def devices(install, extenders):
    served = extenders.serve(DevicesOnly())
    return install(KubeScheduler("devices", config="manifests/extenders/filter.yaml", extenders=[served.endpoint]))


def test_node_is_claimed_with_an_annotation(devices, nodes, pods, expect):
    (without,) = nodes.claim(1)
    (node,) = nodes.claim(1, annotations={DEVICES: "2"})
    assert (node.annotations[DEVICES], DEVICES in without.annotations) == ("2", False)
    expect(pods.create(scheduler=devices)).bound_to(node)


def test_scheduler_has_seen_an_annotation_when_the_call_returns(devices, nodes, pods, expect):
    first, second = nodes.claim(2, annotations={DEVICES: "2"})
    for node, other in ((first, second), (second, first)) * 3:
        other.annotate({DEVICES: None})
        pod = pods.create(scheduler=devices)
        expect(pod).bound_to(node)
        other.annotate({DEVICES: "2"})


def test_rejected_pod_comes_back_when_a_node_is_annotated(devices, nodes, pods, expect):
    (node,) = nodes.claim(1)
    assert DEVICES not in node.annotations, "what the tests before have set was put back"
    pod = pods.create(scheduler=devices)
    expect(pod).stays_pending(rejected_by="Extender", message="it has no devices")
    node.annotate({DEVICES: "2"})
    expect(pod).bound_to(node)
