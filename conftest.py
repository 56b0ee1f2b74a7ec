"""Fixtures that several files of the suite share."""

import shutil
import socket
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from random import SystemRandom

import pytest
from platformdirs import user_cache_path

from schedtest import DeployedScheduler, Extender, KubeScheduler, PluginScheduler

pytest_plugins = ["pytester", "e2e.documents"]

#: options about the binaries of a run
_BINARIES = ("--kubernetes", "--toolchain", "--mirror", "--toolchain-cache", "--bin")

#: a second stock kube-scheduler that serves pods of this schedulerName
CUSTOM = KubeScheduler("custom-scheduler", config="manifests/schedulers/custom-scheduler.yaml")


@pytest.fixture
def pytester(pytester, monkeypatch):
    """Give runs of pytest no width to fit lines to; pytest-xdist names one to its workers."""
    monkeypatch.delenv("COLUMNS", raising=False)
    return pytester


@pytest.fixture(scope="session")
def binary_options(pytestconfig) -> list[str]:
    """Return the options with which a run inside a test has the binaries of this run, from any folder."""

    def resolved(value):
        name, equals, path = value.rpartition("=")
        return f"{name}{equals}{Path(path).resolve()}"

    given = {name: pytestconfig.getoption(name) for name in _BINARIES}
    given["--toolchain-cache"] = resolved(given["--toolchain-cache"] or str(user_cache_path("schedtest")))
    given["--bin"] = [resolved(value) for value in given["--bin"] or ()]
    values = {name: value if isinstance(value, list) else [value] for name, value in given.items() if value}
    return [f"{name}={value}" for name, several in values.items() for value in several]


@pytest.fixture(scope="module")
def custom_scheduler(install):
    """Run the second scheduler while the tests of a file run."""
    return install(CUSTOM)


@pytest.fixture(scope="module")
def tracer(install):
    """Run a scheduler that traces every call of its plugins while the tests of a file run."""
    return install(
        PluginScheduler("tracer", module="scheduler", follow_kubernetes=True, config="manifests/schedulers/tracer.yaml")
    )


#: an image with a kube-scheduler, and nothing else
DOCKERFILE = """
FROM scratch
COPY kube-scheduler /usr/local/bin/
USER 65532
ENTRYPOINT ["/usr/local/bin/kube-scheduler"]
"""


#: a class of volumes that no program provisions: a pod that uses one waits with its binding until the test makes it
LATE = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "comes-late"},
    "provisioner": "example.com/by-hand",
    "volumeBindingMode": "WaitForFirstConsumer",
}


class LateVolumes:
    """Make claims, and their volumes later."""

    def __init__(self, objects):
        self._objects = objects
        objects.create(LATE)
        self._same = {"storageClassName": LATE["metadata"]["name"], "accessModes": ["ReadWriteOnce"]}

    def claim(self, name="late"):
        """Make a claim."""
        spec = {**self._same, "resources": {"requests": {"storage": "1Gi"}}}
        body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
        return self._objects.create(body)

    def volume(self, claim):
        """Make the volume of a claim, as the program that provisions volumes would do it."""
        reference = {"namespace": claim.namespace, "name": claim.name, "uid": claim.uid}
        source = {"hostPath": {"path": "/data"}, "claimRef": reference}
        spec = {**self._same, "capacity": {"storage": "1Gi"}, **source}
        metadata = {"generateName": f"{claim.name}-"}
        self._objects.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec})

    def using(self, claim):
        """Return the spec of a pod that uses a claim."""
        return {"volumes": [{"name": "late", "persistentVolumeClaim": {"claimName": claim.name}}]}


@pytest.fixture
def late_volumes(objects):
    """Make volumes that come when a pod waits for them."""
    return LateVolumes(objects)


@pytest.fixture
def full(nodes, pods, expect):
    """Return a node, the pod that fills it, which a finalizer keeps when it is preempted, and what removes that."""
    (node,) = nodes.claim(1, capacity={"cpu": "1"})
    victim = pods.create(requests={"cpu": "1"}, priority_class=pods.priority_class("low", 1))
    victim.patch({"metadata": {"finalizers": ["example.com/stays"]}})
    expect(victim).bound_to(node)

    @cache
    def let_go():
        victim.patch({"metadata": {"finalizers": None}})

    yield node, victim, let_go
    let_go()


@pytest.fixture
def renewed_lease(cluster):
    """Return what the Lease of a name says; of several, in different namespaces, the one that was renewed last."""
    (kind,) = (kind for kind in cluster.api.kinds("coordination.k8s.io/v1") if kind.kind == "Lease")

    def read(name):
        specs = [each["spec"] for each in cluster.api.list_objects(kind)["items"] if each["metadata"]["name"] == name]
        return max(specs, key=lambda spec: datetime.fromisoformat(spec["renewTime"]))

    return read


@pytest.fixture
def lease_expired_first(renewed_lease):
    """Check that the Lease of a name was not taken before it had expired.

    Call it before the leader hangs or dies; it returns what to call once another has taken its place. By the times in
    the Lease: the leader may have renewed it later than when it was read, but never earlier. ``resolution`` is by how
    many seconds a renewal must differ from the last one to be noticed.
    """

    def begin(name, resolution=0.0):
        before = renewed_lease(name)

        def check():
            after = renewed_lease(name)
            assert after["holderIdentity"] != before["holderIdentity"]
            waited = datetime.fromisoformat(after["acquireTime"]) - datetime.fromisoformat(before["renewTime"])
            assert waited.total_seconds() >= before["leaseDurationSeconds"] - resolution

        return check

    return begin


@pytest.fixture(scope="session")
def kube_scheduler_image(tmp_path_factory, schedtest_session) -> Path:
    """Return a folder with a Dockerfile, and the kube-scheduler that it is about."""
    folder = tmp_path_factory.mktemp("image")
    shutil.copy(schedtest_session.binaries["kube-scheduler"].path, folder / "kube-scheduler")
    (folder / "Dockerfile").write_text(DOCKERFILE)
    return folder


@pytest.fixture(scope="session")
def unused_port():
    """Choose a port of this machine that nothing has, nor gets by chance: kernels hand out those from 32768 on."""

    def choose() -> int:
        for port in SystemRandom().sample(range(10000, 32000), 100):
            with suppress(OSError), socket.create_server(("127.0.0.1", port)):
                return port
        raise AssertionError("100 ports of this machine are taken")

    return choose


@pytest.fixture(scope="session")
def shipped(kube_scheduler_image, unused_port, pytestconfig, tmp_path_factory):
    """Describe the scheduler of manifests/schedulers/deployed.yaml by a name, with texts of the manifest replaced.

    By default its lease is short: four seconds until the place of a leader that is gone is taken. As a process it
    listens at a port of this machine, where another one may do so, too: each gets a port of its own.
    """
    manifest = pytestconfig.rootpath / "manifests/schedulers/deployed.yaml"
    soon = {"leaseDuration: 15s": "leaseDuration: 4s", "renewDeadline: 10s": "renewDeadline: 3s"}
    soon["retryPeriod: 2s"] = "retryPeriod: 200ms"

    def describe(name, replaced=(), **more) -> DeployedScheduler:
        text = manifest.read_text().replace("my-scheduler", name).replace("10259", str(unused_port()))
        for old, new in (soon | dict(replaced)).items():
            assert old in text, f"{manifest} does not hold {old!r}"
            text = text.replace(old, new)
        file = tmp_path_factory.mktemp("shipped") / "deployed.yaml"
        file.write_text(text)
        image = f"example.com/{name}:v1"
        given = {"images": {image: kube_scheduler_image}, "binaries": {image: kube_scheduler_image / "kube-scheduler"}}
        return DeployedScheduler(name, [file], **(given | more))

    return describe


class AcceptsAll(Extender):
    """Let every node through."""

    def filter(self, args):
        """Reject no node."""
        return args.reject({})


@pytest.fixture(scope="session")
def accepts_all() -> Extender:
    """Give an extender that objects to nothing, for tests about whether it is asked."""
    return AcceptsAll()
