"""``recording``: what evidence costs a run of pytest."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from functools import partial

import click

from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import json_option, runs_option
from schedtest._util import command
from schedtest._util.clock import SYSTEM

#: without all that records
_BARE = ("--evidence=none", "-p", "no:schedtest-recorder", "-p", "no:schedtest-run")


@click.command(short_help="What it costs to keep evidence.", context_settings={"ignore_unknown_options": True})
@runs_option()
@json_option
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def recording(runs: int, as_json: bool, pytest_arguments: Sequence[str]) -> None:  # noqa: FBT001 - a flag
    """What it costs a run of pytest to keep evidence in case a test fails: wall-clock time, and the CPU's.

    PYTEST_ARGUMENTS say what is run, in turn with and without the plugins that record.
    """
    contestants: dict[str, Callable[[], tuple[float, float]]] = {
        name: partial(_time_pytest, [*pytest_arguments, *more]) for name, more in (("recorded", ()), ("bare", _BARE))
    }
    figures = (Figure("wall", "s", digits=2), Figure("CPU", "s", digits=2))
    for run, name, (wall, cpu) in in_turn(contestants, runs):
        for figure, value in zip(figures, (wall, cpu), strict=True):
            figure.add(name, value)
        click.echo(f"run {run}: {name:8} {wall:6.2f} s, CPU {cpu:6.2f} s", err=True)
    if as_json:
        print_json("recording", figures, runs=runs)
        return
    for figure in figures:
        for line in figure.lines(ratios_to=["bare"]):
            click.echo(line)


def _time_pytest(arguments: Sequence[str]) -> tuple[float, float]:
    """Run pytest; return the seconds of wall-clock time, and of CPU time of it and all that it has started."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), SYSTEM.monotonic()
    command.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments])
    wall, after = SYSTEM.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
