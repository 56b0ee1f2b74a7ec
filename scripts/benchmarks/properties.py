"""``properties``: how many plans are played a second, and how many decisions a scheduler makes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, print_json
from benchmarks.options import bin_option, json_option, toolchain
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.nodes import Nodes
from schedtest.properties import laws
from schedtest.properties.history import History
from schedtest.properties.plan import Plan
from schedtest.properties.player import Player
from schedtest.properties.stage import PlanStage
from schedtest.properties.strategies import drawn
from schedtest.session import boot
from schedtest.settings import Settings

#: plans that are played between two figures: single ones differ too much
_BLOCK = 20


@click.command(short_help="Plans that are played a second.")
@click.option("--plans", "count", default=200, show_default=True, help="Plans of each sort.")
@json_option
@bin_option
def properties(count: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - a flag
    """Play plans of up to 4 nodes and 6 pods with the stock kube-scheduler, and judge each by all laws.

    One half have no steps, the other half up to 4. The plans are the same every time. A law plays some again with what
    makes no difference: "plays" counts these, too. A "set" is 4 nodes and 6 pods that are made, decided, judged by the
    laws that play nothing themselves, and put back; each has another shape than the one before.
    """
    session = boot(Settings(), toolchain(given), Path.cwd(), Reporter())
    figures = [Figure(name, "/s", digits=1) for name in ("plans", "plays", "decisions")]
    sets = Figure("set", "ms", digits=0)
    try:
        context = session.context
        nodes, namespaces = Nodes(context, session.pools.nodes), NamespaceSet(context, NAMESPACE)
        stage = PlanStage(context, nodes, namespaces)
        player = Player(context, stage, lambda *_: "")
        for condition, steps in (("without steps", 0), ("with steps", 4)):
            for rates in _rates(player, list(drawn(count, max_steps=steps))):
                for figure, value in zip(figures, rates, strict=True):
                    figure.add(condition, value)
        for milliseconds in _sets(player, count):
            sets.add("4 nodes and 6 pods", milliseconds)
        stage.close()
    finally:
        session.close()
    if as_json:
        print_json("properties", [*figures, sets], plans=count)
        return
    for figure in (*figures, sets):
        for line in figure.lines():
            click.echo(line)


def _rates(player: Player, drawn: Sequence[Plan]) -> Iterator[tuple[float, float, float]]:
    """Yield plans, plays and decisions a second for each block of plans."""
    player(drawn[0])  # a warm-up, which claims the nodes
    for start in range(0, len(drawn), _BLOCK):
        block, began, decisions = drawn[start : start + _BLOCK], SYSTEM.monotonic(), 0
        variants: list[Plan] = []

        def replay(variant: Plan, variants: list[Plan] = variants) -> History:
            variants.append(variant)
            return player(variant).history

        for plan in block:
            played = player(plan)
            decisions += played.history.decisions
            for law in laws.all():
                law.judge(played.history, replay)
        seconds = SYSTEM.monotonic() - began
        yield len(block) / seconds, (len(block) + len(variants)) / seconds, decisions / seconds


def _sets(player: Player, count: int) -> Iterator[float]:
    """Yield the milliseconds of each of some sets of nodes and pods."""
    shapes = [_full(zone) for zone in "ab"]
    player(shapes[-1])
    for number in range(count):
        began = SYSTEM.monotonic()
        history = player(shapes[number % 2]).history
        for law in laws.all():
            if law.name != laws.indifference.name:
                law.judge(history, lambda plan: player(plan).history)
        yield 1000 * (SYSTEM.monotonic() - began)


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
