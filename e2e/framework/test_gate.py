"""``schedtest gate``: schedulers that work conform, and a broken one differs by the tests of its fault only."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

SCHEDTEST = str(Path(sys.executable).with_name("schedtest"))
TOYS = Path(__file__).parents[1] / "toys"

pytestmark = pytest.mark.requires("processes")


def rule(verbs, *resources):
    return {"Rule": {"groups": [""], "resources": [*resources], "verbs": [*verbs]}}


def toy(fault):
    """Return a scheduler of another make, as ``run`` has it."""
    rules = [
        rule(["list", "delete"], "pods"),
        rule(["list"], "nodes"),
        rule(["create"], "pods/binding", "events"),
        rule(["patch"], "pods/status"),
    ]
    arguments = ["--kubeconfig={at.kubeconfig}", "--port={at.port}", "--serves=mine", f"--fault={fault}"]
    program = {"name": "toy", "module": "toy_faults", "health": "/healthz", "arguments": arguments, "rules": rules}
    return {"Program": program}


@pytest.fixture
def judged(tmp_path, monkeypatch, binary_options):
    """Judge a scheduler by some profiles; return the exit status, what is printed, and the names of what differs."""
    monkeypatch.setenv("PYTHONPATH", str(TOYS))

    def judged(component, claims, *profiles, options=(), **more):
        described = {
            "apiVersion": "schedtest.dev/v1",
            "implementation": {"organization": "me", "project": "mine", "version": "v1"},
            "schedulerName": "mine",
            "run": [component],
            "claims": claims,
            **more,
        }
        (tmp_path / "schedtest.yaml").write_text(yaml.safe_dump(described))
        chosen = [f"--profile={each}" for each in profiles]
        # On a busy machine, a scheduler may take longer than usual to come back to a pod.
        argv = [SCHEDTEST, "gate", "--report", "report.json", *chosen, "--timeout-factor=3", *options, *binary_options]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        printed = done.stdout + done.stderr
        report = tmp_path / "report.json"
        assert report.exists(), printed
        found = [each["differs"] for each in json.loads(report.read_text())["profiles"]]
        return done.returncode, printed, {each["test"] for differs in found for each in differs}

    return judged


#: all features that the suite has tests of, but for groups, which the default version does not have
CLAIMED_OF_STOCK = [
    *("node-selector", "node-affinity", "taints", "cordon", "resources", "pod-resources", "ports", "pod-affinity"),
    *("spread", "gates", "volumes", "priority", "preemption", "devices", "prompt", "reports", "leader"),
]

#: kube-scheduler with leader election: a Lease is valid for 4 s
ELECTION = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "leaderElection": {"leaderElect": True, "leaseDuration": "4s", "renewDeadline": "3s", "retryPeriod": "200ms"},
    "profiles": [{"schedulerName": "mine"}],
}


def test_kube_scheduler_conforms(judged):
    replicas = {"KubeScheduler": {"name": "mine", "config": ELECTION}}
    status, printed, differs = judged({"KubeScheduler": {"name": "mine"}}, CLAIMED_OF_STOCK, replicas=replicas)
    assert (status, differs) == (0, set()), printed
    assert "mine v1 is conformant" in printed


def test_healthy_scheduler_of_another_make_conforms(judged):
    claims = ["node-selector", "taints", "resources", "preemption", "prompt", "reports"]
    status, printed, differs = judged(toy("Nominates"), claims, "requeue", "reports")
    assert (status, differs) == (0, set()), printed


#: what is tested of node selectors
SELECTED = {
    "placement/node-selector: every label is needed",
    "placement/node-selector: a label that no node has",
    "placement/node-selector: a label with another value",
}


@pytest.mark.parametrize(
    ("fault", "claims", "profile", "wanted"),
    [
        ("NeverRetries", ["taints", "prompt"], "requeue", {"requeue/taints: the taint is removed"}),
        (
            "IgnoresRequests",
            ["taints", "resources", "prompt"],
            "requeue",
            {
                "requeue/resources: the node grows",
                "requeue/resources: a pod that takes room is deleted",
                "requeue/resources: a node with room comes",
            },
        ),
        ("IgnoresSelectors", ["gates", "node-selector"], "placement", SELECTED),
        ("ReportsAnotherNode", ["reports"], "reports", {"reports/bound: an event names the node"}),
        ("ReportsFailureLate", ["reports"], "reports", {"reports/bound: no report contradicts the binding"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_broken_scheduler_differs_by_the_tests_of_its_fault(judged, fault, claims, profile, wanted):
    status, printed, differs = judged(toy(fault), claims, profile)
    assert (status, differs) == (1, wanted), printed


@pytest.mark.parametrize(
    ("fault", "differs"),
    [
        ("BindsPodsOfOthers", "duties/serves: pods of other names are left alone"),
        ("Toy", "duties/quiet: nothing is asked for at rest"),  # it lists all pods and nodes in each round
    ],
)
def test_duty_that_is_not_kept(judged, fault, differs):
    other = "duties/serves: a pod that names it is bound"
    options = ["--only", differs, "--only", other]
    status, printed, found = judged(toy(fault), [], options=options)
    assert (status, found) == (1, {differs}), printed


def test_claims_are_where_the_served_pods_are(judged):
    tests = (
        "placement/volumes: a claim for one pod",
        "placement/devices: a device is for one claim",
        "placement/preemption: no more than needed",
    )
    options = [f"--only={each}" for each in tests]
    component, claims = {"KubeScheduler": {"name": "mine"}}, ["volumes", "devices", "preemption"]
    status, printed, differs = judged(component, claims, options=options, pods={"namespace": "served"})
    assert (status, differs) == (0, set()), printed
    assert printed.count("conforms  ") == len(tests), printed


def test_kube_scheduler_without_devices_differs(judged):
    disabled = {"multiPoint": {"disabled": [{"name": "DynamicResources"}]}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "mine", "plugins": disabled}],
    }
    component = {"KubeScheduler": {"name": "mine", "config": config}}
    status, printed, differs = judged(component, ["devices"], "placement")
    wanted = {
        "placement/devices: a node with the device",
        "placement/devices: no node with the device",
        "placement/devices: a claim of devices that does not exist",
    }
    assert (status, differs) == (1, wanted), printed  # the first three, so the others are not tried


#: a test of groups that takes a second, also for a scheduler without the feature
QUORUM = "placement/groups: fewer pods than a group needs"


@pytest.mark.requires("kubernetes>=1.37", "gate:GenericWorkload")
@pytest.mark.parametrize(
    ("on", "only", "wanted"), [(True, [], set()), (False, [f"--only={QUORUM}"], {QUORUM})], ids=["with", "without"]
)
def test_groups(judged, on, only, wanted):
    component = {"KubeScheduler": {"name": "mine", "feature_gates": {"GenericWorkload": on}}}
    features = ["--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1beta1=true"]
    status, printed, differs = judged(
        component, ["groups", "prompt"], "placement", "requeue", options=[*features, *only]
    )
    assert (status, differs) == (int(not on), wanted), printed
