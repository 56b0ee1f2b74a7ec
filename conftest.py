"""Fixtures that several files of the suite share."""

import pytest

from schedtest import KubeScheduler

pytest_plugins = ["pytester"]

#: a second stock kube-scheduler that serves pods of this schedulerName
CUSTOM = KubeScheduler("custom-scheduler", config="manifests/schedulers/custom-scheduler.yaml")


@pytest.fixture(scope="session")
def custom() -> KubeScheduler:
    """Describe the second scheduler, for tests that install and remove it themselves."""
    return CUSTOM


@pytest.fixture(scope="module")
def custom_scheduler(install, custom):
    """Run the second scheduler while the tests of a file run."""
    return install(custom)
