"""``properties``: how many plans are played a second, and how many decisions a scheduler makes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings

from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, print_json
from benchmarks.options import bin_option, json_option, toolchain
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.nodes import Nodes
from schedtest.properties import laws
from schedtest.properties.plan import Plan
from schedtest.properties.player import Player
from schedtest.properties.stage import PlanStage
from schedtest.properties.strategies import plans
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

    One half have no steps, the other half up to 4. The plans are the same every time.
    """
    session = boot(Settings(), toolchain(given), Path.cwd(), Reporter())
    figures = [Figure("plans", "/s", digits=1), Figure("decisions", "/s", digits=1)]
    try:
        context = session.context
        nodes, namespaces = Nodes(context, session.pools.nodes), NamespaceSet(context, NAMESPACE)
        stage = PlanStage(context, nodes, namespaces)
        player = Player(context, stage, lambda *_: "")
        for condition, steps in (("without steps", 0), ("with steps", 4)):
            for rate, decisions in _rates(player, _drawn(count, steps)):
                for figure, value in zip(figures, (rate, decisions), strict=True):
                    figure.add(condition, value)
        stage.close()
    finally:
        session.close()
    if as_json:
        print_json("properties", figures, plans=count)
        return
    for figure in figures:
        for line in figure.lines():
            click.echo(line)


def _drawn(count: int, steps: int) -> list[Plan]:
    """Return plans, the same ones every time."""
    found: list[Plan] = []

    @hypothesis_settings(
        max_examples=count,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(plan=plans(max_steps=steps))
    def draw(plan: Plan) -> None:
        found.append(plan)

    draw()
    return found


def _rates(player: Player, drawn: Sequence[Plan]) -> Iterator[tuple[float, float]]:
    """Yield plans and decisions a second for each block of plans."""
    player(drawn[0])  # a warm-up, which claims the nodes
    for start in range(0, len(drawn), _BLOCK):
        block, began, decisions = drawn[start : start + _BLOCK], SYSTEM.monotonic(), 0
        for plan in block:
            played = player(plan)
            decisions += played.history.decisions
            for law in laws.all():
                law.judge(played.history, lambda plan: player(plan).history)
        seconds = SYSTEM.monotonic() - began
        yield len(block) / seconds, decisions / seconds
