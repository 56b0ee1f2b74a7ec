"""``plugin``: what the plugin costs a run of pytest that does not use it."""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path

import click

from benchmarks import pytest_costs
from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import json_option


@click.command(short_help="What pytest pays for a plugin that it does not use.")
@click.option("--pairs", default=15, show_default=True, help="Runs with the plugin, and as many without.")
@json_option
def plugin(pairs: int, as_json: bool) -> None:  # noqa: FBT001 - a flag
    """What the plugin costs a run of pytest that uses nothing of it: CPU time, and memory.

    Other plugins of the environment are not loaded: what they import would hide what this one does.
    """
    others = {entry.name for entry in entry_points(group="pytest11")} - {"schedtest"}
    blocked = [part for name in sorted(others) for part in ("-p", f"no:{name}")]
    sides: dict[str, Sequence[str]] = {"with": blocked, "without": [*blocked, "-p", "no:schedtest"]}
    figures = (Figure("CPU", "ms", digits=1), Figure("memory", "MB", digits=1))
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        (Path(folder) / "test_nothing.py").write_text("def test_nothing(): pass\n")
        contestants: dict[str, Callable[[], tuple[float, float]]] = {
            name: partial(_cost_of_pytest, [folder, *more], Path(folder)) for name, more in sides.items()
        }
        for pair, name, cost in in_turn(contestants, pairs + 1):
            for figure, value in zip(figures, cost, strict=True):
                if pair > 1:  # the first pair fills the cache of bytecode
                    figure.add(name, value)
    _print(figures, pairs, as_json=as_json)


def _print(figures: Sequence[Figure], pairs: int, *, as_json: bool) -> None:
    differences = {figure.name: _difference(figure) for figure in figures}
    if as_json:
        print_json("plugin", figures, pairs=pairs, plugin=differences)
        return
    for figure in figures:
        for line in figure.lines():
            click.echo(line)
        click.echo(f"{figure.name}  plugin  median {differences[figure.name]:+.1f} {figure.unit} of {pairs} pairs")


def _difference(figure: Figure) -> float:
    pairs = zip(figure.values["with"], figure.values["without"], strict=True)
    return round(statistics.median(one - other for one, other in pairs), 3)


def _cost_of_pytest(arguments: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run pytest with bytecode cached in ``folder``; return its ms of CPU time, and the most MB of memory."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    costs = pytest_costs.of_run(arguments, environment)
    return costs.cpu * 1e3, costs.peak
