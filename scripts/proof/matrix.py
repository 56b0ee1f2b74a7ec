"""The matrix of conformance tests and schedulers, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schedtest.features.conformance.behaviours import Behaviour

#: the outcomes of a test that has failed by its scheduler's fault, and those without a verdict
KILLS, UNDECIDED = frozenset({"failed", "error"}), frozenset({"inconclusive", "infrastructure"})


@dataclass(frozen=True)
class Matrix:
    """The outcomes of conformance tests for schedulers.

    Attributes:
        tests: the tests.
        broken: what each broken scheduler breaks: features and duties; ``None`` for everything.
        outcomes: the outcomes by scheduler and test; a scheduler that is not in ``broken`` is a control.
    """

    tests: tuple[Behaviour, ...]
    broken: Mapping[str, frozenset[str] | None]
    outcomes: Mapping[str, Mapping[str, str]]

    def failed(self, scheduler: str) -> tuple[Behaviour, ...]:
        """Return the tests that a scheduler fails."""
        return tuple(each for each in self.tests if self.outcomes[scheduler].get(each.test) in KILLS)

    def killers(self, test: Behaviour) -> tuple[str, ...]:
        """Return the broken schedulers that fail a test, and break a part of what it is about."""
        return tuple(
            name
            for name in self.outcomes
            if self.broken.get(name) and test in self.failed(name) and self.own(name, test)
        )

    def own(self, scheduler: str, test: Behaviour) -> bool:
        """Return whether a scheduler breaks a part of what a test is about; no control does."""
        parts = self.broken.get(scheduler, frozenset())
        return parts is None or bool(parts & about(test))

    def is_doubtful(self, scheduler: str, test: Behaviour) -> bool:
        """Return whether an outcome may be an accident of its run: no verdict, or a failure by no fault of its own."""
        outcome = self.outcomes[scheduler].get(test.test)
        return outcome in UNDECIDED or (outcome in KILLS and not self.own(scheduler, test))

    def findings(self) -> tuple[str, ...]:
        """Return what is wrong with the tests, or with the table."""
        return (*self._blind(), *self._missed(), *self._strangers(), *self._undecided())

    def _blind(self) -> list[str]:
        """Find tests that no scheduler fails; one that breaks everything shows nothing about a test."""
        return [f"{each.test} is blind: no broken scheduler fails it" for each in self.tests if not self.killers(each)]

    def _missed(self) -> list[str]:
        """Find broken schedulers that pass each test of what they break."""
        ran = [name for name in self.outcomes if name in self.broken]
        passed = [name for name in ran if not any(self.own(name, each) for each in self.failed(name))]
        return [f"{name} is missed: it passes each test of what it breaks" for name in passed]

    def _strangers(self) -> list[str]:
        """Find tests that fail for a scheduler without a fault in what they are about."""
        pairs = [(name, each) for name in self.outcomes for each in self.failed(name) if not self.own(name, each)]
        return [f"{name} fails {each.test}, whose feature it does not break" for name, each in pairs]

    def _undecided(self) -> list[str]:
        cells = [(name, test, told) for name, column in self.outcomes.items() for test, told in column.items()]
        return [f"{name}: {test} is {told}" for name, test, told in cells if told in UNDECIDED]


def about(test: Behaviour) -> frozenset[str]:
    """Return what a test is about: its feature or duty, and the features that it needs."""
    return test.needs | {test.feature}
