"""Contestants that run in turn, and their figures: medians, spreads, ratios, for a reader or as JSON."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click
import psutil

Measured = TypeVar("Measured")


@dataclass
class Figure:
    """Values of one quantity, of each contestant.

    Attributes:
        name: what is measured, such as ``boot``.
        unit: such as ``s``.
        digits: decimal places for a reader.
        values: of each contestant, in the order of measuring.
    """

    name: str
    unit: str
    digits: int = 3
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, contestant: str, value: float) -> None:
        """Take one more value."""
        self.values.setdefault(contestant, []).append(value)

    def median(self, contestant: str) -> float:
        """Return the median of a contestant's values."""
        return statistics.median(self.values[contestant])

    def lines(self, *, ratios_to: Sequence[str] = ()) -> Iterator[str]:
        """Yield a line for each contestant, with its ratios to some of them, of the medians."""
        width = max(len(name) for name in self.values)
        for name, values in self.values.items():
            others = [other for other in ratios_to if other != name]
            ratio = "".join(f", {self.median(name) / self.median(other):.3f} x {other}" for other in others)
            spread = f"({self._said(min(values))} to {self._said(max(values))})"
            yield f"{self.name}  {name:{width}}  median {self._said(self.median(name))} {self.unit} {spread}{ratio}"

    def percentiles(self) -> Iterator[str]:
        """Yield a line for each contestant, with what most values are below."""
        for name, values in self.values.items():
            marks = [f"p{percent} {self._said(percentile(values, percent))}" for percent in (50, 90, 99)]
            ends = f"({self._said(min(values))} to {self._said(max(values))})"
            yield f"{self.name}  {name}  {', '.join(marks)} {self.unit} {ends} of {len(values)}"

    def data(self) -> dict[str, Any]:
        """Return it for JSON: median, spread and values of each contestant."""
        return {
            name: {
                "median": round(self.median(name), 6),
                "min": round(min(values), 6),
                "max": round(max(values), 6),
                "p99": round(percentile(values, 99), 6),
                "values": [round(value, 6) for value in values],
            }
            for name, values in self.values.items()
        } | {"unit": self.unit}

    def _said(self, value: float) -> str:
        return f"{value:.{self.digits}f}"


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the smallest value that so many percent of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def in_turn(contestants: Mapping[str, Callable[[], Measured]], runs: int) -> Iterator[tuple[int, str, Measured]]:
    """Run each contestant, one after the other, again and again; yield the run, the contestant and its result.

    In turn, because a machine is not equally fast all the time.
    """
    for run in range(1, runs + 1):
        for name, measure in contestants.items():
            yield run, name, measure()


def print_json(name: str, figures: Sequence[Figure], **more: object) -> None:
    """Print one JSON object: the figures by their names, the machine, and what else is given."""
    data = {"name": name, "machine": machine(), **more, "figures": {figure.name: figure.data() for figure in figures}}
    click.echo(json.dumps(data))


def machine() -> dict[str, object]:
    """Return what a reader of figures must know of the machine."""
    return {"cores": os.cpu_count(), "system": f"{platform.system()} {platform.release()}", "load": os.getloadavg()[0]}


def processor_times() -> dict[str, float]:
    """Return the seconds of CPU that each program has used."""
    here = psutil.Process()
    used: dict[str, float] = defaultdict(float)
    for process in (here, *here.children(recursive=True)):
        times, name = process.cpu_times(), process.name()
        used["Python" if name.startswith("python") else name] += times.user + times.system
        if process != here:  # the scheduler is what ends, and starts again
            used["kube-scheduler"] += times.children_user + times.children_system
    used["all"] = sum(used.values())
    return used
