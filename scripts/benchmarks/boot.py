"""``boot``: from nothing to the first bound pod."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from benchmarks import api_server_floor, boot_phases, first_pod, kwokctl
from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import bin_option, json_option, runs_option, toolchain
from schedtest._util.clock import SYSTEM
from schedtest.api.client import Api
from schedtest.api.kinds import NODES
from schedtest.binaries.toolchain import Executable
from schedtest.provider.process.simulated_nodes import simulated_node
from schedtest.provider.selection import needed

#: what a boot is compared with: the part of the control plane that takes longest, and the peer
_FLOOR, _PEER = "API server alone", "kwokctl"


@click.command("boot", short_help="From nothing to the first bound pod, and back.")
@runs_option()
@json_option
@bin_option
def boot_(runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - how click passes a flag
    """Time from nothing to the first bound pod on five nodes, ours and kwokctl's with the same binaries.

    Ours starts with a new Python process, imports included. kwokctl is timed from its start; the nodes and the pod
    are created by a process that has everything imported already.

    The floor is how long etcd and the API server take alone, with the same flags, until /readyz is well. A cluster is
    what the message "cluster ... is up after" times: all but Python's start and the pod.
    """
    binaries = toolchain(given).provide([*needed("local"), "kwokctl"])
    contestants: dict[str, Callable[[], _Times]] = {
        "ours": lambda: _Times.of_phases(boot_phases.measured(given)),
        _PEER: lambda: _time_kwokctl(binaries),
        _FLOOR: lambda: _time_floor(binaries),
    }
    figures = {name: Figure(name, "s") for name in ("boot", "phase", "tear-down")}
    for run, name, times in in_turn(contestants, runs):
        times.add_to(figures, name)
        click.echo(f"run {run}: {name:16} {times.seconds:6.3f} s", err=True)
    _print(figures, runs, as_json=as_json)


@dataclass(frozen=True)
class _Times:
    """One boot.

    Attributes:
        seconds: of the whole.
        torn_down: seconds that its end took, if that is timed.
        more: seconds of other spans of it, by the name that they have as a contestant.
        phases: seconds of each phase, if these are known.
    """

    seconds: float
    torn_down: float | None = None
    more: Mapping[str, float] = field(default_factory=dict)
    phases: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of_phases(cls, measured: dict[str, float]) -> _Times:
        """Split what ``boot_phases`` has measured."""
        phases = {name: measured[name] for name in boot_phases.PHASES.values()}
        return cls(measured["whole"], phases.pop("tear-down"), {"ours, cluster": measured["cluster"]}, phases)

    def add_to(self, figures: Mapping[str, Figure], contestant: str) -> None:
        """Add it to the figures ``boot``, ``phase`` and ``tear-down``."""
        for name, seconds in {contestant: self.seconds, **self.more}.items():
            figures["boot"].add(name, seconds)
        for name, seconds in self.phases.items():
            figures["phase"].add(name, seconds)
        if self.torn_down is not None:
            figures["tear-down"].add(contestant, self.torn_down)


def _print(figures: Mapping[str, Figure], runs: int, *, as_json: bool) -> None:
    medians = {name: figures["boot"].median(name) for name in figures["boot"].values}
    if as_json:
        print_json(
            "boot",
            list(figures.values()),
            runs=runs,
            ours_s=round(medians["ours"], 3),
            peer_s=round(medians[_PEER], 3),
            ratio=round(medians["ours"] / medians[_PEER], 3),
            floor_s=round(medians[_FLOOR], 3),
            ratio_to_floor=round(medians["ours"] / medians[_FLOOR], 3),
            cluster_to_floor=round(medians["ours, cluster"] / medians[_FLOOR], 3),
        )
        return
    for line in figures["boot"].lines(ratios_to=(_PEER, _FLOOR)):
        click.echo(line)
    for name in ("phase", "tear-down"):
        for line in figures[name].lines():
            click.echo(line)


def _time_floor(binaries: Mapping[str, Executable]) -> _Times:
    floor = api_server_floor.measured(binaries)
    return _Times(floor.ready, more={f"{_FLOOR}, /version": floor.version})


def _time_kwokctl(binaries: Mapping[str, Executable]) -> _Times:
    with kwokctl.cluster(binaries) as made:
        seconds = _first_binding(made.kubeconfig, made.started, binaries["kube-apiserver"].version)
    return _Times(seconds, made.torn_down)


def _first_binding(kubeconfig: Path, start: float, version: str) -> float:
    api = Api(kubeconfig, timeout=30)
    try:
        for number in range(1, boot_phases.NODES + 1):
            api.create(NODES, simulated_node(f"node-{number}", version))
        first_pod.bind(api)
        return SYSTEM.monotonic() - start
    finally:
        api.close()
