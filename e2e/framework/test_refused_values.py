"""Whose mistake it is: the test's values, a file that does not run, or a scheduler that hangs while it starts."""

import pytest

from schedtest import ComponentError, KubeScheduler, Taint, UsageError

#: a scheduler whose author has forgotten to let go of a lock
DEADLOCK = "#!/bin/sh\necho waiting for the lock\nexec sleep 1000\n"


@pytest.fixture
def executable(tmp_path):
    """Write a file that may be executed."""

    def write(content):
        file = tmp_path / "scheduler"
        file.write_text(content)
        file.chmod(0o755)
        return file

    return write


def test_label_that_is_none(nodes):
    with pytest.raises(UsageError, match=r'node .*: metadata.labels: Invalid value: "a b": name part must consist of'):
        nodes.claim(1, labels={"a b": "c"})


def test_taint_without_effect(nodes):
    (node,) = nodes.claim(1)
    with pytest.raises(UsageError, match='effect: Unsupported value: "Never": supported values: "NoSchedule"'):
        node.taint(Taint("k", "v", "Never"))


@pytest.mark.requires("resize")
def test_capacity_that_is_none(nodes):
    with pytest.raises(UsageError, match=r"capacity: cpu must be a quantity"):
        nodes.claim(1, capacity={"cpu": "lots"})


def test_label_of_a_pod_that_is_none(pods):
    pod = pods.create()
    with pytest.raises(UsageError, match=r'[Pp]od .*: metadata.labels: Invalid value: "a b"'):
        pod.label({"a b": "c"})


def test_nodes_are_as_before_after_a_mistake(nodes, pods, expect):
    with pytest.raises(UsageError):
        nodes.claim(1, labels={"a b": "c"})
    nodes.close()
    (node,) = nodes.claim(1, labels={"a": "b"})
    expect(pods.create(node_selector={"a": "b"})).bound_to(node)


@pytest.mark.requires("processes")
def test_file_that_does_not_run(install, executable):
    with pytest.raises(UsageError, match=r"mine: .* cannot be run: it is neither a program of this system"):
        install(KubeScheduler("mine", binary=executable("echo hello\n")))


@pytest.mark.requires("processes")
def test_scheduler_that_hangs_while_it_starts(install, executable):
    with pytest.raises(ComponentError, match=r"(?s)mine runs, but is not ready after 3 s, .*waiting for the lock"):
        install(KubeScheduler("mine", binary=executable(DEADLOCK)), timeout=3)
