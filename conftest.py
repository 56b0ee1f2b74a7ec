"""Fixtures that several files of the suite share."""

import pytest

from schedtest import Extender, KubeScheduler, PluginScheduler

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


@pytest.fixture(scope="module")
def tracer(install):
    """Run a scheduler that traces every call of its plugins while the tests of a file run."""
    return install(PluginScheduler("tracer", module="scheduler", config="manifests/schedulers/tracer.yaml"))


class AcceptsAll(Extender):
    """Let every node through."""

    def filter(self, args):
        """See ``Extender``."""
        return args.reject({})


@pytest.fixture(scope="session")
def accepts_all() -> Extender:
    """Give an extender that objects to nothing, for tests about whether it is asked."""
    return AcceptsAll()
