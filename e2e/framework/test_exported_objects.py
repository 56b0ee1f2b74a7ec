"""Objects as ``kubectl get -o yaml`` prints them can be applied: what a cluster has added to them is left out."""

import json

import pytest

SERVERS = {
    "uid": "11111111-1111-1111-1111-111111111111",
    "resourceVersion": "734",
    "creationTimestamp": "2025-03-04T05:06:07Z",
    "generation": 3,
    "managedFields": [{"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}],
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}\n"},
    "namespace": "shop",
}
ABSENT = "22222222-2222-2222-2222-222222222222"


def exported(kind, version="v1", name="web", uid=SERVERS["uid"], owner=None, labels=None, **parts):
    """Return an object with what a server of another cluster has written into it."""
    metadata = {**SERVERS, "name": name, "uid": uid, "labels": labels or {}}
    if owner is not None:
        metadata["ownerReferences"] = [{**owner, "controller": True, "blockOwnerDeletion": True}]
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **parts}


def owner_of(kind, name, uid=ABSENT, version="apps/v1"):
    return {"apiVersion": version, "kind": kind, "name": name, "uid": uid}


CONTAINER = {
    "name": "c",
    "image": "example.com/web:1",
    "volumeMounts": [{"name": "kube-api-access-x7x7x", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}],
}
ACCESS = {"name": "kube-api-access-x7x7x", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}
POD_SPEC = {
    "containers": [CONTAINER],
    "volumes": [ACCESS],
    "nodeName": "ip-10-0-0-7",
    "priority": 0,
    "preemptionPolicy": "PreemptLowerPriority",
    "schedulerName": "default-scheduler",
    "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
}
RUNNING = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "podIP": "10.1.2.3"}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
SELECTOR = {"matchLabels": {"app": "web"}}
DEPLOYMENT = exported(
    "Deployment",
    "apps/v1",
    spec={"replicas": 2, "selector": SELECTOR, "template": TEMPLATE, "revisionHistoryLimit": 10},
    status={"observedGeneration": 3, "replicas": 2, "availableReplicas": 2, "terminatingReplicas": 0},
)


def test_pod_is_scheduled_anew_without_the_owner_that_is_not_here(nodes, pods, expect):
    nodes.claim(1)
    owner = owner_of("ReplicaSet", "web-5c")
    pod = pods.apply(exported("Pod", owner=owner, spec=POD_SPEC, status=RUNNING))
    expect(pod).bound()
    assert "ownerReferences" not in pod.object["metadata"] or not pod.object["metadata"]["ownerReferences"]
    assert pod.object["spec"]["nodeName"] != "ip-10-0-0-7"


def test_what_a_controller_in_the_manifests_makes_is_left_out(nodes, manifests, expect):
    nodes.claim(2)
    replica_set = exported(
        "ReplicaSet",
        "apps/v1",
        "web-5c",
        "33333333-3333-3333-3333-333333333333",
        owner_of("Deployment", "web", SERVERS["uid"]),
        spec={"replicas": 2, "selector": SELECTOR, "template": TEMPLATE},
    )
    pod = exported("Pod", "v1", "web-5c-x", "4", owner_of("ReplicaSet", "web-5c"), {"app": "web"}, spec=POD_SPEC)
    everything = {"apiVersion": "v1", "kind": "List", "items": [pod, DEPLOYMENT, replica_set]}
    applied = manifests.apply(json.dumps(everything))
    for each in applied.pods(2):
        expect(each).bound()
    assert [sentence.rpartition(": ")[2] for sentence in applied.left_out] == [
        "its owner ReplicaSet web-5c makes it",
        "its owner Deployment web makes it",
    ]


def test_claim_finds_the_volume_that_was_bound_to_it(nodes, manifests, pods, expect):
    (node,) = nodes.claim(1)
    volume = exported(
        "PersistentVolume",
        name="disk",
        spec={
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "hostPath": {"path": "/data"},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "shop", "name": "data", "uid": ABSENT},
        },
        status={"phase": "Bound"},
    )
    del volume["metadata"]["namespace"]
    volume["metadata"]["finalizers"] = ["external-provisioner.volume.kubernetes.io/finalizer"]
    claim = exported(
        "PersistentVolumeClaim",
        name="data",
        spec={
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "local",
            "volumeName": "disk",
        },
        status={"phase": "Bound"},
    )
    claim["metadata"]["annotations"] = {
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
    }
    manifests.apply(claim, volume)
    mounted = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
    expect(pods.create(spec=mounted)).bound_to(node)


@pytest.mark.parametrize(
    ("kind", "version", "spec"),
    [
        ("Service", "v1", {"clusterIP": "172.30.1.2", "clusterIPs": ["172.30.1.2"], "ports": [{"port": 80}]}),
        ("Service", "v1", {"clusterIP": "None", "clusterIPs": ["None"], "ports": [{"port": 80}]}),
        ("Service", "v1", {"ipFamilies": ["IPv6"], "ipFamilyPolicy": "SingleStack", "ports": [{"port": 80}]}),
        (
            "Job",
            "batch/v1",
            {
                "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": ABSENT}},
                "manualSelector": False,
                "template": {
                    "metadata": {"labels": {"controller-uid": ABSENT, "batch.kubernetes.io/controller-uid": ABSENT}},
                    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]},
                },
            },
        ),
        ("StatefulSet", "apps/v1", {"serviceName": "web", "selector": SELECTOR, "template": TEMPLATE}),
        ("DaemonSet", "apps/v1", {"selector": SELECTOR, "template": TEMPLATE}),
        ("PodDisruptionBudget", "policy/v1", {"minAvailable": 1, "selector": SELECTOR}),
    ],
)
def test_exported_object_is_made(manifests, kind, version, spec):
    (made,) = manifests.apply(exported(kind, version, spec=spec, status={"unknown": "to this version"}))
    assert made.object["metadata"]["uid"] != SERVERS["uid"]


@pytest.mark.parametrize(
    "body",
    [
        exported("ConfigMap", data={"a": "b"}),
        exported("Secret", data={"a": "Yg=="}, type="Opaque"),
        exported("ServiceAccount"),
        {**exported("ConfigMap"), "metadata": {"name": "only", "resourceVersion": "7", "selfLink": "/api/v1/x"}},
    ],
)
def test_exported_object_without_a_spec_is_made(objects, body):
    assert objects.create(body).object["metadata"]["namespace"] != "shop"


def test_job_of_a_cron_job_is_left_out(manifests):
    job = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}}
    cron_job = exported("CronJob", "batch/v1", "report", spec={"schedule": "* * * * *", "jobTemplate": {"spec": job}})
    owner = owner_of("CronJob", "report", SERVERS["uid"], "batch/v1")
    of_it = exported("Job", "batch/v1", "report-28", "5", owner, spec={**job, "selector": SELECTOR})
    applied = manifests.apply(cron_job, of_it)
    assert [str(each).partition(" ")[0] for each in applied] == ["CronJob"]
    manifests.run(applied["CronJob", "report"]).pods(1)


def test_names_in_several_namespaces(manifests, expect, nodes):
    nodes.claim(2)
    near = {"topologyKey": "kubernetes.io/hostname", "labelSelector": SELECTOR, "namespaces": ["blue"]}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    blue, green = (
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web", "namespace": namespace, "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "x"}], **spec},
        }
        for namespace, spec in (("blue", {}), ("green", {"affinity": affinity}))
    )
    applied = manifests.apply(blue, green)
    first = expect(applied["Pod", "blue/web"]).bound()
    assert expect(applied["Pod", "green/web"]).bound() != first
    assert len({each.namespace for each in applied}) == 2


EVERYTHING = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: &template
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: x}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: x, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: x}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}], type: NodePort}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec: {containers: [{name: c, image: x}]}
"""
VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "disk"},
    "spec": {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "local",
        "hostPath": {"path": "/data"},
    },
}
LISTED = {
    "v1": ("Pod", "Service", "ConfigMap", "PersistentVolumeClaim", "ServiceAccount"),
    "apps/v1": ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ControllerRevision"),
    "batch/v1": ("Job",),
    "discovery.k8s.io/v1": ("EndpointSlice",),
}


@pytest.mark.requires("resize")  # simulated nodes: no image is pulled, no program runs
def test_all_of_a_namespace_can_be_applied_elsewhere(nodes, objects, manifests, namespaces, expect, tmp_path):
    """As typed lists, in which the items of the API server do not name their kind."""
    nodes.claim(2)
    objects.create(VOLUME)
    applied = manifests.apply(EVERYTHING)
    for pod in [*applied["Deployment", "web"].pods(2), *applied["StatefulSet", "db"].pods(1)]:
        expect(pod).bound()
    objects.select("EndpointSlice", {"kubernetes.io/service-name": "web"}, count=1)
    for version, kinds in LISTED.items():
        for kind in kinds:
            items = [each.object for each in objects.select(kind)]
            of_list = [{key: part for key, part in each.items() if key not in ("kind", "apiVersion")} for each in items]
            listed = {"kind": f"{kind}List", "apiVersion": version, "metadata": {}, "items": of_list}
            (tmp_path / f"{kind}.json").write_text(json.dumps(listed))
    copy = namespaces.create("copy")
    objects.create({**VOLUME, "metadata": {"name": "disk-2"}})
    again = manifests.apply(tmp_path, namespace=copy)
    made = sorted(f"{each.kind.kind} {each.name}" for each in again)
    assert made == [
        *("ConfigMap settings", "DaemonSet agent", "Deployment web", "Job once", "PersistentVolumeClaim data-db-0"),
        *("Pod alone", "Service web", "StatefulSet db"),
    ]
    for pod in [*again["Deployment", "web"].pods(2), *again["StatefulSet", "db"].pods(1), again["Pod", "alone"]]:
        assert pod.namespace == copy
        expect(pod).bound()
