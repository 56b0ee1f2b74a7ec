"""``simulation``: whether the screen places pods as a real control plane does, and what a play of it takes."""

from __future__ import annotations

import resource
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from benchmarks.first_pod import NAMESPACE
from benchmarks.options import bin_option, toolchain
from schedtest._util.progress import Reporter
from schedtest.features.properties.history import name_of, node_of
from schedtest.features.properties.plan import AT_THE_END, Plan, Step
from schedtest.features.properties.player import Player
from schedtest.features.properties.stage import PlanStage
from schedtest.features.properties.strategies import ACTIONS, drawn
from schedtest.features.screen.build import MODULE
from schedtest.features.screen.screen import Screen
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.nodes import Nodes
from schedtest.session import boot
from schedtest.settings import Settings, Timeouts

#: where each pod is at a rest; an empty text if it waits
Places = Mapping[str, str]


@click.command(short_help="Agreement of the screen with a real control plane.")
@click.option("--plans", "count", default=50, show_default=True, help="Plans that both play.")
@bin_option
def simulation(count: int, given: Sequence[str]) -> None:
    """Play drawn plans in the screen and on a real control plane, and compare every pod at every rest.

    Both create the pods one after another, in the order in which the control plane has bound them before: it creates a
    batch at once. The plan is played once more with each pod pinned to its node, so that equal scores decide nothing.
    The CPU time is that of the screen's program, which plays each plan and 15 variants.
    """
    tools = toolchain(given)
    program = tools.programs().module("screen", MODULE, follow_kubernetes=True)
    reporter = Reporter()
    with ExitStack() as closing:
        session = boot(Settings(), tools, Path.cwd(), reporter)
        closing.callback(session.close)
        context = session.context
        stage = PlanStage(context, Nodes(context, session.pools.nodes), NamespaceSet(context, NAMESPACE))
        player = Player(context, stage, lambda *_: "")
        screen = closing.enter_context(Screen(program, Timeouts().screened))
        task = closing.enter_context(reporter.task("simulation"))
        agreement, several = _Agreement(), list(drawn(count, max_steps=4))
        for number, plan in enumerate(several, 1):
            agreement.add(plan, player, screen)
            task.advance(number, count, agreement.line)
        stage.close()
    click.echo(agreement.line)
    for line in agreement.differences:
        click.echo(line)
    click.echo(_cost(program, several))


class _Agreement:
    """Plays plans in both worlds, and counts the plans with equal rests.

    Attributes:
        differences: the plans without, and where they differ.
    """

    def __init__(self) -> None:
        self.differences: list[str] = []
        self._plans = self._rests = 0
        self._equal = dict.fromkeys(("same pods bound", "same nodes", "same nodes with pins"), 0)

    @property
    def line(self) -> str:
        """The figures in one line."""
        equal = ", ".join(f"{what} in {times}" for what, times in self._equal.items())
        return f"{self._plans} plans with {self._rests} rests; at every rest: {equal}"

    def add(self, plan: Plan, player: Player, screen: Screen) -> None:
        """Play a plan with its pods in order, and also with each pod on its node."""
        self._plans += 1
        placements = player(plan).history.placements
        free = self._compared(_in_order(plan, placements), player, screen)
        pinned = self._compared(plan.pinned(placements, "")[0], player, screen)
        self._rests += len(pinned)
        self._equal["same pods bound"] += all(_bound(one) == _bound(other) for one, other in free)
        self._equal["same nodes"] += all(one == other for one, other in free)
        self._equal["same nodes with pins"] += all(one == other for one, other in pinned)
        for number, (one, other) in enumerate(pinned):
            if one != other:
                said = f"plan {self._plans}, rest {number}: {one} on the control plane, {other} in the screen"
                self.differences.append(f"{said}\n{plan.pinned(placements, '')[0]}")
                break

    def _compared(self, plan: Plan, player: Player, screen: Screen) -> list[tuple[Places, Places]]:
        """Return where the pods are at each rest, on the control plane and in the screen."""
        episodes = [each for each in player(plan).history.episodes if each.cause != AT_THE_END]
        real = [{name_of(pod): node_of(pod) for pod in each.after.pods} for each in episodes]
        answer = screen.ask(plan.as_mapping(), rests=True).result()
        if answer.refused:
            self.differences.append(f"plan {self._plans}: {', '.join(answer.refused)}")
        # Each ends early, where a pod is late or a fresh scheduler would bind it.
        return list(zip(real, (each["nodes"] for each in answer.rests), strict=False))


def _in_order(plan: Plan, names: Iterable[str]) -> Plan:
    """Return a plan that creates its pods one after another, those with these names first."""
    places = {name: place for place, name in enumerate(names)}
    pods = sorted(plan.pods, key=lambda pod: places.get(name_of(pod), len(places)))
    return replace(plan, pods=(), steps=(*(Step("create", name_of(pod), pod) for pod in pods), *plan.steps))


def _bound(places: Places) -> set[str]:
    return {pod for pod, node in places.items() if node}


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
