"""Write docs/conformance-matrix.md: the outcomes of the conformance tests for broken schedulers.

The outcomes are kept in scripts/proof/outcomes.yaml, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module

import click
import yaml

from proof.matrix import Matrix
from proof.outcomes import FILE, Outcomes, decisive
from proof.page import page
from proof.table import ROOT, TOYS, Table, description
from schedtest.cli.job_run import MISTAKE, job_folder, run_job
from schedtest.errors import SchedtestError
from schedtest.evidence.record import Run
from schedtest.features.conformance import behaviours
from schedtest.features.conformance.behaviours import Behaviour
from schedtest.features.gate.suite_job import SuiteJob

_COMMAND = "prove"
_PAGE = ROOT / "docs" / "conformance-matrix.md"

#: options of pytest
_OPTIONS = ("--audit-log", "-q", "--tb=no", "--show-capture=no")


@click.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Run this scheduler, or one of: controls, toys, mutants, without. May repeat.",
)
@click.option("--own", is_flag=True, help="Run the tests of what a scheduler breaks, and no others.")
@click.option("--again", is_flag=True, help="Run what has run before, too.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def main(*, only: Sequence[str], own: bool, again: bool, pytest_arguments: tuple[str, ...]) -> None:
    """Run the conformance tests for broken schedulers, and write docs/conformance-matrix.md.

    The schedulers are those of scripts/proof/schedulers.yaml, with what each breaks. An outcome counts until the
    source of the test or of the scheduler changes; --again is for changes elsewhere.

    The exit status is 1 for a finding that the table does not accept: a test that no broken scheduler fails, a broken
    scheduler that passes each test of what it breaks, a test that fails for one whose fault is elsewhere, and an
    outcome without a verdict.
    """
    table, known = Table.read(), behaviours.behaviours()
    os.environ["PYTHONPATH"] = os.pathsep.join([str(TOYS), os.environ.get("PYTHONPATH", "")])
    names = [name for those in table.arms.values() for name in those]
    run = {name: [each.test for each in table.tests(name, known)] for name in names}
    outcomes = Outcomes(FILE, {each.test: _digest(_source(each)) for each in known}, _digests(table, names), run)
    if unknown := {*only} - {*names, *table.arms}:
        raise click.BadParameter(f"there is no {min(unknown)} in scripts/proof/schedulers.yaml", param_hint="--only")
    wanted = [name for arm, those in table.arms.items() for name in those if not only or {name, arm} & {*only}]
    for number, name in enumerate(wanted, start=1):
        try:
            column = Column(table, name, known, outcomes, own=own)
            click.echo(f"{number}/{len(wanted)} {name}: {column.run(pytest_arguments, again=again)}")
        except SchedtestError as error:
            raise click.ClickException(f"{name}: {error}") from error
    matrix = Matrix(known, table.broken, {name: found for name in names if (found := outcomes.of(name))})
    _PAGE.write_text(page(matrix, table.accepted, _facts(outcomes, names)))
    open_ones = [each for each in matrix.findings() if each not in table.accepted]
    click.echo("".join(f"{each}\n" for each in open_ones), nl=False)
    sys.exit(1 if open_ones else 0)


class Column:
    """The tests of one scheduler.

    Args:
        table: the schedulers.
        name: the scheduler.
        known: all conformance tests.
        outcomes: those of earlier runs.
        own: whether only the tests of what the scheduler breaks run.
    """

    def __init__(self, table: Table, name: str, known: tuple[Behaviour, ...], outcomes: Outcomes, *, own: bool) -> None:
        self._folder = job_folder(_COMMAND).resolve() / name
        self._table, self._name, self._tests = table, name, table.tests(name, known)
        if own and name in table.broken:  # a control breaks nothing, so all tests are its own
            self._tests = tuple(each for each in self._tests if Matrix((), table.broken, {}).own(name, each))
        self._options = table.options.get(name, [])
        self._outcomes = outcomes

    def run(self, arguments: Sequence[str], *, again: bool) -> str:
        """Run the tests without an outcome, and those of a doubtful one; return what became of them, in words."""
        done = {} if again else self._outcomes.of(self._name)
        matrix = Matrix(self._tests, self._table.broken, {self._name: done})
        missing = tuple(t.test for t in self._tests if t.test not in done or matrix.is_doubtful(self._name, t))
        if not missing:
            return "as before"
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / "schedtest.yaml"
        file.write_text(_described(self._table, self._name))
        ended = run_job(SuiteJob.of_tests(file, missing), _COMMAND, (*_OPTIONS, *self._options, *arguments))
        if ended.status == MISTAKE:  # Ctrl-C and SIGTERM as well: the next scheduler must not start
            raise SchedtestError(f"the run was interrupted, or its options were refused; see {ended.printed}")
        if ended.evidence is None:
            raise SchedtestError(ended.why)
        run = Run(ended.evidence)
        found = {each.nodeid.rpartition("::")[2]: each.outcome.value for each in run.tests}
        ran = f"{datetime.now(UTC):%Y-%m-%d}, Kubernetes {run.facts.versions['kubernetes']}"
        self._outcomes.add(self._name, found, ran)
        return ", ".join(f"{[*found.values()].count(each)} {each}" for each in sorted({*found.values()}))


def _digests(table: Table, names: Sequence[str]) -> Mapping[str, str]:
    """Return the digest of each scheduler, by its description and its source in this repository."""
    return {name: _digest(_described(table, name), *table.options.get(name, []), table.source(name)) for name in names}


def _described(table: Table, name: str) -> str:
    return yaml.safe_dump(description(table, name))


def _digest(*parts: str) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def _source(test: Behaviour) -> str:
    found = (getattr(import_module(each), test.test, None) for each in behaviours.modules())
    return decisive(inspect.getsource(next(each for each in found if each is not None)))


def _facts(outcomes: Outcomes, names: Sequence[str]) -> Mapping[str, str]:
    """Return what the runs were."""
    ran = [name for name in names if outcomes.of(name)]
    return {
        "command": "`scripts/prove`",
        "schedulers": f"{len(ran)} of {len(names)}",
        "runs": "; ".join(sorted({outcomes.ran(name) for name in ran})),
    }


if __name__ == "__main__":
    main()
