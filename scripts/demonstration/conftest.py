"""What each way to change scheduling is shown with: a narrator, and the fixtures that a test has."""

import select
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from demonstration.narrator import Narrator
from schedtest import KubeScheduler

#: seconds between two looks at whether Ctrl-C was pressed
AGAIN = 0.2


def pytest_addoption(parser):
    """Add the option of a talk."""
    parser.addoption("--pause", action="store_true", help="demo: wait for Enter before every step, as for a talk")


def pytest_configure(config):
    """Refuse a pause where no one can end it."""
    if config.getoption("--pause") and not sys.stdin.isatty():
        raise pytest.UsageError("--pause waits for Enter, and standard input is not a terminal; leave it out")


@dataclass
class Stage:
    """Shows on a cluster what is told."""

    tell: Narrator
    base: Any
    cluster: Any
    nodes: Any
    expect: Any
    installer: Any

    def install(self, component):
        """Run a component until the end of the test."""
        installed = self.installer(component)
        self.tell.say(f"{component.name} is installed, and works")
        return installed

    def configure(self, component, name):
        """Show what sets the configuration of a component apart from the default scheduler's."""
        before, after = (each.configuration(self.base) for each in (KubeScheduler(), component))
        self.tell.difference(before, after, ("default-scheduler", name))

    def show(self, pod, *reasons):
        """Show the state of a pod; wait for an Event of each reason, and show its text."""
        events = [f"Event {reason}: {self.expect(pod).event(reason)}" for reason in reasons]
        (kind,) = (kind for kind in self.cluster.api.kinds("v1") if kind.plural == "pods")
        seen = self.cluster.api.get(kind, pod.name, pod.namespace)
        node = seen["spec"].get("nodeName")
        where = f"on {node}" if node else "not bound to a node"
        self.tell.pod(pod.name, f"{seen['status']['phase']}, {where}", *events)

    def distribution(self, pods):
        """Wait until all pods are bound; draw to which nodes, and return the counts."""
        counts = Counter(dict.fromkeys((node.name for node in self.nodes.all()), 0))
        counts.update([self.expect(pod).bound() for pod in pods])
        self.tell.bars(counts)
        return counts


def _enter():
    sys.stdout.write("\n   Enter goes on, Ctrl-C ends … ")
    sys.stdout.flush()
    # A Ctrl-C that comes just before a wait begins does not end it, so the wait is begun again now and then.
    while not select.select([sys.stdin], [], [], AGAIN)[0]:
        pass
    sys.stdin.readline()


@pytest.fixture
def stage(request, cluster, nodes, expect, install):
    """Prepare a stage, and announce the test by its name and its docstring."""
    tell = Narrator(_enter if request.config.getoption("--pause") else lambda: None)
    tell.title(request.node.name.removeprefix("test_"), request.node.function.__doc__)
    return Stage(tell, request.config.rootpath, cluster, nodes, expect, install)
