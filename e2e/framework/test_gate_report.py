"""``schedtest gate`` reports by which behaviours a scheduler differs, and its exit status says whether it conforms."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

SCHEDTEST = str(Path(sys.executable).with_name("schedtest"))

#: node selectors are the work of this plugin
BLIND = {"plugins": {"multiPoint": {"disabled": [{"name": "NodeAffinity"}]}}}

#: and host ports that of this one
WITHOUT_PORTS = {"plugins": {"multiPoint": {"disabled": [{"name": "NodePorts"}]}}}

pytestmark = pytest.mark.requires("processes")


def gate(folder, *arguments):
    return subprocess.run([SCHEDTEST, "gate", *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def selectors(tmp_path):
    """The names of two tests of node selectors, and the options that choose these."""
    listed = gate(tmp_path, "--list", "--profile", "placement").stdout.splitlines()
    names = [line for line in listed if line.startswith("placement/node-selector: ")][:2]
    return names, [option for name in names for option in ("--only", name)]


@pytest.fixture
def described(tmp_path):
    """Write the description of a kube-scheduler with a profile; return its folder."""

    def described(profile, **fields):
        config = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"schedulerName": "mine", **profile}],
        }
        written = {
            "apiVersion": "schedtest.dev/v1",
            "implementation": {"organization": "me", "project": "mine", "version": "v1"},
            "schedulerName": "mine",
            "run": [{"KubeScheduler": {"name": "mine", "config": config}}],
            "claims": ["node-selector"],
            **fields,
        }
        (tmp_path / "schedtest.yaml").write_text(yaml.safe_dump(written))
        return tmp_path

    return described


@pytest.fixture
def judged(described, binary_options):
    """Judge a kube-scheduler with a profile; return the exit status, what it prints, and the report."""

    def judged(profile, *options, **fields):
        folder = described(profile, **fields)
        done = gate(folder, "--report", "report.json", *options, *binary_options)
        return done.returncode, done.stdout + done.stderr, json.loads((folder / "report.json").read_text())

    return judged


def test_scheduler_that_conforms(judged, selectors):
    status, printed, report = judged({}, *selectors[1])
    assert status == 0, printed
    assert printed.count("schedtest: conforms ") == 2
    assert report["profiles"][0]["statistics"] == {"conforms": 2}


def test_scheduler_that_ignores_node_selectors(judged, selectors):
    (known, new), only = selectors
    status, printed, report = judged(BLIND, *only, differs=[{"test": known, "bug": "mine#1"}])
    assert status == 1, printed
    assert report["result"] == "failure"
    found = {each["test"]: (each["bug"], each["unstable"]) for each in report["profiles"][0]["differs"]}
    assert found == {known: ("mine#1", ""), new: ("", "")}
    assert f"schedtest gate --only '{new}'" in printed
    assert "schedtest: 1 test once more" in printed


def test_feature_whose_first_three_tests_differ_is_not_tried_further(judged):
    """With two workers, the outcomes are those of one."""
    for workers in ("0", "2"):
        status, printed, report = judged(WITHOUT_PORTS, "--profile", "placement", "-n", workers, claims=["ports"])
        assert status == 1, printed
        (placement,) = report["profiles"]
        statistics = placement["statistics"]
        assert (statistics["differs"], statistics["not tried"]) == (3, 2), printed
        assert "conforms" not in statistics
        assert "differs (3 of 3, the rest not tried)" in printed


def test_suite_in_a_run_of_the_users_own(described, binary_options):
    folder = described(BLIND)
    (folder / "test_own.py").write_text("def test_own_label(): pass")
    suite = ["--pyargs", "schedtest.conformance", "test_own.py", "-k", "every_label or own_lab or port_in_use", "-rfs"]
    argv = [sys.executable, "-m", "pytest", *suite, *binary_options]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert "1 failed, 1 passed, 1 skipped" in done.stdout
    assert "schedtest.yaml does not claim ports" in done.stdout
    assert "schedtest.conformance::test_every_label_is_needed" in done.stdout
    assert done.stderr.count("booting the cluster") == 1
