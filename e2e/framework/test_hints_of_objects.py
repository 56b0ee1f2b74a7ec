"""Why a pod waits, by the objects that it depends on: the failure names them, as the real API server has them."""

import pytest

from schedtest import ExpectationError, Taint, spread_over

MOUNTED = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {
        "storageClassName": "fast-ssd",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
}
KATA = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "kata"},
    "handler": "kata",
    "scheduling": {"nodeSelector": {"runtime": "kata"}},
    "overhead": {"podFixed": {"cpu": "250m"}},
}
DRIVER = "cards.example.com"
CARDS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "card"},
    "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]},
}
ONE_CARD = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "one"},
    "spec": {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "card"}}]}}},
}
SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "40"}}}]}
"""


@pytest.fixture
def failure_of():
    """Return the message with which a pod is not bound."""

    def failing(expectation):
        with pytest.raises(ExpectationError) as caught:
            expectation.bound()
        return str(caught.value)

    return failing


def test_class_that_does_not_exist(objects, nodes, pods, expect, failure_of):
    nodes.claim(1)
    objects.create(CLAIM)
    said = failure_of(expect(pods.create(spec=MOUNTED), timeout=5))
    assert "its PersistentVolumeClaim data (1Gi, ReadWriteOnce, class fast-ssd) is Pending: there is no Stor" in said
    assert 'its last Event is ProvisioningFailed: storageclass.storage.k8s.io "fast-ssd" not found' in said


def test_selector_that_a_runtime_class_adds(objects, nodes, pods, expect, failure_of):
    nodes.claim(1)
    objects.create(KATA)
    said = failure_of(expect(pods.create(spec={"runtimeClassName": "kata"}), timeout=3))
    assert "  hint:   its RuntimeClass kata adds the node selector runtime=kata; overhead of cpu 0.25\n" in said
    assert "  asks:   node selector runtime=kata" in said


@pytest.mark.requires("resize")
def test_overhead_counts_in_what_a_pod_asks_for(objects, nodes, pods, expect, failure_of):
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    node.label({"runtime": "kata"})
    objects.create(KATA)
    said = failure_of(expect(pods.create(requests={"cpu": "2"}, spec={"runtimeClassName": "kata"}), timeout=3))
    assert "  asks:   cpu 2.25 (of that overhead: cpu 0.25)" in said


@pytest.mark.requires("kubernetes>=1.34")
def test_device_that_another_pod_has(objects, nodes, pods, expect, failure_of):
    (node,) = nodes.claim(1)
    objects.create(CARDS)
    objects.create(ONE_CARD)
    pool = {"name": node.name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "nodeName": node.name, "pool": pool, "devices": [{"name": "card-0"}]}
    metadata = {"generateName": "slice-"}
    objects.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": metadata, "spec": spec})
    using = {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "one"}]}
    first = pods.create(spec=using)
    expect(first).bound_to(node)
    said = failure_of(expect(pods.create(spec=using), timeout=4))
    assert f"devices of DeviceClass card: 1 in all: card-0 of {node.name} is allocated to {first.name}\n" in said


def test_label_of_a_constraint_that_no_node_has(nodes, pods, expect, failure_of):
    nodes.claim(2)
    pod = pods.create(labels={"app": "web"}, spread=[spread_over("example.com/rack", {"app": "web"})])
    said = failure_of(expect(pod, timeout=3))
    assert "it spreads app=web over example.com/rack, with a maxSkew of 1: no node has that label" in said


def test_zone_that_is_empty_because_of_its_taint(nodes, pods, expect, failure_of):
    _, tainted = nodes.claim(2, zones=("a", "b"))
    tainted.taint(Taint("gpu", "yes"))
    spread = [spread_over("topology.kubernetes.io/zone", {"app": "web"})]
    expect(pods.create(labels={"app": "web"}, spread=spread)).bound()
    said = failure_of(expect(pods.create(labels={"app": "web"}, spread=spread), timeout=3))
    assert "b has 0 pods (its nodes are closed: taint gpu=yes:NoSchedule), a has 1 pod" in said
    assert "  asks:   tolerates no taint\n" in said


def test_node_that_the_pod_names_itself(pods, expect):
    with pytest.raises(ExpectationError, match="the pod itself names the node worker-7, so no scheduler places it, an"):
        expect(pods.create(spec={"nodeName": "worker-7"}), timeout=2).running()


def test_stateful_set_that_waits_for_its_first_pod(nodes, manifests):
    nodes.claim(2)
    with pytest.raises(ExpectationError) as caught:
        manifests.apply(SET)["StatefulSet", "db"].pods(3)
    said = str(caught.value)
    assert "  wanted: 3\n  seen:   1: db-0\n  hint:   StatefulSet db makes its next pod when db-0 is Ready\n" in said
    assert "Insufficient cpu" in said.partition("    nodes:\n")[2]
    assert "    asks:   cpu 40" in said


@pytest.mark.requires("resize")
def test_pods_that_are_not_bound_are_explained(nodes, pods, expect):
    nodes.claim(2, capacity={"cpu": "4"})
    made = [pods.create(requests={"cpu": "3"}) for _ in range(3)]
    with pytest.raises(ExpectationError) as caught:
        expect(made, timeout=4).exactly_bound(3)
    (waiting,) = (pod for pod in made if pod.object["spec"].get("nodeName") is None)
    said = str(caught.value)
    assert f"  nodes, for {waiting}:\n" in said
    assert "rejects" in said
    assert said.endswith(f"schedtest explain {waiting.namespace}/{waiting.name}") or "next:" not in said


def test_gate_of_one_of_several_pods_is_named(nodes, pods, expect):
    nodes.claim(1)
    made = [pods.create(), pods.create(spec={"schedulingGates": [{"name": "example.com/gate"}]})]
    with pytest.raises(ExpectationError, match=r"hint: .* while it has the scheduling gate example.com/gate"):
        expect(made, timeout=2).exactly_bound(2)


def test_restart_that_waits_for_its_new_pods_is_no_failure_of_the_cluster(nodes, deployments):
    (node,) = nodes.claim(1)
    web = deployments.create("web", 4, requests={"cpu": "1"})
    web.pods(4)
    node.cordon()
    web.restart()
    with pytest.raises(ExpectationError, match=r"(?s)waiting for 4 pods of deployment web.*were unschedulable"):
        web.pods(4)
