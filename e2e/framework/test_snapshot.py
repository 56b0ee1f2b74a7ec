"""``schedtest snapshot`` captures the cluster of the run, as an account that may only list; the fixture loads one."""

import io
import os
import subprocess
import sys
import tarfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from schedtest import Api, ApiError, ExpectationError, UsageError

pytestmark = pytest.mark.requires("whole-cluster")

#: what the pods of this file request, by which they are found in a snapshot
CPU = "123m"

COMMAND = [str(Path(sys.executable).with_name("schedtest")), "snapshot"]


def run(*options):
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def reader(cluster, objects, tmp_path):
    """A kubeconfig of an account with the rights that the command prints, and no others, once they are in force."""
    role = yaml.safe_load(run("--print-role"))
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    account = objects.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}})
    api, name = "rbac.authorization.k8s.io", f"reader-{os.getpid()}"
    objects.create(role, {"metadata": {"name": name}})
    objects.create(
        {
            "apiVersion": f"{api}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": account.name, "namespace": account.namespace}],
        }
    )
    config = yaml.safe_load(Path(cluster.kubeconfig).read_text())
    config["users"][0]["user"] = {"token": cluster.api.token(account.name, account.namespace, 3600)}
    kubeconfig = tmp_path / "reader.kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(config))
    wait_entitled(cluster, kubeconfig)
    return kubeconfig


def wait_entitled(cluster, kubeconfig):
    """Wait until the API server has seen the role and its binding."""
    (kind,) = (each for each in cluster.api.kinds("v1") if each.kind == "Pod")
    end = time.monotonic() + cluster.timeouts.component
    with closing(Api(kubeconfig, cluster.timeouts.request)) as api:
        while not may_list(api, kind):
            assert time.monotonic() < end, "the role is not in force"
            time.sleep(0.02)


def may_list(api, kind):
    try:
        api.list_objects(kind)
    except ApiError as error:
        if error.status != 403:
            raise
        return False
    return True


def members(file):
    """Return what is in a snapshot, as text by the names of its files."""
    with tarfile.open(file) as archive:
        return {member.name: archive.extractfile(member).read().decode() for member in archive.getmembers()}


def placements(captured):
    """Return the labels of the nodes on which the pods of this test are, by the pods' names; ``None`` for none."""
    nodes, pods = (list(yaml.safe_load_all(captured[name])) for name in ("nodes.yaml", "pods.yaml"))
    labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in nodes}
    found = {}
    for pod in pods:
        requests = pod["spec"]["containers"][0].get("resources", {}).get("requests", {})
        if requests.get("cpu") == CPU:
            found[pod["metadata"]["name"]] = labels.get(pod["spec"].get("nodeName"))
    return found


def test_cluster_is_captured(cluster, nodes, pods, expect, reader, tmp_path):
    claimed = nodes.claim(2, labels={"customer": "acme-bank"})
    bound = [pods.create(requests={"cpu": CPU}, node_selector={"customer": "acme-bank"}) for _ in range(3)]
    for pod in bound:
        expect(pod).bound_to_one_of(claimed)
    waiting = pods.create(requests={"cpu": CPU}, node_selector={"customer": "none"})
    expect(waiting).pending()

    files = [tmp_path / "stand-ins.tar.gz", tmp_path / "names.tar.gz"]
    run(f"--kubeconfig={reader}", f"-o{files[0]}")
    run(f"--kubeconfig={reader}", f"-o{files[1]}", "--keep-names")
    hidden, named = map(members, files)

    places = placements(named)
    assert set(places) == {pod.name for pod in (*bound, waiting)}
    assert places.pop(waiting.name) is None
    assert [labels["customer"] for labels in places.values()] == ["acme-bank"] * 3

    assert len(placements(hidden)) == 4
    on = Counter(labels and labels["kubernetes.io/hostname"] for labels in placements(hidden).values())
    seen = Counter(labels and labels["kubernetes.io/hostname"] for labels in placements(named).values())
    assert sorted(on.values()) == sorted(seen.values())
    assert on[None] == 1
    secrets = ["acme-bank", waiting.namespace, *(each.name for each in (*claimed, *bound, waiting))]
    assert [secret for secret in secrets for text in hidden.values() if secret in text] == []

    manifest = yaml.safe_load(hidden["snapshot.yaml"])
    assert manifest["kubernetes"] == cluster.version
    assert all("does not serve" in sentence for sentence in manifest["leftOut"]), "the rights are enough"


def node(name):
    amounts = {"cpu": "1", "memory": "1Gi", "pods": "10"}
    status = {"capacity": amounts, "allocatable": amounts}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def pod(name, **spec):
    requests = {"requests": {"cpu": "700m"}}
    containers = [{"name": "main", "image": "main:latest", "resources": requests}]
    metadata = {"name": name, "namespace": "captured"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


def captured(file, **kinds):
    """Write a snapshot of nodes and pods."""
    entries = [
        {"apiVersion": "v1", "kind": kind, "count": len(bodies), "file": f"{kind}.yaml"}
        for kind, bodies in kinds.items()
    ]
    manifest = {"format": "schedtest.snapshot/1", "taken": "2026-01-02T03:04:05Z", "kubernetes": "v1.34.0"}
    contents = {f"{kind}.yaml": yaml.safe_dump_all(bodies) for kind, bodies in kinds.items()}
    contents["snapshot.yaml"] = yaml.safe_dump({**manifest, "names": "kept", "kinds": entries, "leftOut": []})
    with tarfile.open(file, "w:gz") as archive:
        for name, text in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return file


@pytest.mark.requires("more-nodes")
def test_second_snapshot_of_a_test_is_refused(snapshot, expect, tmp_path):
    """The first one stays as it is, and the next test finds nothing of either."""
    first = snapshot(captured(tmp_path / "first.tar.gz", Node=[node("first")], Pod=[pod("one", nodeName="first")]))
    second = captured(tmp_path / "second.tar.gz", Node=[node("second")], Pod=[pod("two", nodeName="second")])
    with pytest.raises(UsageError, match=r"and once in a test; this test already has first"):
        snapshot(second)
    expect(first.bound[0]).bound_to(first.nodes[0])


def test_nodes_of_two_snapshots_are_gone_in_the_next_test(nodes, pods, expect):
    assert {"first", "second"}.isdisjoint(each.name for each in nodes.all())
    expect(pods.create()).bound_to_one_of(nodes.all())


@pytest.mark.requires("more-nodes")
def test_captured_cluster_is_loaded(cluster, snapshot, expect, tmp_path):
    """The pod that waits fits one node only if the other pod is where it was; no node of the cluster's is there."""
    pods = [pod("placed", nodeName="full"), pod("waits")]
    loaded = snapshot(captured(tmp_path / "cluster.tar.gz", Node=[node("full"), node("free")], Pod=pods))
    full, free = loaded.nodes
    (placed,), (waits,) = loaded.bound, loaded.pending
    assert loaded.left_out == ()
    expect(waits).bound_to(free)
    expect(placed).bound_to(full)
    with pytest.raises(ExpectationError, match="bound to full"):
        expect(placed).bound_to(free)
    (kind,) = (each for each in cluster.api.kinds("v1") if each.kind == "Node")
    assert {each["metadata"]["name"] for each in cluster.api.list_objects(kind)["items"]} == {"full", "free"}
