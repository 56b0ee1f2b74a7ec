"""Components whose rights are those of the manifests that are shipped with them."""

import pytest

from chaos_scheduler.component import chaos_scheduler
from schedtest import ComponentError, KubeScheduler, ManifestRules, UsageError

SHIPPED = "manifests/chaos-scheduler/rbac.yaml"


def test_shipped_rights_are_enough(install, pods, expect):
    chaos = install(chaos_scheduler("shipped", rules=SHIPPED))
    expect(pods.create(scheduler=chaos)).scheduled_by("shipped")
    assert b"cannot" not in chaos.log()


def test_right_that_the_manifests_lack_is_named(pytestconfig, install, tmp_path):
    """Control arm: nothing is granted but what they say."""
    text = (pytestconfig.rootpath / SHIPPED).read_text()
    assert "resources: [pods, nodes]" in text
    (tmp_path / "rbac.yaml").write_text(text.replace("resources: [pods, nodes]", "resources: [pods]"))
    with pytest.raises(ComponentError, match=r'cannot list resource "nodes"'):
        install(chaos_scheduler("deprived", rules=tmp_path / "rbac.yaml"))


def test_roles_of_kubernetes_that_manifests_refer_to(install, pods, expect):
    mine = install(KubeScheduler("mine", rules=ManifestRules("manifests/schedulers/deployed.yaml", "my-scheduler")))
    expect(pods.create(scheduler=mine)).scheduled_by("mine")


def test_file_without_roles(install):
    with pytest.raises(UsageError, match=r"mine: rules: .*/priority.yaml holds no roles and no bindings"):
        install(KubeScheduler("mine", rules="manifests/schedulers/priority.yaml"))
