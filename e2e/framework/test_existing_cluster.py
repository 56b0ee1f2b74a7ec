"""The provider ``existing``: a run in a cluster that another user has made, which afterwards is as it was.

That user is this run: runs of pytest inside a test work in its cluster, beside its nodes and its default scheduler.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.requires("whole-cluster")

#: uses everything that leaves something in a cluster, and fails; what comes after is up to each test
INNER = """
import os, signal, subprocess
import pytest
from chaos_scheduler.component import Election, chaos_scheduler
from schedtest import KubeScheduler

ELECTING = {"leaderElection": {"leaderElect": True}, "profiles": [{"schedulerName": "inner"}]}

@pytest.fixture(scope="module")
def inner(install):
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", **ELECTING}
    return install(KubeScheduler("inner", config=config, crds=("widgets.yaml", "gadgets.yaml")))

def test_all_sorts_of_things(inner, install, nodes, pods, deployments, objects, expect):
    chaos = install(chaos_scheduler("inner-chaos", election=Election()))
    claimed = nodes.claim(2, capacity={"cpu": "2"})
    important = pods.priority_class("important", 1000)
    for chosen in ({"scheduler": inner}, {"scheduler": chaos}, {}):
        pod = pods.create(**chosen, requests={"cpu": "1"}, priority_class=important)
        expect(pod).bound_to_one_of(claimed)
        expect(pod).running()
    for pod in deployments.create("web", replicas=2, scheduler=inner).pods(2):
        expect(pod).bound_to_one_of(claimed)
    # Widgets belong to no namespace, and another stranger may have some at the same time.
    objects.create({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": f"of-{os.getpid()}"}})

def test_fails(pods, expect):
    expect(pods.create(node_selector={"no": "such"})).pending()
    assert not "a test that fails"
"""

PLAIN = """
def test_plain_pod_is_bound(pods, nodes, expect):
    expect(pods.create()).bound_to_one_of(nodes.all())
"""


#: uses what needs no rights but those of every run
USUAL = """
def test_usual_things(pods, nodes, deployments, namespaces, expect):
    claimed = nodes.claim(2, capacity={"cpu": "2"}, labels={"disk": "ssd"}, zones=["a", "b"])
    important = pods.priority_class("important", 1000)
    expect(pods.create(node_selector={"disk": "ssd"}, priority_class=important)).running()
    for pod in deployments.create("web", replicas=2).pods(2):
        expect(pod).bound_to_one_of(claimed)
    expect(pods.create(namespace=namespaces.create("other"))).bound_to_one_of(claimed)
"""


#: asks the API server, as KWOK, to change what is the run's own, and what is not
KWOK = """
from pathlib import Path
import pytest
from schedtest import Api, ApiError

CHANGE = {{"metadata": {{"annotations": {{"example.com/touched": "yes"}}}}}}

def test_kwok_changes_what_is_of_the_run_only(cluster, pods, nodes, expect):
    own = Path(cluster.kubeconfig).parent / "kubeconfigs" / "kwok"
    kwok = Api(own, timeout=30)
    kinds = [*cluster.api.kinds("v1"), *cluster.api.kinds("coordination.k8s.io/v1")]
    nodes_kind, pods_kind, leases_kind = (
        next(kind for kind in kinds if kind.kind == name) for name in ("Node", "Pod", "Lease")
    )
    (node,), pod = nodes.claim(1), pods.create()
    expect(pod).running()
    allowed = [(nodes_kind, node.name, None), (pods_kind, pod.name, pod.namespace)]
    allowed += [(leases_kind, node.name, "kube-node-lease")]
    refused = [(nodes_kind, {node!r}, None), (pods_kind, {pod!r}, {namespace!r})]
    refused += [(leases_kind, {node!r}, "kube-node-lease")]
    for kind, name, namespace in allowed:
        kwok.patch(kind, name, CHANGE, namespace)
    for kind, name, namespace in refused:
        for part in ("", "status"):
            with pytest.raises(ApiError) as caught:
                kwok.patch(kind, name, CHANGE, namespace, part)
            assert caught.value.status == 403, caught.value
    with pytest.raises(ApiError, match="403"):
        kwok.delete(pods_kind, {pod!r}, {namespace!r})
    kwok.close()
"""


#: reserves a node of two; what comes after is up to each test
RESERVING = """
import os, signal

def test_pod_runs_on_a_reserved_node(pods, nodes, expect):
    (node,) = nodes.claim(1, labels={"disk": "fast"})
    assert node.labels["pool"] == "strangers"
    pod = pods.create(node_selector={"disk": "fast"})
    expect(pod).bound_to(node)
    expect(pod).running()
"""


@dataclass(frozen=True)
class Stranger:
    """A user who runs pytest in the cluster of this run, in a folder of their own."""

    folder: Path
    kubeconfig: Path
    arguments: list[str]

    def run(self, text, *arguments):
        """Run tests with the provider existing; return the exit code and what was printed."""
        (self.folder / "test_inner.py").write_text(text)
        # A width, which GNU readline gives to children of the process that it is in, would have lines fitted to it.
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        size = () if any(each.startswith("--nodes=") for each in arguments) else ("--nodes=3",)
        done = subprocess.run(
            [*self.command, *size, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def elsewhere(self, name):
        """Return another one, whose folder is beside this one's, with the same definitions in it."""
        folder = self.folder.with_name(f"{self.folder.name}-{name}")
        folder.mkdir()
        for file in self.folder.glob("*.yaml"):
            shutil.copy(file, folder)
        return replace(self, folder=folder)

    @property
    def command(self):
        """How pytest is started."""
        named = ["--provider=existing", f"--kubeconfig={self.kubeconfig}", f"--context={self.context}"]
        plain = ["-rfEp", "-p", "no:cacheprovider", "--rootdir=."]
        return [sys.executable, "-m", "pytest", *plain, *named, *self.arguments]

    @property
    def context(self):
        """The only context of the kubeconfig."""
        return yaml.safe_load(self.kubeconfig.read_text())["current-context"]


@pytest.fixture(scope="module")
def stranger(cluster, tmp_path_factory, binary_options):
    folder = tmp_path_factory.mktemp("stranger")
    for plural in ("widgets", "gadgets"):
        (folder / f"{plural}.yaml").write_text(yaml.safe_dump(definition(plural)))
    made = Stranger(folder, cluster.kubeconfig, binary_options)
    # Meanwhile a new cluster comes to have all that every cluster has.
    code, printed = made.run(PLAIN)
    assert code == 0, printed
    return made


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its exit code, what it has printed, and what was in the cluster before and after it."""

    code: int
    printed: str
    before: dict
    after: dict

    @property
    def passed(self):
        """The names of the tests that have passed."""
        return set(re.findall(r"^PASSED test_inner\.py::(\w+)$", self.printed, re.MULTILINE))

    def check(self, code):
        """Check how it has ended, and that it has left nothing, and touched nothing."""
        assert self.code == code, self.printed
        assert self.after == self.before


@pytest.fixture(scope="module")
def make(cluster):
    """Make an object that is there until the tests of this file are over; what a test makes goes with the test."""
    groups = ("v1", "rbac.authorization.k8s.io/v1", "apiextensions.k8s.io/v1")
    kinds = {kind.kind: kind for group in groups for kind in cluster.api.kinds(group)}
    with ExitStack() as made:

        def making(body, namespace=None):
            kind, name = kinds[body["kind"]], body["metadata"]["name"]
            cluster.api.create(kind, body, namespace)
            made.callback(cluster.api.delete, kind, name, namespace)
            return name

        yield making


@pytest.fixture(scope="module")
def place(make):
    """A namespace like those of tests, and in it an account that pods run as."""
    name = make({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"t-strangers-{os.getpid()}"}})
    make({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "limited"}}, name)
    return name


@pytest.fixture(scope="module")
def everything(cluster):
    """List all objects but those of this run's tests, and of each what only those change who touch it."""

    def items(kind, namespaces):
        """Return the objects of a kind; of Events, of which tests have thousands, those in other namespaces only."""
        places = namespaces if kind.kind == "Event" else [None]
        return [item for place in places for item in cluster.api.list_objects(kind, place)["items"]]

    def listing():
        kinds = cluster.api.every_kind()
        (kind_of_namespaces,) = (kind for kind in kinds if kind.kind == "Namespace")
        names = [each["metadata"]["name"] for each in cluster.api.list_objects(kind_of_namespaces)["items"]]
        namespaces = [name for name in names if not is_of_test(name)]
        found = [(kind, item) for kind in kinds for item in items(kind, namespaces)]
        there = {item["metadata"]["name"] for kind, item in found if kind.kind == "Node"}
        return {
            name_of(kind, item): content(kind, item)
            for kind, item in found
            if not is_mine(item) and not is_lease_of_node(kind, item, there)
        }

    return listing


def is_lease_of_node(kind, item, nodes):
    """Return whether it is the Lease of a node that exists: a new node gets its Lease some time later."""
    metadata = item["metadata"]
    return kind.kind == "Lease" and metadata["namespace"] == "kube-node-lease" and metadata["name"] in nodes


def name_of(kind, item):
    metadata = item["metadata"]
    return f"{kind.api_version} {kind.kind} {metadata.get('namespace', '')}/{metadata['name']} {metadata['uid']}"


def content(kind, item):
    """All but the status, which the keepers of an object report; leases are renewed."""
    fields = {"metadata": {key: item["metadata"].get(key) for key in ("labels", "annotations", "finalizers")}}
    if kind.kind != "Lease":
        fields |= {key: item[key] for key in ("spec", "rules", "roleRef", "subjects", "data") if key in item}
    return fields


def is_mine(item):
    """Whether it is in a test's namespace, or an Event of which there may be more: about a node, or by a kubelet."""
    about = item.get("involvedObject") or item.get("regarding") or {}
    by = {item.get("reportingComponent"), item.get("reportingController"), (item.get("source") or {}).get("component")}
    is_event = (about.get("kind") == "Node" and not about["name"].startswith("schedtest-")) or "kubelet" in by
    return is_event or is_of_test(item["metadata"].get("namespace", ""))


def is_of_test(namespace):
    return namespace.startswith("t-")


def definition(plural):
    """Return the definition of a kind ``<plural>.example.com``."""
    kind = plural[:-1].capitalize()
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": plural[:-1]},
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


@pytest.fixture(scope="module")
def gadgets(make):
    """A definition that is there before the stranger comes, who brings another one of that name."""
    body = definition("gadgets")
    return make({**body, "metadata": {**body["metadata"], "labels": {"mine": "yes"}}})


@pytest.fixture(scope="module")
def limited(stranger, place, cluster):
    """A stranger who is a service account without any rights."""
    there = stranger.elsewhere("limited")
    own = yaml.safe_load(stranger.kubeconfig.read_text())
    own["users"][0]["user"] = {"token": cluster.api.token("limited", place, 3600)}
    kubeconfig = there.folder / "limited.kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(own))
    return replace(there, kubeconfig=kubeconfig)


@pytest.fixture(scope="module")
def refused(limited, everything):
    """Return how the run of that stranger has ended."""
    before = everything()
    return Ended(*limited.run(PLAIN), before, everything())


def rule(missing):
    """Return the rule that grants what a line such as ``- create roles.rbac.authorization.k8s.io`` lists."""
    verb, what = missing.split()[1:3]
    resource, _, group = what.partition(".")
    return {"apiGroups": [group], "resources": [resource], "verbs": [verb]}


@pytest.fixture(scope="module")
def entitled(limited, refused, make, place):
    """The same stranger, with the rights that were listed as missing.

    And with those that the default scheduler declares: a user can grant only what the user may do.
    """
    api, name = "rbac.authorization.k8s.io", f"enough-{os.getpid()}"
    rules = [rule(line) for line in dict.fromkeys(refused.printed.splitlines()) if line.startswith("  - ")]
    make({"apiVersion": f"{api}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules})
    for role in (name, "system:kube-scheduler", "system:volume-scheduler"):
        make(
            {
                "apiVersion": f"{api}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": f"{name}-{role.replace(':', '-')}"},
                "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": "limited", "namespace": place}],
            }
        )
    return limited


@pytest.fixture(scope="module")
def of_another(make, place, cluster):
    """Return the names of a node and of a pod that are no stranger's."""
    kinds = {kind.kind: kind for kind in cluster.api.kinds("v1")}
    spec = {"schedulerName": "not-installed", "serviceAccountName": "limited"}
    spec["containers"] = [{"name": "main", "image": "example.com/none"}]
    pod = make({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": spec}, place)
    (node, *_) = cluster.api.list_objects(kinds["Node"])["items"]
    return {"node": node["metadata"]["name"], "pod": pod, "namespace": place}


def test_runs_that_end_at_the_same_time_leave_nothing_that_they_shared(stranger, everything):
    """The first one here: afterwards there is a definition of gadgets that is none of theirs."""
    pytest.importorskip("xdist")
    before = everything()
    code, printed = stranger.run(f"{INNER}\ndef test_else(inner): pass\n", "-n2", "-k", "not fails")
    Ended(code, printed, before, everything()).check(0)


@pytest.fixture(scope="module")
def at_once(
    stranger,
    entitled,
    of_another,
    gadgets,  # noqa: ARG001 - it is there meanwhile
    everything,
):
    """Several strangers at the same time: most of a run's end is waiting. Return how the run of each has ended."""
    living = stranger.elsewhere("living")
    (living.folder / "plain.py").write_text(PLAIN)
    again = f"""
def test_again(inner, nodes, pods, objects, expect):
    subprocess.run({[*living.command, "--nodes=3", "plain.py"]}, check=True)
    expect(pods.create(scheduler=inner)).bound()
    objects.create({{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {{"name": "two"}}}})
"""
    strangers = {
        "living": (living, f"{INNER}{again}"),
        "ctrl-c": (stranger.elsewhere("ctrl-c"), f"{INNER}\ndef test_ends(pods): raise KeyboardInterrupt\n"),
        "entitled": (entitled, f"{PLAIN}{USUAL}{KWOK.format(**of_another)}"),
    }
    before = everything()
    with ThreadPoolExecutor(len(strangers)) as pool:
        runs = {name: pool.submit(each.run, text) for name, (each, text) in strangers.items()}
    after = everything()
    return {name: Ended(*run.result(), before, after) for name, run in runs.items()}


def test_nothing_stays_and_nothing_else_is_touched(at_once):
    """Two strangers at once: one whose tests fail, and one who presses Ctrl-C."""
    for name, expected, shown in (("living", 1, "1 failed, 2 passed"), ("ctrl-c", 2, "KeyboardInterrupt")):
        at_once[name].check(expected)
        assert shown in at_once[name].printed, at_once[name].printed


def test_a_living_run_keeps_its_things_when_another_one_begins_and_ends(at_once):
    """Its test that is meant to fail is the only one that does."""
    at_once["living"].check(1)
    assert at_once["living"].passed == {"test_all_sorts_of_things", "test_again"}


def test_kwok_of_a_run_cannot_change_what_others_have(at_once):
    """It is the KWOK of the stranger with few rights."""
    assert "test_kwok_changes_what_is_of_the_run_only" in at_once["entitled"].passed


def test_missing_rights_are_listed_before_anything_is_made(limited, refused):
    assert refused.code != 0
    said = f"--context {limited.context}: the user of the context may not do all that a run needs"
    assert said in refused.printed, refused.printed
    for missing in ("create namespaces", "delete nodes", "create clusterroles.rbac.authorization.k8s.io"):
        assert f"  - {missing}\n" in refused.printed
    assert refused.after == refused.before


def test_rights_that_are_listed_as_missing_are_enough(at_once):
    """Besides those that the default scheduler declares: a user can grant only what the user may do."""
    at_once["entitled"].check(0)
    assert at_once["entitled"].passed >= {"test_plain_pod_is_bound", "test_usual_things"}


@pytest.mark.usefixtures("gadgets")
def test_what_a_killed_run_leaves_is_removed_by_the_next(stranger, everything):
    """A definition that an earlier run of a stranger has made may still be there, and goes as well."""

    def split():
        """Return the definitions that strangers bring, and all other objects."""
        found = everything()
        widgets = {name for name in found if "CustomResourceDefinition /widgets.example.com " in name}
        return widgets, {name: each for name, each in found.items() if name not in widgets}

    _, before = split()
    killed = """
def test_is_killed(pods, expect):
    expect(pods.create()).running()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    code, printed = stranger.run(f"{INNER}{killed}")
    assert code == -9, printed
    # Control arm: it does leave a lot behind, but has touched nothing that was there.
    widgets, left = split()
    assert widgets
    kinds = {name.split()[1] for name in left.keys() - before.keys()}
    assert kinds >= {"Namespace", "Node", "Pod", "ClusterRole"}
    assert {name: left.get(name) for name in before} == before

    code, printed = stranger.run(PLAIN)
    assert code == 0, printed
    assert split() == (set(), before)


def test_real_nodes_that_a_run_reserves_are_put_back(stranger, nodes, everything):
    """After a run that was killed, as well: by the next one."""
    nodes.claim(2, labels={"pool": "strangers"})
    before, given = everything(), ("--nodes=0", "--node-selector=pool=strangers")
    code, printed = stranger.run(f"{RESERVING}    os.kill(os.getpid(), signal.SIGKILL)\n", *given)
    assert code == -9, printed
    assert everything() != before
    code, printed = stranger.run(f"{RESERVING}\ndef test_more(nodes): pass\n", *given)
    Ended(code, printed, before, everything()).check(0)
