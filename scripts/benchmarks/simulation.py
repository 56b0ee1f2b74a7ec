"""``simulation``: whether the screen places pods as a real control plane does, and what a play of it takes."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from benchmarks.agreement import difference, in_order
from benchmarks.first_pod import NAMESPACE
from schedtest._util.progress import Reporter
from schedtest._util.text import counted
from schedtest.cli.shared_options import BinarySource, given_file, source
from schedtest.features.properties.history import History
from schedtest.features.properties.plan import RESTART, Plan
from schedtest.features.properties.player import Player
from schedtest.features.properties.stage import PlanStage
from schedtest.features.properties.strategies import ACTIONS, drawn
from schedtest.features.screen.build import MODULE
from schedtest.features.screen.screen import Find, Screen
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.nodes import Nodes
from schedtest.scheduler.kube_scheduler import KubeScheduler
from schedtest.session import boot
from schedtest.settings import Settings
from schedtest.timeouts import Timeouts

#: the seconds in which the control plane has to bind a pod that fits a node, on a busy machine, too
_PATIENCE = 20.0


@click.command(short_help="Agreement of the screen with a real control plane.")
@click.option("--plans", "count", default=50, show_default=True, help="Plans that both play.")
@click.option("--seed", default=0, show_default=True, help="Which plans are drawn.")
@click.option("--features", metavar="A,B", help="What the pods and nodes of drawn plans may have; by default all.")
@given_file("--screen-config", "A KubeSchedulerConfiguration that the screen alone has: the comparison has to show it.")
@source
def simulation(count: int, seed: int, features: str | None, screen_config: Path | None, source: BinarySource) -> None:
    """Play drawn plans in the screen and on a real control plane, and compare every pod at every rest.

    Both create the pods one after another, in the order in which the control plane has bound them before: it creates a
    batch at once. The plan is played once more with each pod pinned to its node, so that equal scores decide nothing.
    The exit status is 1 if a difference is no choice that kube-scheduler may make. The CPU time is that of the screen's
    program, which plays each plan and 15 variants.
    """
    options = {} if features is None else {"features": features.split(",")}
    reporter = Reporter()
    tools = source.toolchain(Timeouts(), reporter)
    program = tools.programs().module("screen", MODULE, follow_kubernetes=True)
    with ExitStack() as closing:
        session = boot(Settings(), tools, Path.cwd(), reporter)
        closing.callback(session.close)
        context = session.context
        stage = PlanStage(context, Nodes(context, session.pools.nodes), NamespaceSet(context, NAMESPACE))
        player = Player(context, stage, lambda *_: "")
        configuration = KubeScheduler(config=screen_config).configuration(Path.cwd())
        screen = closing.enter_context(Screen(program, Timeouts().screened, configuration=configuration))
        task = closing.enter_context(reporter.task("simulation"))
        comparison, several = _Comparison(player, screen), list(drawn(count, seed, **options))
        for number, plan in enumerate(several, 1):
            comparison.add(plan)
            task.advance(number, count, comparison.line)
        stage.close()
    click.echo(comparison.line)
    for line in comparison.differences:
        click.echo(line)
    click.echo(_cost(program, several))
    if comparison.faults:
        raise SystemExit(1)


class _Comparison:
    """Plays plans in both worlds, and counts the plans with equal rests.

    Attributes:
        differences: the plans without, and where they differ.
        faults: how many of these kube-scheduler has no choice about.
    """

    def __init__(self, player: Player, screen: Screen) -> None:
        self._player = player
        self._screen = screen
        self.differences: list[str] = []
        self.faults = 0
        self._plans = self._rests = 0
        self._equal = dict.fromkeys(("in order", "with pins"), 0)

    @property
    def line(self) -> str:
        """The figures in one line."""
        equal = ", ".join(f"{what} in {times}" for what, times in self._equal.items())
        plans = f"{self._plans} plans with {self._rests} rests"
        return f"{plans}; the same nodes at every rest: {equal}; {counted(self.faults, 'unexplained difference')}"

    def add(self, plan: Plan) -> None:
        """Play a plan with its pods in order, and also with each pod on its node."""
        self._plans += 1
        placements = self._played(plan).placements
        self._compare("in order", in_order(plan, placements))
        self._compare("with pins", plan.pinned(placements, "")[0])

    def _played(self, plan: Plan) -> History:
        return self._player(plan, patience=_PATIENCE).history

    def _revives(self, plan: Plan, find: Find) -> bool:
        """Return whether a restart of the real scheduler binds the pod of a find."""
        found = plan.with_steps(find.steps)
        return self._played(replace(found, steps=(*found.steps, RESTART))).revives(find.pod)

    def _compare(self, how: str, plan: Plan) -> None:
        history = self._played(plan)
        answer = self._screen.ask(plan.as_mapping(), rests=True).result()
        self._rests += len(answer.rests)
        found = difference(history, answer, lambda find: self._revives(plan, find))
        if found is None and not answer.refused:
            self._equal[how] += 1
            return
        self.faults += bool(answer.refused) or found is None or found.reason is None
        said = f"plan {self._plans} {how}: {found or ', '.join(answer.refused)}"
        self.differences.append(said if found and found.reason else f"{said}\n{plan.to_yaml()}")


def _cost(program: Path, several: Sequence[Plan]) -> str:
    """Return the milliseconds of CPU that a play takes, in words."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Screen(program, Timeouts().screened) as screen:
        asked = [
            screen.ask(plan.as_mapping(), variants=15, seed=number, actions=ACTIONS)
            for number, plan in enumerate(several)
        ]
        plays = sum(each.result().plays for each in asked)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{plays} plays in the screen, each {1000 * used / plays:.1f} ms of CPU"
