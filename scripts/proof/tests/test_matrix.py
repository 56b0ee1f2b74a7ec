"""What is wrong with a matrix: blind tests, missed faults, kills by faults of other features, missing verdicts."""

import re
from dataclasses import replace

import pytest

from proof.matrix import Matrix
from proof.page import page
from proof.table import MUTANTS, TOYS, Table, description
from schedtest.features.conformance.behaviours import Behaviour


def behaviour(test, feature, profile="placement"):
    return Behaviour(test, profile, feature, "A pod is bound.", "https://kubernetes.io/docs/")


TAINT = behaviour("test_a_taint", "taints")
PORT = behaviour("test_a_port", "ports")
FREED = behaviour("test_a_port_is_freed", "ports", "requeue")
SERVES = behaviour("test_it_serves", "serves", "duties")
BROKEN = {
    "NoTaints": frozenset({"taints"}),
    "NoPorts": frozenset({"ports"}),
    "Late": frozenset({"prompt"}),
    "Greedy": frozenset({"serves"}),
    "Dead": None,
}
TESTS = (TAINT, PORT, FREED, SERVES)

#: a matrix without findings: who fails which tests
GOOD = {
    "stock": [],
    "NoTaints": [TAINT],
    "NoPorts": [PORT, FREED],
    "Late": [FREED],
    "Greedy": [SERVES],
    "Dead": [*TESTS],
}


def matrix(failed, told="failed"):
    outcomes = {
        name: {each.test: told if each in tests else "passed" for each in TESTS} for name, tests in failed.items()
    }
    return Matrix(TESTS, BROKEN, outcomes)


def test_nothing_is_wrong_if_each_fault_fails_tests_of_its_own_and_no_others():
    assert matrix(GOOD).findings() == ()


def test_crash_of_the_scheduler_counts_as_a_failure():
    assert matrix(GOOD, "error").findings() == ()


def test_outcome_is_doubtful_without_a_verdict_or_by_no_fault_of_its_own():
    run = matrix({**GOOD, "stock": [PORT], "NoTaints": [TAINT, PORT]})
    told = {name: [each.test for each in TESTS if run.is_doubtful(name, each)] for name in run.outcomes}
    assert {name: tests for name, tests in told.items() if tests} == {"stock": [PORT.test], "NoTaints": [PORT.test]}
    assert matrix(GOOD, "inconclusive").is_doubtful("NoTaints", TAINT)


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        (
            {"NoTaints": []},
            (
                "test_a_taint is blind: no broken scheduler fails it",
                "NoTaints is missed: it passes each test of what it breaks",
            ),
        ),
        ({"Late": []}, ("Late is missed: it passes each test of what it breaks",)),
        ({"Dead": []}, ("Dead is missed: it passes each test of what it breaks",)),
        ({"Greedy": [SERVES, PORT]}, ("Greedy fails test_a_port, whose feature it does not break",)),
        ({"Late": [FREED, PORT]}, ("Late fails test_a_port, whose feature it does not break",)),
        ({"stock": [SERVES]}, ("stock fails test_it_serves, whose feature it does not break",)),
    ],
    ids=["blind", "missed", "all missed", "duty", "requeue", "control"],
)
def test_finding(change, findings):
    assert matrix(GOOD | change).findings() == findings


def test_what_fails_everything_shows_nothing_about_a_test():
    assert "test_a_port is blind: no broken scheduler fails it" in matrix({"Dead": [*TESTS]}).findings()


@pytest.mark.parametrize("told", ["inconclusive", "infrastructure"])
def test_missing_verdict_is_no_failure(told):
    outcomes = {"stock": {"test_a_port": told}, "NoPorts": {"test_a_port": told}}
    assert Matrix((PORT,), BROKEN, outcomes).findings() == (
        "test_a_port is blind: no broken scheduler fails it",
        "NoPorts is missed: it passes each test of what it breaks",
        f"stock: test_a_port is {told}",
        f"NoPorts: test_a_port is {told}",
    )


def test_page_has_both_sides_and_what_is_open():
    shown = page(
        matrix(GOOD | {"NoTaints": []}), {"NoTaints is missed: it passes each test of what it breaks": "why"}, {}
    )
    assert "| placement/ports: a port | `NoPorts` |" in shown
    assert "| `NoPorts` | ports | 2 of 2 | - |" in shown
    assert "| `Dead` | everything | 4 of 4 | - |" in shown
    assert "| test_a_taint is blind: no broken scheduler fails it | **open** |" in shown
    assert "| NoTaints is missed: it passes each test of what it breaks | why |" in shown


def test_page_says_that_other_tests_have_not_run():
    shown = page(Matrix((PORT, TAINT), BROKEN, {"NoPorts": {"test_a_port": "failed"}}), {}, {})
    assert "| `NoPorts` | ports | 1 of 1 | not run |" in shown


def test_table_names_schedulers_that_exist_and_all_mutants():
    table = Table.read()
    assert {*table.toys} <= {*re.findall(r"^class (\w+)\(", (TOYS / "toy_faults.py").read_text(), re.MULTILINE)}
    assert [*table.mutants] == sorted(path.stem for path in MUTANTS.glob("*.patch"))
    assert {*table.options} <= {*table.broken, *table.controls}


def test_toy_runs_what_it_claims_and_does_not_lack():
    table = Table(
        controls={"stock": None, "Toy": ["taints"]},
        lacks={},
        toys={"Sloppy": ["taints"]},
        mutants={},
        without={},
        options={},
        accepted={},
    )
    assert table.tests("Sloppy", TESTS) == (TAINT, SERVES)
    assert table.tests("stock", TESTS) == TESTS
    assert table.model_copy(update={"lacks": {"test_a_taint": "why"}}).tests("Toy", TESTS) == (SERVES,)


@pytest.mark.parametrize(
    ("versions", "options", "runs"),
    [
        ("<1.36", [], False),
        ("<1.33.6", [], True),
        ("<1.36", ["--kubernetes=1.37", "--feature-gates=A=true"], True),
        (">=1.37", ["--kubernetes=1.37"], False),
    ],
)
def test_kube_scheduler_runs_no_test_that_fails_by_a_known_bug_of_its_version(versions, options, runs):
    table = Table(
        controls={"stock": None}, lacks={}, toys={}, mutants={}, without={}, options={"stock": options}, accepted={}
    )
    found = table.tests("stock", (TAINT, replace(PORT, upstream={"kubernetes#1": versions})))
    assert found == ((TAINT, replace(PORT, upstream={"kubernetes#1": versions})) if runs else (TAINT,))


def test_election_is_tested_of_controls_and_where_it_is_broken():
    toys = {"Sloppy": ["taints"], "Selfish": ["leader"]}
    table = Table(
        controls={"stock": None, "Toy": ["leader"]},
        lacks={},
        toys=toys,
        mutants={},
        without={},
        options={},
        accepted={},
    )
    election = replace(TAINT, test="test_a_leader", feature="leader")
    electing = [name for name in ("stock", "Toy", *toys) if table.tests(name, (election,))]
    assert electing == ["stock", "Toy", "Selfish"]
    assert [name for name in ("stock", "Toy", *toys) if "replicas" in description(table, name)] == electing


def test_scheduler_without_plugins():
    without = {"without-NodePorts+VolumeZone": ["ports"]}
    table = Table(controls={}, lacks={}, toys={}, mutants={}, without=without, options={}, accepted={})
    (described,) = description(table, *without)["run"]
    (profile,) = described["KubeScheduler"]["config"]["profiles"]
    assert profile["plugins"] == {"multiPoint": {"disabled": [{"name": "NodePorts"}, {"name": "VolumeZone"}]}}
    assert table.broken == {"without-NodePorts+VolumeZone": frozenset({"ports"})}
