"""The Indexed Job of the documentation on real nodes: three pods run the shards, and a fourth joins them."""

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from schedtest import UsageError

ROOT = Path(__file__).parents[2]

#: the Job of the documentation
EXAMPLE = ROOT / "docs/how-to/shards/job.yaml"
TEMPLATE = yaml.safe_load(EXAMPLE.read_text())["spec"]["template"]["spec"]
(CONTAINER,) = TEMPLATE["containers"]

#: the volume with the folders of the shards, and where it is on its node
RESULTS = "results"
FOLDER = "/var/lib/schedtest-results"

#: a test with a cluster, one whose infrastructure fails the first time, and one that nothing can fail
TESTS = {
    "test_bound.py": "def test_bound(nodes, pods, expect):\n    nodes.claim(1)\n    expect(pods.create()).bound()\n",
    "test_once.py": """
from pathlib import Path
from schedtest import InfrastructureError

def test_once():
    seen = Path("/results/seen")
    if not seen.exists():
        seen.touch()
        raise InfrastructureError("the machine is not ready")
""",
    "test_quick.py": "def test_quick(): pass\n",
}

#: a pod of a shard boots a control plane of its own on a node that others use, too
SECONDS = 300

#: the Job runs on a node of kind, which is given its image, and has a namespace and a volume by their names
ON_KIND = pytest.mark.requires("kubelet", "node-machines", "whole-cluster")

#: its pods are for no real node, and their namespace has a name
ADMITTED = pytest.mark.requires("whole-cluster", "simulated-nodes")


@pytest.fixture
def restricted(objects, namespaces):
    """A namespace in which Kubernetes refuses pods that do not keep its restricted standard."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    metadata = {"name": f"{namespaces.own}-restricted", "labels": labels}
    objects.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    return namespaces.use(metadata["name"])


@pytest.fixture(scope="module")
def image():
    """The image of the Job, in Docker."""
    built = subprocess.run([ROOT / "scripts/image"], stdout=subprocess.PIPE, text=True, check=True)
    assert built.stdout.strip() == CONTAINER["image"]
    return CONTAINER["image"]


@pytest.fixture
def node(nodes, image):
    """A worker that has the image, and an empty folder for results."""
    (node,) = nodes.claim(1)
    load = f"docker save {image} | docker exec --interactive {node.name} ctr --namespace=k8s.io images import -"
    subprocess.run(["/bin/bash", "-o", "pipefail", "-c", load], check=True, stdout=subprocess.DEVNULL)
    node.run(["mkdir", "-m", "0777", FOLDER])
    yield node
    node.run(["rm", "-r", FOLDER])


@pytest.fixture
def run_shards(objects, node, restricted):
    """Return a function that creates the Job with some tests, and the volume on the node that its pods share."""

    def create(kind, name, namespace=None, **fields):
        body = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **fields}
        return objects.create(body, namespace=namespace)

    def run(tests):
        same = {"storageClassName": "", "accessModes": ["ReadWriteMany"]}
        term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node.name]}]}
        place = {"hostPath": {"path": FOLDER}, "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}
        volume = {**same, **place, "capacity": {"storage": "1Gi"}}
        reference = {"namespace": restricted, "name": RESULTS}
        create("PersistentVolume", f"{restricted}-{RESULTS}", spec={**volume, "claimRef": reference})
        claim = {**same, "resources": {"requests": {"storage": "1Gi"}}}
        create("PersistentVolumeClaim", RESULTS, restricted, spec=claim)
        create("ConfigMap", "tests", restricted, data=tests)
        return objects.create(str(EXAMPLE), namespace=restricted)

    return run


@pytest.fixture
def join(pods, expect, node, restricted):
    """Return a function that joins the shards in a pod, and returns its exit status and what it printed."""

    def join(phase):
        command = "schedtest report /results/shard-* -o /results/report.html --junit /results/junit.xml"
        container = {**CONTAINER, "name": "join", "command": ["sh", "-c", command], "env": []}
        pod = pods.create(spec={**TEMPLATE, "containers": [container]}, namespace=restricted)
        expect(pod, timeout=SECONDS).has({"status": {"phase": phase}})
        (status,) = pod.object["status"]["containerStatuses"]
        printed = node.run(["sh", "-c", f"cat /var/log/pods/*_{pod.name}_{pod.uid}/join/*.log"])
        return status["state"]["terminated"]["exitCode"], printed

    return join


def exit_statuses(job, count):
    """Return the exit status of each pod of the Job."""
    states = [pod.object["status"]["containerStatuses"][0]["state"] for pod in job.pods(count)]
    return sorted(state["terminated"]["exitCode"] for state in states)


@ON_KIND
def test_join_of_three_pods_has_every_test(run_shards, expect, join, node):
    job = run_shards(TESTS)
    expect(job, timeout=SECONDS).has({"status": {"succeeded": 3, "completedIndexes": "0-2"}})
    assert exit_statuses(job, 4) == [0, 0, 0, 11]
    status, printed = join("Succeeded")
    assert (status, "3 shards: 3 passed" in printed) == (0, True), printed
    cases = ElementTree.fromstring(node.run(["cat", f"{FOLDER}/junit.xml"])).findall("testcase")  # noqa: S314 - ours
    assert sorted(case.get("name") for case in cases) == ["test_bound", "test_once", "test_quick"]

    node.run(["rm", "-r", f"{FOLDER}/shard-1"])
    status, printed = join("Failed")
    assert (status, "partial: shard 2/3 is missing" in printed) == (12, True), printed


@ON_KIND
def test_shard_whose_test_fails_is_not_tried_again(run_shards, expect, join):
    job = run_shards(
        {**dict.fromkeys(TESTS, "def test_quick(): pass\n"), "test_bound.py": "def test(): assert False\n"}
    )
    expect(job, timeout=SECONDS).has({"status": {"succeeded": 2, "failed": 1}})
    assert exit_statuses(job, 3) == [0, 0, 1]
    status, printed = join("Failed")
    assert (status, "3 shards: 1 failed, 2 passed" in printed) == (1, True), printed


@ADMITTED
def test_pods_are_admitted_where_privileges_are_refused(objects, expect, restricted):
    job = objects.create(str(EXAMPLE), namespace=restricted)
    expect(job).has({"spec": {"completionMode": "Indexed"}, "status": {"active": 3}})


@ADMITTED
def test_pod_with_a_capability_is_refused_there(objects, restricted):
    spec = {**TEMPLATE, "containers": [{**CONTAINER, "securityContext": {"capabilities": {"add": ["NET_ADMIN"]}}}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "capable"}, "spec": spec}
    with pytest.raises(UsageError, match="violates PodSecurity"):
        objects.create(pod, namespace=restricted)
