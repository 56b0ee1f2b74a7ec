"""What-if: where two schedulers place the same pods, which plugin a difference comes from, and that nothing stays."""

import io
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from schedtest import ExpectationError, InconclusiveError, KubeScheduler, Taint, UsageError
from toy_component import toy

# What-if is for the nodes of a snapshot, which are simulated; nodes of kind that no test has claimed are not empty.
pytestmark = pytest.mark.requires("resize", "more-nodes")

HOST = "kubernetes.io/hostname"

#: the fullest node is the best one, where the stock scheduler prefers the emptiest; and it is blind to taints
PACKING = {
    "pluginConfig": [
        {
            "name": "NodeResourcesFit",
            "args": {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}},
        }
    ],
    "plugins": {
        "score": {"disabled": [{"name": "NodeResourcesBalancedAllocation"}]},
        "filter": {"disabled": [{"name": "TaintToleration"}]},
    },
}


def scheduler(name, **profile):
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": name, **profile}],
    }
    return KubeScheduler(name, config=configuration, verbosity=10)


@pytest.fixture(scope="module")
def stock(install):
    return install(scheduler("stock"))


def body(name, cpu, **spec):
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"name": name}, "spec": {"containers": [container], **spec}}


def test_equal_schedulers_that_overcommit_break_a_rule(install, nodes, what_if):
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    careless = {"plugins": {"filter": {"disabled": [{"name": "NodeResourcesFit"}]}}}
    sides = [install(scheduler(name, **careless)) for name in ("careless", "reckless")]
    what_if([body("fits", "2")], *sides).same()
    with pytest.raises(ExpectationError, match=r"^reckless and careless placed pods against the rules") as failed:
        what_if([body("fits", "2"), body("more", "1")], *reversed(sides)).same()
    for side in sides:
        said = rf"broken rule: {side.name}: \S+/more was bound to {node.name}, which NodeResourcesFit refuses"
        assert re.search(said, str(failed.value))


def test_equal_schedulers_differ_in_ties_alone_and_nothing_stays(install, stock, nodes, pods, what_if, expect):
    here, there = nodes.claim(2, capacity={"cpu": "2"})
    urgent = pods.priority_class("urgent", 1000)
    low = pods.create("low", requests={"cpu": "1500m"}, node_selector={HOST: here.name})
    expect(low).bound_to(here)
    shapes = [
        *(body(f"small-{number}", "100m") for number in range(4)),
        body("large", "8"),
        body("pushing", "1500m", priorityClassName=urgent, nodeSelector={HOST: here.name}),
    ]
    result = what_if(shapes, install(scheduler("equal")), stock)
    result.same()
    for side in result.sides:
        *small, large, pushing = side.placements
        assert {each.node for each in small} <= {here.name, there.name}
        assert (pushing.node, pushing.preempted) == (here.name, (f"{low.namespace}/low",))
        assert (large.node, large.plugins) == ("", ("NodeResourcesFit",))
        assert any("Insufficient cpu" in line for line in large.table)
    (left,) = pods.select({})
    assert (left.name, left.object["spec"]["nodeName"]) == ("low", here.name)


def test_each_difference_is_attributed_to_its_plugin(install, stock, nodes, pods, what_if, expect):
    full, empty, tainted = nodes.claim(3, capacity={"cpu": "2", "memory": "4Gi"})
    expect(pods.create("there", node_selector={HOST: tainted.name})).bound_to(tainted)
    tainted.taint(Taint("kept", "for-others"))
    expect(pods.create(requests={"cpu": "500m"}, node_selector={HOST: full.name})).bound_to(full)
    shapes = [
        body("scored", "500m"),
        body("filtered", "1", nodeSelector={HOST: tainted.name}),
        body("follows", "1800m", nodeSelector={HOST: empty.name}),
        body("alike", "100m", nodeSelector={HOST: full.name}),
    ]
    result = what_if(shapes, install(scheduler("packing", **PACKING)), stock, bound=9)
    (moved,) = result.moved
    assert (moved.pod.rpartition("/")[2], moved.plugins, result.asked) == ("there", ("TaintToleration",), 2)
    assert (moved.first.node, moved.other.node) == (tainted.name, "")
    found = [(each.pod.rpartition("/")[2], each.cause, each.plugins[:1]) for each in result.differing]
    assert found == [
        ("scored", "score", ("NodeResourcesFit",)),
        ("filtered", "filter", ("TaintToleration",)),
        ("follows", "follows", ()),
    ]
    scored = result.differing[0]
    assert (scored.first.node, scored.other.node) == (full.name, empty.name)
    with pytest.raises(ExpectationError, match="filter: TaintToleration rejects"):
        result.same()


#: a host port, which another pod on the only node has
PORTS = [{"name": "main", "image": "none", "ports": [{"containerPort": 80, "hostPort": 80}]}]


@pytest.mark.parametrize("first", ["careless", "stock"])
def test_scheduler_does_not_decide_by_what_the_other_one_did(first, install, stock, nodes, pods, what_if, expect):
    (node,) = nodes.claim(1)
    expect(pods.create(spec={"containers": PORTS})).bound_to(node)
    careless = install(scheduler("careless", plugins={"filter": {"disabled": [{"name": "NodePorts"}]}}))
    sides = (careless, stock) if first == "careless" else (stock, careless)
    (found,) = what_if([{"metadata": {"name": "p"}, "spec": {"containers": PORTS}}], *sides, bound=1).differences
    assert (found.cause, found.words) == ("filter", f"NodePorts rejects {node.name} for stock")
    expect(pods.create(spec={"containers": PORTS})).pending(rejected_by="NodePorts")


@pytest.mark.requires("processes")
@pytest.mark.parametrize("silent", ["hung", "paused"])
@pytest.mark.parametrize("first", ["silent", "stock"])
def test_rejection_and_silence_are_not_alike(silent, first, install, stock, nodes, what_if):
    nodes.claim(1, capacity={"cpu": "1"})
    if silent == "paused":
        other = install(scheduler("silent"))
        other.pause()
    else:
        other = install(toy("silent", "StopsAfterOne"))
    sides = (other, stock) if first == "silent" else (stock, other)
    with pytest.raises(InconclusiveError, match="silent has not decided about pod"):
        what_if([body(name, "2") for name in ("one", "two")], *sides, timeout=4)
    assert not what_if([body("one", "2")], stock).sides[0].placements[0].node


def test_scheduler_that_nobody_runs(nodes, what_if):
    nodes.claim(1)
    with pytest.raises(UsageError, match="no scheduler serves the name nobody; installed are: default-scheduler"):
        what_if([body("one", "1")], "nobody")


@pytest.fixture
def fuller(nodes, pods, expect):
    """Claim an empty node, and one that is half full: the stock scheduler prefers the first, PACKING the second."""
    empty, full = nodes.claim(2, capacity={"cpu": "2", "memory": "4Gi"})
    expect(pods.create(requests={"cpu": "1"}, node_selector={HOST: full.name})).bound_to(full)
    return empty, full


def placed(result):
    """Return the pods' nodes, for each scheduler."""
    return [{each.pod.rpartition("/")[2]: each.node for each in side.placements} for side in result.sides]


def test_volumes_that_the_first_scheduler_binds_are_free_for_the_second_one(install, stock, objects, fuller, what_if):
    empty, full = fuller
    waiting = {"volumeBindingMode": "WaitForFirstConsumer", "provisioner": "kubernetes.io/no-provisioner"}
    header = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"generateName": "local-"}}
    storage = objects.create({**header, **waiting}).name
    common = {"storageClassName": storage, "accessModes": ["ReadWriteOnce"]}
    disks = []
    for each in fuller:
        terms = [{"matchExpressions": [{"key": HOST, "operator": "In", "values": [each.name]}]}]
        spec = {**common, "capacity": {"storage": "1Gi"}, "local": {"path": "/data"}}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
        header = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"generateName": "disk-"}}
        disks.append(objects.create({**header, "spec": spec}))
    shapes = []
    for name in ("one", "two"):
        spec = {**common, "resources": {"requests": {"storage": "1Gi"}}}
        objects.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec})
        shapes.append(body(name, "100m", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": name}}]))
    packing = install(scheduler("packing", **PACKING))
    result = what_if(shapes, packing, stock)
    assert placed(result) == [{"one": full.name, "two": empty.name}, {"one": empty.name, "two": full.name}]
    assert [(each.cause, each.plugins[:1]) for each in result.differing] == [
        ("score", ("NodeResourcesFit",)),
        ("follows", ()),
    ]
    assert what_if(shapes, packing, install(scheduler("packing-too", **PACKING))).differing == ()
    assert all("volumeName" not in each.object["spec"] for each in objects.select("PersistentVolumeClaim", count=2))
    assert all("claimRef" not in each.object["spec"] for each in disks)


@pytest.mark.requires("kubernetes>=1.34")
def test_devices_that_the_first_scheduler_allocates_are_free_for_the_second_one(
    install, stock, objects, fuller, what_if
):
    empty, full = fuller
    header, driver = {"apiVersion": "resource.k8s.io/v1"}, "devices.what-if.example.com"
    objects.create({**header, "kind": "DeviceClass", "metadata": {"name": driver}, "spec": {}})
    for each in fuller:
        pool = {"name": each.name, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": driver, "nodeName": each.name, "pool": pool, "devices": [{"name": "one"}]}
        objects.create({**header, "kind": "ResourceSlice", "metadata": {"generateName": "slice-"}, "spec": spec})
    requests = [{"name": "any", "exactly": {"deviceClassName": driver}}]
    claim = {
        **header,
        "kind": "ResourceClaim",
        "metadata": {"name": "one"},
        "spec": {"devices": {"requests": requests}},
    }
    objects.create(claim)
    shapes = [body("one", "100m", resourceClaims=[{"name": "one", "resourceClaimName": "one"}])]
    packing = install(scheduler("packing", **PACKING))
    assert placed(what_if(shapes, packing, stock)) == [{"one": full.name}, {"one": empty.name}]
    assert what_if(shapes, packing, install(scheduler("packing-too", **PACKING))).differing == ()
    (left,) = objects.select("ResourceClaim")
    assert "allocation" not in left.object.get("status", {})


def node(name):
    labels = {"kubernetes.io/hostname": name}
    allocatable = {"cpu": "2", "memory": "4Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}} | {
        "status": {"allocatable": allocatable}
    }


def pod(name, cpu, labels=None, **spec):
    made = body(name, cpu, **spec)
    metadata = {"name": name, "namespace": "shop", "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "Pod", **made, "metadata": metadata}


def write_snapshot(path, **kinds):
    """Write a snapshot as ``schedtest snapshot`` does."""
    files = {f"{kind}s.yaml": yaml.safe_dump_all(bodies) for kind, bodies in kinds.items()}
    listed = [
        {"apiVersion": "v1", "kind": kind, "count": len(bodies), "file": f"{kind}s.yaml"}
        for kind, bodies in kinds.items()
    ]
    manifest = {"format": "schedtest.snapshot/1", "taken": "2026-11-26T07:13:23Z", "kubernetes": "v1.35.8"}
    files["snapshot.yaml"] = yaml.safe_dump({**manifest, "names": "kept", "kinds": listed, "leftOut": []})
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: none, resources: {requests: {cpu: '8'}}}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {nodeSelector: {kubernetes.io/hostname: n2}, containers: [{name: main, image: none}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}}
"""


def run(folder, *arguments, status=0):
    command = [str(Path(sys.executable).with_name("schedtest")), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.mark.requires("processes")
def test_command_compares_two_configurations_in_a_captured_cluster(tmp_path, binary_options):
    pods = [pod("there", "500m", nodeName="n1"), pod("scored", "500m")]
    write_snapshot(tmp_path / "cluster.tar.gz", Node=[node("n1"), node("n2")], Pod=pods)
    header = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    (tmp_path / "packing.yaml").write_text(yaml.safe_dump({**header, "profiles": [PACKING]}))
    (tmp_path / "web.yaml").write_text(WEB)
    (tmp_path / "usual.yaml").write_text(yaml.safe_dump(header))
    argv = (
        "what-if",
        "--snapshot=cluster.tar.gz",
        "-fweb.yaml",
        "--config=packing.yaml",
        "--against-config=usual.yaml",
    )
    found = json.loads(run(tmp_path, *argv, "--json", *binary_options, status=1).stdout)
    (differing,) = found["differing"]
    assert (differing["pod"], differing["cause"]) == ("shop/scored", "score")
    assert (differing["first"]["node"], differing["other"]["node"]) == ("n1", "n2")
    for side in found["sides"]:
        _, agent, report, *web = side["placements"]
        assert (agent["node"], bool(report["node"])) == ("n2", True)
        assert [(each["node"], each["plugins"]) for each in web] == [("", ["NodeResourcesFit"])] * 2


@pytest.mark.requires("processes")
def test_command_adds_the_nodes_of_a_file(tmp_path, binary_options):
    """What if three more nodes come: each takes one of the pods that wait."""
    pods = [pod("there", "1500m", nodeName="n1"), *(pod(f"waits-{number}", "1500m") for number in range(4))]
    write_snapshot(tmp_path / "cluster.tar.gz", Node=[node("n1")], Pod=pods)
    more = [node(name) for name in ("new-1", "new-2", "new-3")]
    (tmp_path / "nodes.yaml").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": more}))
    argv = ("what-if", "--snapshot=cluster.tar.gz", "-fnodes.yaml", "--html=page.html", "--json")
    (side,) = json.loads(run(tmp_path, *argv, *binary_options).stdout)["sides"]
    assert sorted(each["node"] for each in side["placements"]) == ["", "new-1", "new-2", "new-3"]
    assert "Where stock places 4 pods" in (tmp_path / "page.html").read_text()
    assert "--nodes: the nodes are those of the snapshot" in run(tmp_path, *argv, "--nodes=9", status=2).stderr


@pytest.mark.requires("processes")
def test_command_leaves_nothing_in_a_cluster_that_is_kept(tmp_path, binary_options):
    pods = [pod("there", "500m", nodeName="n1"), pod("waits", "500m")]
    write_snapshot(tmp_path / "cluster.tar.gz", Node=[node("n1")], Pod=pods)
    done = run(tmp_path, "what-if", "--snapshot=cluster.tar.gz", "--keep-cluster", *binary_options)
    assert "shop/waits  n1" in done.stdout
    (cluster,) = re.findall("to remove it: schedtest down (.+)", done.stderr)
    (kubeconfig,) = re.findall("export KUBECONFIG=(.+)", done.stderr)
    try:
        run(tmp_path, "snapshot", f"--kubeconfig={kubeconfig}", "-oafter.tar.gz", "--keep-names")
    finally:
        run(tmp_path, "down", cluster)
    with tarfile.open(tmp_path / "after.tar.gz") as archive:
        names = {each["metadata"]["name"] for each in yaml.safe_load_all(archive.extractfile("nodes.yaml"))}
        assert names
        assert "n1" not in names
        assert "pods.yaml" not in archive.getnames()


def near(app):
    """Return a term that selects the pods of an app in the pod's own namespace."""
    selector = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [selector]}


def deployment(name, spec):
    """Return a Deployment of two pods in the namespace of ``pod``."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": spec}
    made = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": made,
    }


@pytest.mark.requires("processes")
def test_workload_is_beside_the_pods_of_its_namespace(tmp_path, binary_options):
    """Affinity selects pods of the own namespace; the pods of an older version are gone, and that of others stays."""
    older = [pod(f"old-{number}", "800m", {"app": "web"}, nodeName="n1") for number in (1, 2)]
    shop = [pod("a", "100m", {"app": "a"}, nodeName="n1"), *older]
    write_snapshot(tmp_path / "cluster.tar.gz", Node=[node("n1"), node("n2")], Pod=shop)
    on_n1 = {"nodeSelector": {HOST: "n1"}}
    apart = {"affinity": {"podAntiAffinity": near("a")}, **on_n1}
    elsewhere = pod("elsewhere", "10m", **apart)
    elsewhere["metadata"]["namespace"] = "new"
    workload = [
        pod("beside", "100m", affinity={"podAffinity": near("a")}),
        pod("apart", "100m", **apart),
        elsewhere,
        deployment("canary", body("canary", "100m", **apart)["spec"]),
        deployment("web", body("web", "800m", **on_n1)["spec"]),
    ]
    (tmp_path / "workload.yaml").write_text(yaml.safe_dump_all(workload))
    argv = ("what-if", "--snapshot=cluster.tar.gz", "-fworkload.yaml", "--json", *binary_options)
    found = json.loads(run(tmp_path, *argv).stdout)
    (side,) = found["sides"]
    nodes = sorted((each["pod"].split("-")[0], each["node"]) for each in side["placements"])
    assert nodes == [
        ("new/elsewhere", "n1"),
        ("shop/apart", ""),
        ("shop/beside", "n1"),
        *[("shop/canary", "")] * 2,
        *[("shop/web", "n1")] * 2,
    ]
    assert "Deployment shop/web: 2 pods of the snapshot gave way to it." in found["notes"]
