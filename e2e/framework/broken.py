"""What the tests of broken schedulers have in common: a claim is made of each, and has to fail with the right words."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from schedtest import ExpectationError

#: seconds for claims whose time runs out, once the scheduler has shown what it does
SOON = 0.5


@dataclass(frozen=True)
class Stage:
    """What a claim is made with.

    Attributes:
        scheduler: the component that is asked to schedule.
        pods: the fixture, as are ``nodes`` and ``expect``.
        replace: replaces the scheduler by another one of the same make.
        evidence: the Event that a broken scheduler writes before its time may run out; empty if it writes none.
        timeout: how many seconds it has then; as long as usual for one that does something, however late.
    """

    scheduler: Any
    pods: Any
    nodes: Any
    expect: Any
    replace: Callable[[], object] = field(default=lambda: None)
    evidence: str = ""
    timeout: float | None = None

    def create(self, **spec):
        return self.pods.create(**{"scheduler": self.scheduler, **spec})

    def soon(self, pod, after=None):
        """Return the claims about a pod, for those whose time runs out; the Event is about the pod ``after``."""
        if self.evidence:
            self.expect(after or pod).event(self.evidence)
        return self.expect(pod, timeout=self.timeout)


@dataclass(frozen=True)
class Broken:
    """Something that is broken, and the claim that catches it.

    Attributes:
        what: what is wrong.
        claim: makes the claim.
        words: what the failure says at least, as regular expressions.
        error: its class.
        evidence: see ``Stage``.
        silent: whether its time runs out without an Event.
        choices: how it is configured.
    """

    what: Any
    claim: Callable[[Stage], None]
    words: tuple[str, ...]
    error: type[Exception] = ExpectationError
    evidence: str = ""
    silent: bool = field(default=False, kw_only=True)
    choices: dict[str, Any] = field(default_factory=dict, kw_only=True)

    def __str__(self):
        return "-".join([getattr(self.what, "__name__", str(self.what)), self.claim.__name__])

    def is_caught(self, stage: Stage) -> None:
        """Make the claim, and check how it fails."""
        stage = replace(stage, evidence=self.evidence, timeout=SOON if self.evidence or self.silent else None)
        with pytest.raises(self.error) as failure:
            self.claim(stage)
        message = str(failure.value)
        assert type(failure.value) is self.error, message
        for words in self.words:
            assert re.search(words, message), message
