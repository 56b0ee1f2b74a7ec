"""Outcomes in a file count until their test or their scheduler changes."""

import pytest

from proof.outcomes import Outcomes, decisive

TESTS = {"test_a_taint": "1", "test_a_port": "2"}
SCHEDULERS = {"stock": "a", "NoTaints": "b"}
RUN = {"stock": [*TESTS, "test_a_volume"], "NoTaints": [*TESTS]}


@pytest.fixture
def outcomes(tmp_path):
    kept = Outcomes(tmp_path / "outcomes.yaml", TESTS, SCHEDULERS, RUN)
    kept.add("stock", {"test_a_taint": "passed", "test_a_port": "inconclusive"}, "today, kubernetes 1.35.8")
    kept.add("NoTaints", {"test_a_taint": "failed"}, "today, kubernetes 1.35.8")
    return kept


def later(tmp_path, tests=(), schedulers=()):
    return Outcomes(tmp_path / "outcomes.yaml", {**TESTS, **dict(tests)}, {**SCHEDULERS, **dict(schedulers)}, RUN)


@pytest.mark.usefixtures("outcomes")
def test_another_run_finds_them(tmp_path):
    again = later(tmp_path)
    assert again.of("stock") == {"test_a_taint": "passed", "test_a_port": "inconclusive"}
    assert again.of("NoTaints") == {"test_a_taint": "failed"}
    assert again.ran("NoTaints") == "today, kubernetes 1.35.8"


def test_no_file_has_none(tmp_path):
    kept = Outcomes(tmp_path / "outcomes.yaml", TESTS, SCHEDULERS, RUN)
    assert kept.of("stock") == {}
    assert kept.ran("stock") == ""


@pytest.mark.usefixtures("outcomes")
def test_changed_test_is_untried(tmp_path):
    changed = later(tmp_path, {"test_a_taint": "3"})
    assert changed.of("stock") == {"test_a_port": "inconclusive"}
    assert changed.of("NoTaints") == {}


def test_changed_scheduler_is_untried(outcomes, tmp_path):
    changed = later(tmp_path, schedulers={"NoTaints": "c"})
    assert changed.of("NoTaints") == {}
    assert changed.of("stock") == outcomes.of("stock")


@pytest.mark.usefixtures("outcomes")
def test_new_test_is_untried_until_the_scheduler_has_run_it(tmp_path):
    more = later(tmp_path, {"test_a_volume": "4"})
    more.add("stock", {"test_a_volume": "passed", "test_a_port": "passed"}, "later")
    assert more.of("stock") == dict.fromkeys([*TESTS, "test_a_volume"], "passed")
    assert more.of("NoTaints") == {"test_a_taint": "failed"}


@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_scheduler_with_many_untried_tests(tmp_path, outcome):
    run = {"NoTaints": ["test_a_taint", *(f"test_{number}" for number in range(5))]}
    tests = dict.fromkeys(run["NoTaints"], "1")
    Outcomes(tmp_path / "outcomes.yaml", tests, {"NoTaints": "b"}, run).add("NoTaints", {"test_a_taint": outcome}, "")
    assert Outcomes(tmp_path / "outcomes.yaml", tests, {"NoTaints": "b"}, run).of("NoTaints") == {
        "test_a_taint": outcome
    }
    assert "untried" not in (tmp_path / "outcomes.yaml").read_text()


@pytest.mark.usefixtures("outcomes")
def test_what_is_gone_leaves_the_file(tmp_path):
    file = tmp_path / "outcomes.yaml"
    fewer = Outcomes(file, {"test_a_taint": "1"}, {"NoTaints": "b"}, {"NoTaints": ["test_a_taint"]})
    fewer.add("NoTaints", {"test_a_taint": "passed"}, "later")
    assert "stock" not in file.read_text()
    assert "test_a_port" not in file.read_text()


def test_versions_with_a_known_bug_change_no_outcome():
    declared = '@behaviour("ports", "a/page/"{})\ndef test_a_port(nodes):\n    """A promise."""\n    nodes.claim({})\n'
    known = ', upstream={"kubernetes#1": "<1.36"}'
    assert decisive(declared.format(known, 1)) == declared.format("", 1)
    assert decisive(declared.format(known, 2)) != declared.format("", 1)
