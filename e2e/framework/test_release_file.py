"""What a scheduler is released with, in one file of all kinds, as components take it."""

import pytest

from schedtest import KubeScheduler, UsageError

RELEASE = "manifests/schedulers/release.yaml"
MAINTENANCE = {
    "apiVersion": "released.example.com/v1",
    "kind": "Maintenance",
    "metadata": {"name": "later"},
    "spec": {"node": "node-1"},
}
URGENT = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "released-urgent"},
    "value": 1000,
    "description": "For the pods of tests that are to come first.",
}
#: Kubernetes itself puts a ConfigMap into every namespace
OWN = {"app": "released"}


def test_definitions_are_taken_out_of_it(install, objects):
    installed = install(KubeScheduler("released", crds=RELEASE))
    assert objects.create(MAINTENANCE).object["spec"] == {"node": "node-1"}
    assert f"{RELEASE}: Deployment released-system/released" in installed.left_out
    assert not any("CustomResourceDefinition" in each for each in installed.left_out)


def test_configuration_of_its_config_map_and_rights_of_its_roles(install, pods, expect):
    installed = install(KubeScheduler("mine", config=RELEASE, rules=RELEASE))
    assert installed.scheduler_name == "released"
    expect(pods.create(scheduler=installed)).scheduled_by("released")


def test_objects_of_it_live_as_long_as_the_component(install, objects, pods, expect):
    scheduler = install(KubeScheduler("mine", config=RELEASE, rules=RELEASE, crds=RELEASE, objects=RELEASE))
    (config,) = objects.select("ConfigMap", OWN, namespace="released-system")
    assert config.name == "released"
    assert "released-urgent" in [each.name for each in objects.select("PriorityClass")]
    pod = pods.create(scheduler=scheduler, priority_class="released-urgent")
    expect(pod).scheduled_by("released")

    scheduler.uninstall()
    assert "released-urgent" not in [each.name for each in objects.select("PriorityClass")]
    assert objects.select("ConfigMap", OWN, namespace="released-system") == []
    # Control arm: without the class, pods that name it are refused.
    with pytest.raises(UsageError, match="no PriorityClass with name released-urgent was found"):
        pods.create(scheduler="released", priority_class="released-urgent")


def test_objects_that_are_there_and_alike_are_kept(install, objects):
    urgent = objects.create(URGENT)
    scheduler = install(KubeScheduler("mine", config=RELEASE, rules=RELEASE, objects=RELEASE))
    scheduler.uninstall()
    assert urgent.object["value"] == 1000


def test_objects_that_are_there_and_differ_are_refused(install, objects):
    objects.create(URGENT, {"value": 7})
    message = "mine: objects: .*: PriorityClass released-urgent is in the cluster already, and differs in value; delete"
    with pytest.raises(UsageError, match=message):
        install(KubeScheduler("mine", config=RELEASE, rules=RELEASE, objects=RELEASE))
    assert objects.select("ConfigMap", OWN, namespace="released-system") == []
    mine = install(KubeScheduler("mine", config=RELEASE, rules=RELEASE))
    assert mine.scheduler_name == "released"


CALLS = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: released-calls}
webhooks:
  - name: calls.released.example.com
    clientConfig: {url: "https://127.0.0.1:1/validate"}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    failurePolicy: Ignore
    sideEffects: None
    admissionReviewVersions: [v1]
"""


def test_webhook_configuration_is_there_while_the_component_works(install, objects, tmp_path):
    (tmp_path / "calls.yaml").write_text(CALLS)
    kind, name = "ValidatingWebhookConfiguration", "released-calls"
    scheduler = install(KubeScheduler("calls", objects=tmp_path / "calls.yaml"))
    assert name in [each.name for each in objects.select(kind)]
    scheduler.uninstall()
    assert name not in [each.name for each in objects.select(kind)]
