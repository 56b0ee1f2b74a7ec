"""A scheduler that its user has as a container image, or as the Dockerfile of one."""

import pytest

from schedtest import BuildError, KubeScheduler, UsageError

pytestmark = pytest.mark.requires("kubelet")


def test_image_is_built_and_is_then_known_by_its_name(kube_scheduler_image, install, pods, expect):
    pod = pods.create(scheduler="dockered")
    expect(pod).left_alone()
    built = install(KubeScheduler("dockered", image=kube_scheduler_image))
    expect(pod).scheduled_by("dockered")
    expect(pod).running()
    built.uninstall()

    pod = pods.create(scheduler="named")
    expect(pod).left_alone()
    install(KubeScheduler("named", image="schedtest.dev/dockered:built"))
    expect(pod).scheduled_by("named")


def test_image_that_nobody_has(install):
    with pytest.raises(UsageError, match=r"mine: image registry.invalid/mine:1: Docker does not have it, and pulling"):
        install(KubeScheduler("mine", image="registry.invalid/mine:1"))


def test_dockerfile_that_does_not_build(kube_scheduler_image, install, tmp_path):
    (tmp_path / "Dockerfile").write_text((kube_scheduler_image / "Dockerfile").read_text())
    with pytest.raises(BuildError, match=r"(?s)does not build:.*COPY failed: .*kube-scheduler"):
        install(KubeScheduler("mine", image=tmp_path))


def test_folder_without_a_dockerfile(install, tmp_path):
    with pytest.raises(UsageError, match=r"mine: image: there is no .*Dockerfile"):
        install(KubeScheduler("mine", image=tmp_path))
