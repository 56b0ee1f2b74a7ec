"""``properties``: how many plans are played a second, and how many decisions a scheduler makes meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, print_json, processor_times
from benchmarks.options import bin_option, json_option, toolchain
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.features.properties import laws
from schedtest.features.properties.history import History
from schedtest.features.properties.laws import Law
from schedtest.features.properties.plan import Plan
from schedtest.features.properties.player import Player
from schedtest.features.properties.stage import PlanStage
from schedtest.features.properties.strategies import drawn
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.nodes import Nodes
from schedtest.session import boot
from schedtest.settings import Settings

#: plans that are played between two figures: single ones differ too much
_BLOCK = 20


@click.command(short_help="Plans that are played a second.")
@click.option("--plans", "count", default=200, show_default=True, help="Plans of each sort.")
@json_option
@bin_option
def properties(count: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - a flag
    """Play plans of up to 4 nodes and 6 pods with the stock kube-scheduler, with no laws and with all of them.

    One half have no steps, the other half up to 4. The plans are the same every time. A law plays some again with what
    makes no difference: "plays" counts these, too. A "set" is 4 nodes and 6 pods that are made, decided, judged by the
    laws that play nothing themselves, and put back; each has another shape than the one before. ``--plans`` is also the
    number of sets.
    """
    session = boot(Settings(), toolchain(given), Path.cwd(), Reporter())
    try:
        context = session.context
        stage = PlanStage(context, Nodes(context, session.pools.nodes), NamespaceSet(context, NAMESPACE))
        player = Player(context, stage, lambda *_: "")
        rates = _rates(player, stage, count)
        cost, sets = _sets(player, count)
        stage.close()
    finally:
        session.close()
    if as_json:
        print_json("properties", [*rates, cost, sets], plans=count)
        return
    for figure in (*rates, cost):
        for line in figure.lines():
            click.echo(line)
    for line in sets.percentiles():
        click.echo(line)


def _rates(player: Player, stage: PlanStage, count: int) -> list[Figure]:
    """Return how many plans of each sort are played a second, and the CPU time of a play."""
    rates = [Figure(name, "/s", digits=1) for name in ("plans", "plays", "decisions")]
    costs: list[Figure] = []
    for condition, steps in (("without steps", 0), ("with steps", 4)):
        several = list(drawn(count, max_steps=steps))
        player(several[0])  # a warm-up, which claims the nodes
        for judged, judging in (((), ""), (laws.all(), ", all laws")):
            cost = Figure(f"CPU of a play {condition}{judging}", "ms", digits=1)
            for start in range(0, count, _BLOCK):
                block = _Block(several[start : start + _BLOCK], judged, player, stage)
                for figure, value in zip(rates, block.rates, strict=True):
                    figure.add(f"{condition}{judging}", value)
                for program, milliseconds in block.costs.items():
                    cost.add(program, milliseconds)
            costs.append(cost)
    return [*rates, *costs]


class _Block:
    """Some plans that are played and judged.

    Attributes:
        rates: plans, plays and decisions a second.
        costs: milliseconds of CPU for each play, by program.
    """

    def __init__(self, several: Sequence[Plan], judged: Sequence[Law], player: Player, stage: PlanStage) -> None:
        self._player = player
        self._plays = decisions = 0
        before, began = processor_times(), SYSTEM.monotonic()
        for plan in several:
            history = self._play(plan)
            decisions += history.decisions
            for law in judged:
                law.judge(history, self._play)
        stage.settle()
        seconds = SYSTEM.monotonic() - began
        self.rates = [each / seconds for each in (len(several), self._plays, decisions)]
        self.costs = {
            program: 1000 * (used - before[program]) / self._plays for program, used in processor_times().items()
        }

    def _play(self, plan: Plan) -> History:
        self._plays += 1
        return self._player(plan).history


def _sets(player: Player, count: int) -> tuple[Figure, Figure]:
    """Return the CPU time and the time of some sets of nodes and pods; to put one back is part of the next one."""
    cost, sets = Figure("CPU of a set", "ms", digits=1), Figure("set", "ms", digits=0)
    shapes = [_full(zone) for zone in "ab"]
    player(shapes[-1])
    before = processor_times()
    for number in range(count):
        began = SYSTEM.monotonic()
        history = player(shapes[number % 2]).history
        for law in laws.all():
            if law.name != laws.indifference.name:
                law.judge(history, lambda plan: player(plan).history)
        sets.add("4 nodes and 6 pods", 1000 * (SYSTEM.monotonic() - began))
    for program, used in processor_times().items():
        cost.add(program, 1000 * (used - before[program]) / count)
    return cost, sets


def _full(zone: str) -> Plan:
    """Return a plan of 4 nodes in a zone, of 2 CPUs each in one and of 3 in another, and of 6 pods of one CPU."""
    cpus = {"a": "2", "b": "3"}[zone]
    pod = {"nodeSelector": {"zone": zone}, "containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]}
    return Plan(
        nodes=tuple(
            {"metadata": {"name": f"n{number}", "labels": {"zone": zone}}, "status": {"allocatable": {"cpu": cpus}}}
            for number in range(1, 5)
        ),
        pods=tuple({"metadata": {"name": f"p{number}"}, "spec": pod} for number in range(1, 7)),
    )
