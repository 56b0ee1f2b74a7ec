"""The outcomes of earlier runs, in ``outcomes.yaml``: a proof goes on where it was, on any machine.

The file holds digests of the tests and of the schedulers. An outcome counts until either changes. Of the tests that
have passed and of those that are untried, the file has the shorter list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("outcomes.yaml")

#: the fields of a scheduler that are no outcome
_DIGEST, _RAN, _UNTRIED = "digest", "ran", "untried"

_PASSED = "passed"

#: the known bugs in the declaration of a behaviour
_KNOWN_BUGS = re.compile(r",\s*upstream=\{[^}]*\}")


@dataclass
class _Column:
    """The outcomes of a scheduler by test, and when it ran last."""

    ran: str = ""
    outcomes: dict[str, str] = field(default_factory=dict)


class Outcomes:
    """The outcomes that count, in a file.

    Args:
        file: the file, which may be missing.
        tests: the digests of the present tests, by name.
        schedulers: the digests of the present schedulers, by name.
        run: the names of the tests that each scheduler runs.
    """

    def __init__(
        self,
        file: Path,
        tests: Mapping[str, str],
        schedulers: Mapping[str, str],
        run: Mapping[str, Collection[str]],
    ) -> None:
        self._file, self._tests, self._schedulers, self._run = file, tests, schedulers, run
        kept = yaml.safe_load(file.read_text()) if file.exists() else {"tests": {}, "schedulers": {}}
        same = {name for name, digest in kept["tests"].items() if tests.get(name) == digest}
        self._columns = {
            name: _column(kept["schedulers"].get(name, {}), digest, same & {*run[name]})
            for name, digest in schedulers.items()
        }

    def of(self, scheduler: str) -> Mapping[str, str]:
        """Return the outcomes of a scheduler, by test."""
        return self._columns[scheduler].outcomes

    def ran(self, scheduler: str) -> str:
        """Return when the scheduler ran last, and with which Kubernetes, in words; "" if it never did."""
        return self._columns[scheduler].ran

    def add(self, scheduler: str, outcomes: Mapping[str, str], ran: str) -> None:
        """Keep the outcomes of a run, beside the others of the scheduler."""
        self._columns[scheduler].ran = ran
        self._columns[scheduler].outcomes |= outcomes
        kept = {
            "tests": dict(sorted(self._tests.items())),
            "schedulers": {
                name: {_DIGEST: self._schedulers[name], _RAN: column.ran, **self._fields(name)}
                for name, column in self._columns.items()
                if column.outcomes
            },
        }
        self._file.write_text(yaml.safe_dump(kept, sort_keys=False, width=120))

    def _fields(self, scheduler: str) -> dict[str, list[str]]:
        """Return the tests of a scheduler by outcome, without those that have passed."""
        found = self.of(scheduler)
        told = {
            outcome: sorted(test for test in found if found[test] == outcome) for outcome in sorted({*found.values()})
        }
        passed, untried = told.pop(_PASSED, []), sorted({*self._run[scheduler]} - {*found})
        if len(untried) > len(passed):
            return {**told, _PASSED: passed}
        return {**told, **({_UNTRIED: untried} if untried else {})}


def decisive(source: str) -> str:
    """Return the part of a test's source that decides its outcome: all but the known bugs."""
    return _KNOWN_BUGS.sub("", source)


def _column(fields: Mapping[str, Any], digest: str, known: Collection[str]) -> _Column:
    """Return what a file has of a scheduler, for the tests that have not changed."""
    if fields.get(_DIGEST) != digest:
        return _Column()
    others = {name: tests for name, tests in fields.items() if name not in (_DIGEST, _RAN, _UNTRIED)}
    told = {test: outcome for outcome, tests in others.items() for test in tests}
    tried = {*known} & {*told} if _PASSED in others else {*known} - {*fields.get(_UNTRIED, ())}
    return _Column(fields[_RAN], {test: told.get(test, _PASSED) for test in sorted(tried)})
