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


def node(name="only", cpu="2", labels=(), **spec):
    metadata, status = {"name": name, "labels": dict(labels)}, {"allocatable": {"cpu": cpu, "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def recorded(file, pods, *changes, nodes=None):
    """Write a recording of a cluster, by default with one node."""
    bodies = {"nodes.yaml": ("Node", nodes or [node()]), "pods.yaml": ("Pod", pods)}
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
def test_a_preempted_pod_comes_back_and_waits_again(tmp_path, binary_options):
    """Of two nodes that are full, one is wanted by a more important pod, and one by a pod that is no more important."""
    wanted = {"more": 100, "equally": 0}
    of = {name: {"kind": "Pod", "namespace": "shop", "name": name} for name in wanted}
    recorded(
        tmp_path / "t.tar.gz",
        [pod(f"service-{name}", nodeName=name) for name in wanted],
        *(changed(10, "ADDED", object=pod(name, priority=wanted[name], nodeSelector={"for": name})) for name in wanted),
        *(changed(11, "BOUND", node=name, **of[name]) for name in wanted),
        *(changed(71, "ENDED", **of[name]) for name in wanted),
        changed(160, "END"),
        nodes=[node(name, labels={"for": name}) for name in wanted],
    )
    found = replayed(tmp_path, "t.tar.gz", *binary_options)
    waiting = found["by_priority"]["0"]
    # The service of one node waits until the more important pod has run for 60 s of the trace, and is where it was. The
    # other service stays, and the pod that wants its node is never bound. When a pod is made, bound and gone is known
    # as the watch tells it, which may be a moment later each time.
    assert found["preempted"] == 1
    assert found["placements"] == {"0": "more", "1": "equally", "2": "more"}
    assert (waiting["bound"], found["waiting"]["bound"], found["never"]) == (1, 2, 1)
    assert waiting["longest"] >= 55


TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
BEFORE = {"cpu": "1", "unschedulable": True, "taints": [TAINT]}
OPEN = {"cpu": "2", "labels": {"zone": "b"}}

#: what the node of a name becomes
BECOMES = {
    "all": OPEN,
    "no-amount": {**OPEN, "cpu": "1"},
    "no-label": {**OPEN, "labels": {"zone": "a"}},
    "taint-stays": {**OPEN, "taints": [TAINT]},
    "cordon-stays": {**OPEN, "unschedulable": True},
}


@pytest.mark.requires("processes")
def test_nodes_change_as_they_did(tmp_path, binary_options):
    """Each node has a pod that waits until it has room and its label, and neither the taint nor the cordon."""

    def becomes(name, cpu, labels=(), **spec):
        return node(name, cpu, {**dict(labels), "for": name}, **spec)

    recorded(
        tmp_path / "t.tar.gz",
        [],
        *(changed(10, "ADDED", object=pod(name, nodeSelector={"zone": "b", "for": name})) for name in BECOMES),
        *(changed(60, "CHANGED", object=becomes(name, **how)) for name, how in BECOMES.items()),
        changed(160, "END"),
        nodes=[becomes(name, **BEFORE) for name in BECOMES],
    )
    found = replayed(tmp_path, "t.tar.gz", *binary_options)
    assert found["placements"] == {"0": "all"}
    assert (found["waiting"]["bound"], found["never"]) == (1, len(BECOMES) - 1)
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
