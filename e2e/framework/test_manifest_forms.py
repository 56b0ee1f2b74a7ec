"""Manifests as people have them: folders, several documents, Lists, dates without quotes, removed versions."""

import json
import re

import pytest

from schedtest import (
    LEFT_OUT,
    STOCK,
    ConfigurationError,
    DeployedScheduler,
    KubeScheduler,
    LogLine,
    Program,
    Rule,
    UsageError,
)

GROUP = "kubescheduler.config.k8s.io"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\n"

#: a workload of a Deployment, which makes a pod, and a Pod
APP = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: registry.k8s.io/pause:3.10}]}
---
# a comment
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: single, namespace: shop}
  spec: {containers: [{name: main, image: registry.k8s.io/pause:3.10}]}
"""

#: a workload of each built-in kind that a Deployment is not, as Helm prints it
WORKLOADS = """---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
# Source: shop/migrate.yaml
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {helm.sh/hook: pre-install}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.k8s.io/pause:3.10}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cronjob, namespace: shop}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.k8s.io/pause:3.10}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.k8s.io/pause:3.10}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: replicaset}
spec:
  replicas: 2
  selector: {matchLabels: {app: replicaset}}
  template:
    metadata: {labels: {app: replicaset}}
    spec: {containers: [{name: main, image: registry.k8s.io/pause:3.10}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: statefulset}
spec:
  replicas: 2
  serviceName: none
  selector: {matchLabels: {app: statefulset}}
  template:
    metadata: {labels: {app: statefulset}}
    spec: {containers: [{name: main, image: registry.k8s.io/pause:3.10}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: daemonset}
spec:
  selector: {matchLabels: {app: daemonset}}
  template:
    metadata: {labels: {app: daemonset}}
    spec: {tolerations: [{operator: Exists}], containers: [{name: main, image: registry.k8s.io/pause:3.10}]}
"""

#: a kind, and an object of it
GADGET = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.test}
spec:
  group: example.test
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: example.test/v1
kind: Gadget
metadata: {name: gadget}
size: 1
"""


def configuration(name, version="v1", **profile):
    profiles = [{"schedulerName": name, **profile}]
    return {"apiVersion": f"{GROUP}/{version}", "kind": "KubeSchedulerConfiguration", "profiles": profiles}


def test_texts_stay_texts(objects, tmp_path):
    texts = {"day": "2024-05-01", "time": "2024-05-01T10:00:00Z", "operator": "=", "minutes": "1:30"}
    lines = "".join(f"    {key}: {text}\n" for key, text in texts.items())
    (tmp_path / "c.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  creationTimestamp: 2019-06-26T09:11:58Z\n"
        f"  annotations:\n{lines}"
    )
    assert objects.create(tmp_path / "c.yaml").object["metadata"]["annotations"] == texts


def test_value_that_is_no_text_is_named(objects, tmp_path):
    (tmp_path / "c.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {a: b, ready: yes}}\n"
    )
    with pytest.raises(UsageError, match=r"metadata\.labels: ready must be a text, got the truth value true; put it"):
        objects.create(tmp_path / "c.yaml")


def test_workload_of_a_folder(install, objects, manifests, expect, tmp_path):
    (tmp_path / "app.yaml").write_text(APP)
    scheduler = install(KubeScheduler("folder"))
    applied = manifests.apply(tmp_path, scheduler=scheduler)
    assert [each.name for each in applied] == ["web", "single"]
    (web,) = applied["Deployment", "web"].pods(1)
    for pod in (web, applied["Pod", "single"]):
        expect(pod).bound()
        assert pod.scheduler == "folder"
    with pytest.raises(
        UsageError, match=r"holds 1 Deployment, 1 Pod; objects\.create takes one object, manifests\.apply several"
    ):
        objects.create(tmp_path / "app.yaml")


def test_every_kind_of_workload_has_its_pods(nodes, manifests, expect, tmp_path):
    """On two nodes, also those of a DaemonSet that tolerates every taint."""
    claimed = nodes.claim(2)
    (tmp_path / "all.yaml").write_text(WORKLOADS)
    applied = manifests.apply(tmp_path / "all.yaml")
    assert applied.left_out == (
        f"{tmp_path}/all.yaml, line 2: Namespace shop is left out: the objects are in the test's namespace",
        f"{tmp_path}/all.yaml, line 7: Job migrate is left out: it is a hook of Helm (helm.sh/hook: pre-install)",
    )
    counts = {"ReplicaSet": 2, "StatefulSet": 2, "DaemonSet": 2, "Job": 1}
    found = [applied[kind, kind.lower()].pods(count) for kind, count in counts.items()]
    job = manifests.run(applied["CronJob", "cronjob"])
    found += [job.pods(1), applied["CronJob", "cronjob"].pods(1)]
    assert {expect(pod).bound() for pods in found for pod in pods} == {node.name for node in claimed}
    assert {pod.uid for pods in found for pod in pods} == {pod.uid for pod in applied.pods(8)}


@pytest.mark.requires("whole-cluster")
def test_object_of_a_kind_that_is_defined_in_the_same_file(manifests, tmp_path):
    (tmp_path / "gadget.yaml").write_text(GADGET)
    definition, gadget = manifests.apply(tmp_path / "gadget.yaml")
    assert (str(definition), gadget.object["size"]) == ("CustomResourceDefinition gadgets.example.test", 1)


def test_pod_of_a_manifest_has_the_claims_of_pods(objects, pods, expect, tmp_path):
    (tmp_path / "pod.yaml").write_text(APP.rpartition("items:\n- ")[2].replace("\n  ", "\n"))
    expect(objects.create(tmp_path / "pod.yaml", {"metadata": {"name": "made"}})).bound()
    expect(pods.apply(tmp_path / "pod.yaml")).bound()


def test_objects_of_a_folder_come_with_a_component(install, objects, tmp_path):
    (tmp_path / "map.yaml").write_text(MAP % "of-a-folder")
    scheduler = install(KubeScheduler("with-folder", objects=tmp_path))
    assert objects.select("ConfigMap", namespace="default")[-1].name == "of-a-folder"
    scheduler.uninstall()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("PodDisruptionBudget", "it has PodDisruptionBudget in policy/v1: write that"),
        ("PodSecurityPolicy", "of policy it has PodDisruptionBudget, in policy/v1"),
    ],
)
def test_api_that_was_removed(objects, kind, said):
    with pytest.raises(UsageError, match=f"does not serve policy/v1beta1, so there can be no {kind}; {said}$"):
        objects.create({"apiVersion": "policy/v1beta1", "kind": kind, "metadata": {"name": "x"}})


def test_configuration_of_a_version_that_was_removed(install):
    with pytest.raises(ConfigurationError, match=f"removed v1beta3: write {re.escape(GROUP)}/v1$"):
        install(KubeScheduler("old", config=configuration("old", "v1beta3")))


def test_plugin_that_the_stock_program_lacks(install):
    plugins = {"multiPoint": {"enabled": [{"name": "Mine"}]}}
    with pytest.raises(ConfigurationError, match=r'"Mine" does not exist; this is the stock kube-scheduler: name the'):
        install(KubeScheduler("mine", config=configuration("mine", plugins=plugins)))


def deployed(version="v1"):
    """Return a Deployment of the stock kube-scheduler with a sidecar, as extenders ship it."""
    place = {"namespace": "kube-system"}
    text = json.dumps({**configuration("shipped", version), "leaderElection": {"leaderElect": False}})
    stock = {
        "name": "scheduler",
        "image": "registry.k8s.io/kube-scheduler:v1",
        "command": ["kube-scheduler", "--config=/etc/scheduler/config.yaml", "-v=5"],
        "volumeMounts": [{"name": "config", "mountPath": "/etc/scheduler"}],
    }
    spec = {
        "serviceAccountName": "shipped",
        "containers": [stock, {"name": "proxy", "image": "proxy:1"}],
        "initContainers": [{"name": "prepare", "image": "prepare:1"}],
        "volumes": [{"name": "config", "configMap": {"name": "shipped"}}],
    }
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:kube-scheduler"}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "shipped", **place}},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "shipped", **place},
            "data": {"config.yaml": text},
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "shipped"},
            "roleRef": role,
            "subjects": [{"kind": "ServiceAccount", "name": "shipped", **place}],
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "shipped", **place},
            "spec": {"template": {"spec": spec}},
        },
    ]


BINARIES = {"registry.k8s.io/kube-scheduler:v1": STOCK, "proxy:1": LEFT_OUT}


@pytest.mark.requires("processes", "whole-cluster")
def test_stock_program_and_a_sidecar_that_is_left_out(install, pods, expect):
    scheduler = install(DeployedScheduler("shipped", deployed(), binaries=BINARIES, verbosity=5))
    assert scheduler.left_out == (
        "manifests: Deployment kube-system/shipped: container proxy",
        "manifests: Deployment kube-system/shipped: initContainer prepare",
    )
    expect(pods.create(scheduler=scheduler)).scheduled_by("shipped")


@pytest.mark.requires("processes", "whole-cluster")
def test_deployed_configuration_of_a_version_that_was_removed(install):
    with pytest.raises(ConfigurationError, match=f"removed v1beta2: write {re.escape(GROUP)}/v1$"):
        install(DeployedScheduler("shipped", deployed("v1beta2"), binaries=BINARIES, verbosity=5))


@pytest.mark.requires("processes")  # a script needs a shell, which no image has that is made of a program
def test_program_works_where_its_files_are(install, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\ncat data.txt\nexec sleep 600\n")
    program.chmod(0o755)
    rules = (Rule(("",), ("nodes",), ("list",)),)
    install(Program("works", binary=program, files={"data.txt": "read\n"}, health=LogLine("^read$"), rules=rules))
