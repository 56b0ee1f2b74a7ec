"""What a scheduler is released with, in one file of all kinds, as components take it."""

from schedtest import KubeScheduler

RELEASE = "manifests/schedulers/release.yaml"
MAINTENANCE = {
    "apiVersion": "released.example.com/v1",
    "kind": "Maintenance",
    "metadata": {"name": "later"},
    "spec": {"node": "node-1"},
}


def test_definitions_are_taken_out_of_it(install, objects):
    installed = install(KubeScheduler("released", crds=RELEASE))
    assert objects.create(MAINTENANCE).object["spec"] == {"node": "node-1"}
    assert f"{RELEASE}: Deployment released-system/released" in installed.left_out
    assert not any("CustomResourceDefinition" in each for each in installed.left_out)


def test_configuration_of_its_config_map_and_rights_of_its_roles(install, pods, expect):
    installed = install(KubeScheduler("mine", config=RELEASE, rules=RELEASE))
    assert installed.scheduler_name == "released"
    expect(pods.create(scheduler=installed)).scheduled_by("released")
