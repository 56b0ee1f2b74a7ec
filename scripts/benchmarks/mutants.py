"""``mutants``: how many broken kube-schedulers the property search catches, and after how many plans."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from benchmarks import mutant_fixture
from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import print_json
from benchmarks.options import bin_option, json_option, toolchain
from benchmarks.searching import search_result
from schedtest import ForkedScheduler, KubeScheduler
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.errors import ExpectationError
from schedtest.features.properties import laws
from schedtest.features.properties.history import History
from schedtest.features.properties.laws import Law, Violation
from schedtest.features.properties.plan import Plan
from schedtest.features.properties.player import Player
from schedtest.features.properties.stage import PlanStage, RefusedPlanError
from schedtest.features.properties.strategies import drawn
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.nodes import Nodes
from schedtest.scheduler.installed import InstalledComponent
from schedtest.session import Session, boot
from schedtest.settings import Settings

_PATCHES = Path(__file__).parents[2] / "manifests" / "forks" / "mutants"

#: a line of their table with a law
_LAWBREAKER = re.compile(r"^\| `([-a-z]+)` \|.*\| [a-z ]+ \|[\d., ]*\|$", re.MULTILINE)

#: the name of the run with the stock kube-scheduler in the place of a mutant, which nothing may catch
_CONTROL = "(stock)"

#: more plans than there is time for
_ENDLESS = 10**9

#: how often the stock scheduler has to keep a law that a mutant breaks
_AGAIN = 3

#: seconds for making a plan smaller
_SHRINKING = 30.0


@dataclass(frozen=True)
class Outcome:
    """What the search for one mutant has come to.

    Attributes:
        mutant: its name.
        law: the law that it broke; empty if it was not caught.
        plans: how many plans were played, up to the one that caught it.
        seconds: how long that took, without confirming and making it smaller.
        size: the number of values in the smallest plan that catches it.
        plan: that plan as YAML.
    """

    mutant: str
    law: str
    plans: int
    seconds: float
    size: int = 0
    plan: str = ""

    def __str__(self) -> str:
        law = self.law or "not caught"
        return f"{self.mutant:40} {law:13} {self.plans:5} plans {self.seconds:6.0f} s {self.size or '':>4}"


@click.command(short_help="Broken kube-schedulers that the property search catches.")
@click.option("--minutes", default=5.0, show_default=True, help="How long each is searched at most.")
@click.option("--only", multiple=True, metavar="NAME", help="A mutant; by default each that breaks a law.")
@click.option("--seed", "start", default=0, show_default=True, help="What the plans are drawn from.")
@click.option("--search", "searches", is_flag=True, help="Have schedtest search, with its screen, find each.")
@json_option
@bin_option
def mutants(
    minutes: float,
    only: Sequence[str],
    start: int,
    searches: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    given: Sequence[str],
) -> None:
    """Build each mutant, and search it with the default strategies and all laws until a plan catches it.

    A mutant is a kube-scheduler with one fault. A plan catches it if the mutant breaks a law each time that the plan
    is played, and the stock kube-scheduler keeps that law each time: known bugs of Kubernetes catch no mutant. The
    stock kube-scheduler in the place of a mutant is the control, which nothing may catch.

    With --search, a mutant is caught if schedtest search has a new failure after so many minutes; the plans are those
    on the control plane.
    """
    names = only or (_CONTROL, *_LAWBREAKER.findall((_PATCHES / "README.md").read_text()))
    looked = _searched if searches else _played
    outcomes = looked(names, minutes, start, given, as_json=as_json)
    if as_json:
        print_json("mutants", [], minutes=minutes, seed=start, outcomes=[asdict(each) for each in outcomes])
        return
    tried = [each for each in outcomes if each.mutant != _CONTROL]
    click.echo(f"caught {sum(bool(each.law) for each in tried)} of {len(tried)}")


def _searched(
    names: Sequence[str], minutes: float, start: int, given: Sequence[str], *, as_json: bool
) -> list[Outcome]:
    """Have ``schedtest search`` look for the fault of each mutant."""
    outcomes = []
    options = [f"--seed={start}", f"--minutes={minutes:g}", "--screen", *(f"--bin={each}" for each in given)]
    for name in names:
        if name == _CONTROL:
            result = search_result(options)
        else:
            chosen = f"--scheduler={mutant_fixture.__file__}:{mutant_fixture.NAME}"
            result = search_result([chosen, *options], {mutant_fixture.PATCH: str(_patch(name))})
        outcomes.append(outcome_of(name, result))
        click.echo(outcomes[-1], err=as_json)
    return outcomes


def outcome_of(name: str, result: Mapping[str, Any]) -> Outcome:
    """Return the outcome of a search with ``--json``."""
    first = min(result["failures"], key=lambda each: float(each["seconds"]), default=None)
    if first is None:
        return Outcome(name, "", result["plans"], result["seconds"])
    return Outcome(name, first["what"].partition(":")[0], result["plans"], first["seconds"])


def _played(names: Sequence[str], minutes: float, start: int, given: Sequence[str], *, as_json: bool) -> list[Outcome]:
    """Play drawn plans with each mutant."""
    timeouts = replace(Settings().timeouts, shrinking=_SHRINKING)
    session = boot(Settings(timeouts=timeouts), toolchain(given), Path.cwd(), Reporter(quiet=True))
    outcomes = []
    try:
        with closing(_Search(session, minutes * 60, start)) as search:
            for name in names:
                outcomes.append(search.run(name))
                click.echo(outcomes[-1], err=as_json)
    finally:
        session.close()
    return outcomes


class _Search:
    """Searches one mutant after another, in one cluster, with the same plans.

    Args:
        session: the cluster.
        seconds: how long each is searched at most.
        start: what the plans are drawn from.
    """

    def __init__(self, session: Session, seconds: float, start: int) -> None:
        self._context = session.context.of_test("mutants")
        nodes, namespaces = Nodes(self._context, session.pools.nodes), NamespaceSet(self._context, NAMESPACE)
        self._stage = PlanStage(self._context, nodes, namespaces)
        self._player = Player(self._context, self._stage, lambda *_: "")
        self._stock = self._context.installer.install(KubeScheduler("stock"))
        self._seconds = seconds
        self._start = start
        #: the plans and laws that the stock scheduler does not keep, either: each mutant meets them again
        self._not_kept: set[tuple[str, str]] = set()

    def close(self) -> None:
        """End the use of the cluster's nodes."""
        self._stage.close()

    def run(self, name: str) -> Outcome:
        """Search one mutant."""
        made = KubeScheduler("mutant") if name == _CONTROL else ForkedScheduler("mutant", patch=_patch(name))
        mutant = self._context.installer.install(made)
        self._player.failures.clear()
        try:
            return self._search(name, mutant)
        finally:
            mutant.uninstall()

    def _search(self, name: str, mutant: InstalledComponent) -> Outcome:
        began, played = SYSTEM.monotonic(), 0
        for plan in drawn(_ENDLESS, self._start):
            seconds = SYSTEM.monotonic() - began
            if seconds > self._seconds:
                return Outcome(name, "", played, seconds)
            try:
                found = self._caught(plan, mutant)
            except RefusedPlanError:
                continue
            played += 1
            if found is not None:
                law, smallest, at = found
                return Outcome(name, law, played, at - began, smallest.size, smallest.to_yaml())
        raise AssertionError("plans do not end")

    def _caught(self, plan: Plan, mutant: InstalledComponent) -> tuple[str, Plan, float] | None:
        """Play a plan; return the law that catches the mutant, the smallest plan and the moment, if one does."""
        played = self._player(plan, mutant)
        for law in laws.all():
            found = law.judge(played.history, lambda variant: self._player(variant, mutant).history)
            at = SYSTEM.monotonic()
            for violation in found[:1]:
                if not self._stock_keeps(plan, law, violation):
                    continue
                try:
                    played.keeps(law.again(violation))
                except ExpectationError:
                    failure = self._player.failures.get((mutant.scheduler_name, violation.sort))
                    if failure is not None:  # confirmed each time
                        smaller = failure.plan if self._stock_keeps(failure.plan, law, violation) else plan
                        return law.name, smaller, at
        return None

    def _stock_keeps(self, plan: Plan, law: Law, violation: Violation) -> bool:
        """Tell whether the stock scheduler keeps a law each time that a plan is played."""

        def history(variant: Plan) -> History:
            return self._player(variant, self._stock).history

        known = str(plan), law.name
        if known in self._not_kept:
            return False
        if any(law.again(violation).judge(history(plan), history) for _ in range(_AGAIN)):
            self._not_kept.add(known)
        return known not in self._not_kept


def _patch(name: str) -> Path:
    path = _PATCHES / f"{name}.patch"
    if not path.is_file():
        raise click.BadParameter(f"there is no mutant {name} in {_PATCHES.name}", param_hint="--only")
    return path
