"""A scheduler that its user has as a container image, or as the Dockerfile of one."""

import shutil

import pytest

from schedtest import BuildError, KubeScheduler, UsageError

pytestmark = pytest.mark.requires("kubelet")

DOCKERFILE = """
FROM scratch
COPY kube-scheduler /usr/local/bin/
USER 65532
ENTRYPOINT ["/usr/local/bin/kube-scheduler"]
"""


@pytest.fixture
def folder(tmp_path, schedtest_session):
    """A folder with a Dockerfile, and the program that it is about."""
    shutil.copy(schedtest_session.binaries["kube-scheduler"].path, tmp_path / "kube-scheduler")
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    return tmp_path


def test_image_is_built_and_is_then_known_by_its_name(folder, install, pods, expect):
    pod = pods.create(scheduler="dockered")
    expect(pod).left_alone()
    built = install(KubeScheduler("dockered", image=folder))
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


def test_dockerfile_that_does_not_build(folder, install):
    (folder / "kube-scheduler").unlink()
    with pytest.raises(BuildError, match=r"(?s)does not build:.*COPY failed: .*kube-scheduler"):
        install(KubeScheduler("mine", image=folder))


def test_folder_without_a_dockerfile(install, tmp_path):
    with pytest.raises(UsageError, match=r"mine: image: there is no .*Dockerfile"):
        install(KubeScheduler("mine", image=tmp_path))
