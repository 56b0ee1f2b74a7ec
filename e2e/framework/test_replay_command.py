"""``schedtest replay`` plays a trace: what never fits is never bound; ``schedtest record`` writes one."""

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml


def replayed(folder, *arguments):
    """Replay a trace in a folder; return what was measured."""
    (found,) = measured(folder, *arguments)["candidate"]
    return found


def measured(folder, *arguments, statuses=(0, 10)):
    """Replay a trace in a folder; return what the command prints."""
    argv = [str(Path(sys.executable).with_name("schedtest")), "replay", *arguments, "--speed=20", "--json"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    # On a slow machine a replay lags, and says so; what it has seen is true all the same.
    assert done.returncode in statuses, done.stdout + done.stderr
    return json.loads(done.stdout)


def node(cpu="2", labels=(), **spec):
    metadata, status = {"name": "only", "labels": dict(labels)}, {"allocatable": {"cpu": cpu, "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def recorded(file, pods, *changes, begins=None):
    """Write a recording of a cluster with one node."""
    bodies = {"nodes.yaml": ("Node", [begins or node()]), "pods.yaml": ("Pod", pods)}
    kinds = [
        {"apiVersion": "v1", "kind": kind, "count": len(found), "file": name} for name, (kind, found) in bodies.items()
    ]
    manifest = {"format": "schedtest.snapshot/1", "taken": "2026-11-26T07:13:23Z", "kubernetes": "v1.35.0"}
    manifest |= {"names": "kept", "kinds": kinds, "leftOut": []}
    texts = {"snapshot.yaml": [manifest], "changes.yaml": changes, **{name: each for name, (_, each) in bodies.items()}}
    with tarfile.open(file, "w:gz") as archive:
        for name, documents in texts.items():
            text = yaml.safe_dump_all(documents).encode()
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))


def pod(name, cpu="1500m", **spec):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def changed(seconds, change, **more):
    return {"seconds": seconds, "change": change, **more}


def came(seconds, name, cpu="1500m", **spec):
    return changed(seconds, "ADDED", object=pod(name, cpu, **spec))


def ended(seconds, name):
    return changed(seconds, "ENDED", kind="Pod", namespace="shop", name=name)


@pytest.mark.requires("processes")
def test_a_pod_of_a_trace_is_bound_unless_it_fits_no_node(tmp_path, binary_options):
    """There is room for the first and the second together; the large one never fits."""
    pods = [came(0, "first"), came(5, "large", "3"), came(10, "second", "500m")]
    ends = [ended(20, "first"), ended(40, "second"), changed(60, "END")]
    recorded(tmp_path / "t.tar.gz", [], *pods, *ends)
    found = replayed(tmp_path, "t.tar.gz", *binary_options)
    assert found["placements"] == {"0": "only", "2": "only"}
    assert (found["never"], found["undecided"], found["waiting"]["pods"]) == (1, 0, 3)


@pytest.mark.requires("processes")
@pytest.mark.parametrize(("priority", "times"), [(100, 1), (0, 0)], ids=["more-important", "as-important"])
def test_a_preempted_pod_comes_back_and_waits_again(priority, times, tmp_path, binary_options):
    of = {"kind": "Pod", "namespace": "shop", "name": "batch"}
    recorded(
        tmp_path / "t.tar.gz",
        [pod("service", nodeName="only")],
        changed(10, "ADDED", object=pod("batch", priority=priority)),
        changed(11, "BOUND", node="only", **of),
        changed(71, "ENDED", **of),
        changed(160, "END"),
    )
    found = replayed(tmp_path, "t.tar.gz", *binary_options)
    assert found["preempted"] == times
    waiting = found["by_priority"].get("0", {"bound": 0})
    if times:
        # The service waits until the batch pod has run for 60 s of the trace, and is where it was. When a pod is made,
        # bound and gone is known as the watch tells it, which may be a moment later each time.
        assert found["placements"] == {"0": "only", "1": "only"}
        assert (waiting["bound"], found["waiting"]["bound"]) == (1, 2)
        assert waiting["longest"] >= 55
    else:
        # Control arm: it stays, and the batch pod is never bound.
        assert found["placements"] == {"0": "only"}
        assert (waiting["bound"], found["never"]) == (0, 1)


TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
BEFORE = {"cpu": "1", "unschedulable": True, "taints": [TAINT]}
OPEN = {"cpu": "2", "labels": {"zone": "b"}}


@pytest.mark.requires("processes")
@pytest.mark.parametrize(
    ("becomes", "bound"),
    [
        (OPEN, 1),
        ({**OPEN, "cpu": "1"}, 0),
        ({**OPEN, "labels": {"zone": "a"}}, 0),
        ({**OPEN, "taints": [TAINT]}, 0),
        ({**OPEN, "unschedulable": True}, 0),
    ],
    ids=["all", "no-amount", "no-label", "taint-stays", "cordon-stays"],
)
def test_a_node_changes_as_it_did(becomes, bound, tmp_path, binary_options):
    recorded(
        tmp_path / "t.tar.gz",
        [],
        changed(10, "ADDED", object=pod("waits", nodeSelector={"zone": "b"})),
        changed(60, "CHANGED", object=node(**becomes)),
        changed(160, "END"),
        begins=node(**BEFORE),
    )
    found = replayed(tmp_path, "t.tar.gz", *binary_options)
    assert (found["waiting"]["bound"], found["never"]) == (bound, 1 - bound)
    if bound:
        assert found["waiting"]["longest"] >= 40  # 50 s, but for when the watch told of the pod


SIDES = """\
import pytest
from schedtest import KubeScheduler

@pytest.fixture
def mine(install):
    return install(KubeScheduler("mine"))

@pytest.fixture
def stock(install):
    return install(KubeScheduler("stock"))
"""


@pytest.mark.requires("processes")
def test_each_of_two_sides_begins_with_the_first_nodes(tmp_path, binary_options):
    """With the nodes of the end, the second side would have no room for one of the pods."""
    late = {**node(), "metadata": {"name": "late"}}
    recorded(
        tmp_path / "t.tar.gz",
        [],
        changed(10, "ADDED", object=pod("early")),
        changed(100, "CHANGED", object=node(unschedulable=True, taints=[TAINT])),
        changed(110, "ADDED", object=late),
        changed(120, "ADDED", object=pod("later")),
        changed(160, "DELETED", kind="Node", name="only"),
        changed(180, "END"),
    )
    (tmp_path / "sides.py").write_text(SIDES)
    sides = ("--scheduler=sides.py:mine", "--against=sides.py:stock", "--pairs=1")
    found = measured(tmp_path, "t.tar.gz", *sides, *binary_options)
    for side in ("candidate", "baseline"):
        (outcome,) = found[side]
        assert outcome["placements"] == {"0": "only", "1": "late"}


CARELESS = """

@pytest.fixture
def careless(install):
    profile = {"schedulerName": "careless", "plugins": {"filter": {"disabled": [{"name": "NodeResourcesFit"}]}}}
    header = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return install(KubeScheduler("careless", config={**header, "profiles": [profile]}))
"""


@pytest.mark.requires("processes")
@pytest.mark.parametrize(
    ("candidate", "baseline", "statuses"), [("careless", "stock", (1,)), ("stock", "careless", (10,))]
)
def test_a_scheduler_that_overcommits_nodes_is_no_better(candidate, baseline, statuses, tmp_path, binary_options):
    """Its pods wait less, and it uses more than all of the node."""
    pods = [came(4 * number, f"p{number}", "1") for number in range(15)]
    ends = [ended(4 * number + 60, f"p{number}") for number in range(15)]
    recorded(tmp_path / "t.tar.gz", [], *pods, *ends, changed(116, "END"))
    (tmp_path / "sides.py").write_text(SIDES + CARELESS)
    sides = (f"--scheduler=sides.py:{candidate}", f"--against=sides.py:{baseline}")
    found = measured(tmp_path, "t.tar.gz", *sides, *binary_options, statuses=statuses)
    assert "was bound to only, which NodeResourcesFit refuses: not enough of a resource: cpu" in found["breaksRules"]
    assert found["breaksRules"].startswith("careless has broken ")
    (stock,) = found["candidate" if candidate == "stock" else "baseline"]
    assert stock["broken"] == []


@pytest.mark.requires("whole-cluster")
def test_a_recording_is_a_snapshot_with_what_came_later(cluster, tmp_path):
    command = [str(Path(sys.executable).with_name("schedtest")), "record", "--kubeconfig", str(cluster.kubeconfig)]
    argv = [*command, "-o", "t.tar.gz", "--minutes=0.01"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "t.tar.gz\n"), done.stderr
    with tarfile.open(tmp_path / "t.tar.gz") as archive:
        assert {"snapshot.yaml", "nodes.yaml", "changes.yaml"} <= set(archive.getnames())
        *_, last = yaml.safe_load_all(archive.extractfile("changes.yaml"))
    assert last["change"] == "END"
    assert last["seconds"] >= 0.6
