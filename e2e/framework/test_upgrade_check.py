"""``schedtest upgrade-check`` asks the programs of two versions of Kubernetes about the cluster of the run."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WORKLOAD = """
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: trainer}
spec:
  podGroups: [{name: workers, policy: {basic: {}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
"""

CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: LeastAllocated
        resources: [{name: cpu, weight: 1}]
"""

#: left from another type of strategy: 1.35 ignores it
LEFT_OVER = """\
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
"""


def run(*arguments, status=0):
    command = [str(Path(sys.executable).with_name("schedtest")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def own_options(binary_options):
    """The options that say where binaries come from."""
    return [option for option in binary_options if option.startswith(("--toolchain", "--mirror"))]


@pytest.mark.requires("upgrade:1.37", "kubernetes>=1.35,<1.36")
def test_only_what_the_new_version_refuses_is_to_be_looked_at(
    cluster, nodes, pods, namespaces, expect, own_options, tmp_path, monkeypatch
):
    nodes.claim(1)
    expect(pods.create(priority_class=pods.priority_class("high", 1000))).bound()
    system = {"namespace": namespaces.use("kube-system"), "priority_class": "system-node-critical"}
    expect(pods.create(**system)).bound()  # every real cluster has such pods
    monkeypatch.chdir(tmp_path)
    Path("workload.yaml").write_text(WORKLOAD)
    Path("config.yaml").write_text(CONFIG)
    run("snapshot", f"--kubeconfig={cluster.kubeconfig}", "-ocluster.tar.gz")
    checked = run(
        *("upgrade-check", "--snapshot=cluster.tar.gz", "--to=1.37", "--config=config.yaml", "-fworkload.yaml"),
        *("--feature-gates=GenericWorkload=true,GangScheduling=false", "--pairs=0", "--json"),
        *(f"--runtime-config=scheduling.k8s.io/{version}=true" for version in ("v1alpha1", "v1beta1")),
        *own_options,
        status=1,
    )
    configuration, apis, bugs, placements, speed = json.loads(checked)["sections"]
    assert [sentence.partition(":")[0] for sentence in configuration["look"]] == [
        "--feature-gates GangScheduling",
        "--runtime-config scheduling.k8s.io/v1alpha1",
    ]
    assert configuration["fine"][0].endswith("starts with config.yaml")
    served = "scheduling.k8s.io/v1alpha1 is not served; scheduling.k8s.io/v1beta1 is"
    assert apis["look"] == [f"1 Workload (trainer): {served}"]
    assert apis["left_out"] == []
    assert bugs["look"] == []
    assert any("kubernetes#139602" in sentence for sentence in bugs["fine"])
    assert "land where they did" in placements["fine"][0]
    assert placements["fine"][1] == "2 of 2 bound pods go back as they did"
    assert (placements["verdict"], placements["status"]) == ("nothing to look at", 0)
    assert speed["verdict"] == "not checked"


@pytest.mark.requires("upgrade:1.37", "kubernetes>=1.35,<1.36")
def test_configuration_that_only_the_new_version_refuses(cluster, own_options, tmp_path, monkeypatch):
    """That the same configuration without the field is fine, the test above shows."""
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG + LEFT_OVER)
    run("snapshot", f"--kubeconfig={cluster.kubeconfig}", "-ocluster.tar.gz")
    arguments = ("--snapshot=cluster.tar.gz", "--to=1.37", "--config=config.yaml", "--pairs=0", "--json", *own_options)
    configuration, _, _, placements, _ = json.loads(run("upgrade-check", *arguments, status=1))["sections"]
    (refused,) = configuration["look"]
    assert refused.startswith("config.yaml: ")
    assert "scoringStrategy.requestedToCapacityRatio: Forbidden" in refused
    assert configuration["fine"] == []
    assert placements["verdict"] == "not checked"


@pytest.fixture
def crashing_options(binary_options, tmp_path):
    """The options of a run whose kube-scheduler 1.37 crashes at the first pod that it tries as a side."""
    (cache,) = (Path(each.partition("=")[2]) for each in binary_options if each.startswith("--toolchain-cache="))
    own = tmp_path / "cache"
    (own / "bin").mkdir(parents=True)
    for each in (cache / "bin").glob("*-v*"):
        if not each.name.startswith("kube-scheduler-v1.37."):
            (own / "bin" / each.name).symlink_to(each)
            continue
        program = own / "bin" / each.name / "kube-scheduler"
        program.parent.mkdir()
        program.with_name("real").symlink_to(each / "kube-scheduler")
        shutil.copy(Path(__file__).parents[1] / "toys/crashes_at_first_pod.py", program)
        program.chmod(0o755)
        about = program.stat()
        entry = json.loads((each / "entry.json").read_text())
        digest = hashlib.sha256(program.read_bytes()).hexdigest()
        entry |= {"sha256": digest, "size": about.st_size, "mtime_ns": about.st_mtime_ns}
        program.with_name("entry.json").write_text(json.dumps(entry))
    others = [option for option in binary_options if not option.startswith("--toolchain-cache")]
    return [*others, f"--toolchain-cache={own}"]


@pytest.mark.requires("upgrade:1.37", "kubernetes>=1.35,<1.36")
def test_new_scheduler_that_crashes_is_to_be_looked_at(
    cluster, nodes, pods, expect, crashing_options, tmp_path, monkeypatch
):
    """That the same run without the crash has nothing to look at, the first test shows."""
    nodes.claim(1)
    expect(pods.create()).bound()
    monkeypatch.chdir(tmp_path)
    run("snapshot", f"--kubeconfig={cluster.kubeconfig}", "-ocluster.tar.gz")
    options = ("--snapshot=cluster.tar.gz", "--to=1.37", "--pairs=0", "--json", *crashing_options)
    checked = json.loads(run("upgrade-check", *options, status=1))
    _, apis, _, placements, _ = checked["sections"]
    assert apis["verdict"] == "nothing to look at"
    (crash,) = placements["look"]
    assert crash.startswith("kubernetes-1-37-2 ended by itself with exit code 1")
    assert "panic: it crashes at its first pod" in crash
