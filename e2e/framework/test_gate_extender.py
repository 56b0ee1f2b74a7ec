"""``schedtest gate`` judges an extender by what kube-scheduler relies on: each fault of a toy fails its own tests."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TOYS = Path(__file__).parents[1] / "toys"

RULES = [{"Rule": {"groups": [""], "resources": ["pods/binding"], "verbs": ["create"]}}]

VERBS = {f"{verb}Verb": verb for verb in ("filter", "prioritize", "preempt", "bind")}


@pytest.fixture
def gate(tmp_path, monkeypatch, binary_options):
    """Judge a toy extender; return the exit status, and the behaviours by which it differs."""
    monkeypatch.setenv("PYTHONPATH", str(TOYS))

    def gate(*faults, tls=False, **fields):
        arguments = ["--kubeconfig={at.kubeconfig}", "--host={at.host}", "--port={at.port}"]
        arguments += ["--certificate={at.certificate}", "--key={at.key}"] if tls else []
        program = {"name": "toy", "module": "toy_extender", "rules": RULES, "tls": tls}
        program["arguments"] = [*arguments, *(f"--fault={fault}" for fault in faults)]
        described = {
            "apiVersion": "schedtest.dev/v1",
            "kind": "Extender",
            "implementation": {"organization": "me", "project": "toy", "version": "v1"},
            "run": [{"ExtenderProgram": program}],
            "extender": {**VERBS, "httpTimeout": "2s"},
            "claims": ["deterministic"],
            **fields,
        }
        (tmp_path / "schedtest.yaml").write_text(yaml.safe_dump(described))
        argv = [str(Path(sys.executable).with_name("schedtest")), "gate", "--report=report.json", *binary_options]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        if done.returncode == 4:
            return 4, set()
        (profile,) = json.loads((tmp_path / "report.json").read_text())["profiles"]
        return done.returncode, {each["test"].partition(": ")[2].replace(" ", "_") for each in profile["differs"]}

    return gate


@pytest.mark.requires("processes")
@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_healthy_extender_conforms(gate, tls):
    assert gate(tls=tls) == (0, set())


@pytest.mark.requires("processes")
def test_faults_are_found_over_https(gate):
    failed = {
        "other_method",
        "body_that_is_no_request",
        "scores_are_in_range",
        "scores_of_unequal_nodes_are_in_range",
    }
    assert gate("dies-of-get", "dies-of-garbage", "out-of-range", tls=True) == (1, failed)


@pytest.mark.requires("processes")
@pytest.mark.parametrize(("module", "status"), [("no_such_module", 4), ("toy_extender", 0)])
def test_extender_that_does_not_start_has_no_report(gate, tmp_path, module, status):
    program = {"name": "toy", "module": module, "arguments": ["--host={at.host}", "--port={at.port}"]}
    gated = gate(run=[{"ExtenderProgram": program}], extender={"prioritizeVerb": "prioritize"})
    assert gated == (status, set())
    assert (tmp_path / "report.json").exists() is (status == 0)


#: faults that one extender may have at once, as they touch different tests; and the tests that each fails
TOGETHER = [
    {
        "strangers": {"filter_names_only_nodes_of_the_request", "filter_of_no_node", "filter_of_5000_nodes_in_time"},
        "out-of-range": {"scores_are_in_range", "scores_of_unequal_nodes_are_in_range"},
        "more-victims": {"preempt_adds_no_node_and_no_victim"},
        "binds-nothing": {"bind_binds_the_pod", "bind_of_a_pod_that_is_gone"},
        "dies-of-get": {"other_method"},
    },
    {
        "names": {"filter_answers_in_the_form_of_the_request"},
        "scores-without-nodes": {"prioritize_of_no_node"},
        "scores-strangers": {"prioritize_names_only_nodes_of_the_request", "prioritize_of_5000_nodes_in_time"},
        "hides-errors": {"bind_of_a_pod_that_is_gone"},
        "strict": {"fields_of_later_versions"},
        "mixes-up": {"requests_at_the_same_time"},
    },
    {
        "forgets": {"filter_answers_for_each_node"},
        "scores-by-size": {"scores_of_unequal_nodes_are_in_range"},
        "slow": {"filter_of_5000_nodes_in_time", "prioritize_of_5000_nodes_in_time"},
        "changes-its-mind": {"same_request_has_the_same_answer"},
        "dies-of-garbage": {"body_that_is_no_request"},
    },
]


@pytest.mark.requires("processes")
@pytest.mark.parametrize("faults", TOGETHER, ids=" ".join)
def test_each_fault_fails_its_own_tests(gate, faults):
    status, failed = gate(*faults)
    assert (status, failed) == (1, {test for tests in faults.values() for test in tests})
