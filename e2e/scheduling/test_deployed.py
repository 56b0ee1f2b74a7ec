"""A scheduler that is deployed with the manifests that are shipped: these are under test, too."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from schedtest import STOCK, ComponentError, DeployedScheduler, ExpectationError, InfrastructureError, UsageError

#: what is shipped has leader election in kube-system, and roles for the whole cluster
pytestmark = pytest.mark.requires("whole-cluster")


@pytest.fixture(scope="module")
def mine(install, shipped):
    return install(shipped("my-scheduler", verbosity=5))


def test_it_serves_its_pods_and_its_log_is_read(mine, pods, nodes, expect):
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=mine)
    expect(pod).scheduled_by("my-scheduler")
    expect(pod).running()
    expect(pod).bound_to(node)
    expect(pods.create(scheduler=mine, node_selector={"no": "such"})).stays_pending(rejected_by="NodeAffinity")


@pytest.mark.requires("kubelet")
def test_pod_of_its_own_that_is_deleted_is_replaced_and_serves_what_has_waited(mine, pods, expect):
    (old,) = pods.select({"app": "my-scheduler"}, namespace="kube-system")
    old.delete()
    pod = pods.create(scheduler=mine)
    expect(pod).scheduled_by("my-scheduler")
    (new,) = pods.select({"app": "my-scheduler"}, namespace="kube-system")
    assert new.uid != old.uid
    # Its log goes on with that of the new pod.
    expect(pods.create(scheduler=mine, node_selector={"no": "such"})).pending(rejected_by="NodeAffinity")


@pytest.mark.requires("processes")
def test_processes_that_stand_for_its_containers_are_killed_and_started_again(mine, pods, expect):
    mine.kill()
    orphan = pods.create(scheduler=mine)
    expect(orphan).left_alone()
    mine.restart()
    expect(orphan).scheduled_by("my-scheduler")


@pytest.mark.requires("kubelet")
def test_what_a_controller_would_start_again_is_not_killed(mine):
    with pytest.raises(UsageError, match="my-scheduler cannot be killed: it is deployed by manifests"):
        mine.kill()


@pytest.mark.requires("kubelet")
def test_daemon_set_serves_and_leaves_nothing_behind(shipped, install, pods, expect):
    daemon = install(shipped("other", {"kind: Deployment": "kind: DaemonSet", "  replicas: 1\n": ""}))
    expect(pods.create(scheduler=daemon)).scheduled_by("other")
    daemon.uninstall()
    assert pods.select({"app": "other"}, namespace="kube-system") == []
    expect(pods.create(scheduler="other")).left_alone()
    # Everything else is gone as well, or there would be a conflict.
    install(shipped("other"))


def test_right_that_the_manifests_do_not_give_is_named(shipped, install):
    """A rehearsal of what would happen in production, which no test with rights of our own could be."""
    with pytest.raises(ComponentError, match=r"was refused: .*list nodes of API group ''.*its manifests have to give"):
        install(shipped("other", {'"system:kube-scheduler"': '"system:basic-user"'}), timeout=8)


def test_command_line_that_it_refuses_is_its_own_fault(shipped, install):
    with pytest.raises(ComponentError, match="other did not start: unknown flag: --nonsense; correct its arguments"):
        install(shipped("other", {"-v=5": "--nonsense"}))


@pytest.mark.requires("kubelet")
def test_image_that_no_node_can_have_is_not_its_fault(shipped, install):
    with pytest.raises(InfrastructureError, match=r"a container of other cannot be started: .*Err.*registry\.invalid"):
        install(shipped("other", {"image: example.com/other:v1": "image: registry.invalid/other:v1"}))


@pytest.mark.requires("processes")
def test_image_without_a_program_is_named(shipped, install):
    other = shipped("other", binaries={})
    with pytest.raises(UsageError, match="simulated nodes run no containers: name the program of each image"):
        install(other)
    mapped = replace(other, binaries={"example.com/another:v1": "bin/another"})
    with pytest.raises(UsageError, match=r"container kube-scheduler has the image example.com/other:v1, of which bina"):
        install(mapped)


@pytest.mark.requires("kubelet")
def test_object_that_is_there_already_is_not_touched(mine, install, pods, expect):
    with pytest.raises(UsageError, match="another: manifests: ServiceAccount my-scheduler is in the cluster already"):
        install(DeployedScheduler("another", ["manifests/schedulers/deployed.yaml"]))
    expect(pods.create(scheduler=mine)).scheduled_by("my-scheduler")
    mine.check()


@pytest.mark.requires("processes")
def test_right_that_is_missing_is_named_though_it_counts_as_ready(install, pods, expect, tmp_path):
    """Its probe asks for a path that says nothing of its watches."""
    text = Path("manifests/schedulers/deployed.yaml").read_text().replace("path: /readyz", "path: /healthz")
    kept = [each for each in text.split("\n---\n") if "system:kube-scheduler" not in each]
    (tmp_path / "without.yaml").write_text("\n---\n".join(kept).replace("my-scheduler", "bare"))
    bare = DeployedScheduler("bare", tmp_path / "without.yaml", binaries={"example.com/bare:v1": STOCK})
    with pytest.raises(ExpectationError) as caught:
        expect(pods.create(scheduler=install(bare)), timeout=6).bound()
    said = str(caught.value)
    refused = r"hint: +bare was refused: (list|watch) \w+ of API group .*; if it needs that, its manifests have to give"
    assert re.search(refused, said), said
    assert re.search(r"log of bare:\n(.*\n)*?.*cannot (list|watch) resource .* at the cluster scope", said), said


#: kube-scheduler's static pod, as kubeadm writes it, but for the port, which another run may have
STATIC_POD = """apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler, namespace: kube-system, labels: {component: kube-scheduler, tier: control-plane}}
spec:
  containers:
  - command:
    - kube-scheduler
    - --authentication-kubeconfig=/etc/kubernetes/scheduler.conf
    - --authorization-kubeconfig=/etc/kubernetes/scheduler.conf
    - --kubeconfig=/etc/kubernetes/scheduler.conf
    - --leader-elect=true
    - --secure-port=0
    image: registry.k8s.io/kube-scheduler:v1
    name: kube-scheduler
    volumeMounts: [{mountPath: /etc/kubernetes/scheduler.conf, name: kubeconfig, readOnly: true}]
  hostNetwork: true
  priorityClassName: system-node-critical
  volumes: [{hostPath: {path: /etc/kubernetes/scheduler.conf, type: FileOrCreate}, name: kubeconfig}]
"""


@pytest.mark.requires("processes", "default-scheduler")
def test_static_pod_of_a_control_plane_takes_the_place_of_the_default_scheduler(install, pods, nodes, expect, tmp_path):
    """It finds its kubeconfig on its node, where the run puts its own."""
    (tmp_path / "pod.yaml").write_text(STATIC_POD)
    binaries = {"registry.k8s.io/kube-scheduler:v1": STOCK}
    install(
        DeployedScheduler("static", tmp_path / "pod.yaml", serves="default-scheduler", binaries=binaries), replace=True
    )
    (node,) = nodes.claim(1)
    expect(pods.create()).bound_to(node)


def of_group(group, kind, name, **fields):
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name, "namespace": "kube-system"}, **fields}


def python_manifests(name):
    """Return a scheduler in Python as it may be shipped, with its account in the older field."""
    rights = [
        {"apiGroups": [""], "resources": ["pods", "nodes"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["pods/binding", "events"], "verbs": ["create"]},
        {"apiGroups": [""], "resources": ["pods/status"], "verbs": ["patch"]},
    ]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    account = {"kind": "ServiceAccount", "name": name, "namespace": "kube-system"}
    container = {"name": "scheduler", "image": "example.com/toy:v1", "command": ["python", "/app/toy.py"]}
    container["args"] = [f"--serves={name}", "--fault=Toy"]
    pod = {"metadata": {"labels": {"app": name}}, "spec": {"serviceAccount": name, "containers": [container]}}
    rbac = "rbac.authorization.k8s.io"
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "kube-system"}},
        of_group(rbac, "ClusterRole", name, rules=rights),
        of_group(rbac, "ClusterRoleBinding", name, roleRef=role, subjects=[account]),
        of_group("apps", "Deployment", name, spec={"selector": {"matchLabels": {"app": name}}, "template": pod}),
    ]


@pytest.mark.requires("processes")
def test_scheduler_in_python_is_run_by_its_interpreter(install, pods, nodes, expect):
    command = [sys.executable, "-m", "toy_faults"]
    shipped = DeployedScheduler(
        "toy",
        python_manifests("toy"),
        binaries={"example.com/toy:v1": command},
        arguments=lambda at: [f"--kubeconfig={at.kubeconfig}", f"--port={at.port}"],
    )
    (node,) = nodes.claim(1)
    expect(pods.create(scheduler=install(shipped))).bound_to(node)
