"""``scale``: thousands of nodes: how long until they are Ready, in turn with kwokctl, and the memory of pytest."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from benchmarks import kwokctl, pytest_costs
from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import bin_option, booted, json_option, runs_option, toolchain
from schedtest._util.clock import SYSTEM
from schedtest.api.client import Api
from schedtest.api.informer import observing
from schedtest.api.kinds import NODES, Object
from schedtest.binaries.toolchain import Executable
from schedtest.provider.selection import needed
from schedtest.settings import Settings

#: seconds that nodes get to be Ready
_PATIENCE = 600

#: nodes that a claim of a test is for
_CLAIMED = 10

#: what pytest runs to be measured: a burst on all nodes, and a claim of some
_SUITE = """
from schedtest import KubeScheduler

def test_burst(install, pods, expect):
    scheduler = install(KubeScheduler("bench", verbosity=0))
    print("burst", expect(burst({pods}, scheduler=scheduler, requests={{"cpu": "1m"}})).bound())

def test_claim(nodes, pods, expect):
    nodes.claim({claimed})
    expect(pods.create()).bound()
"""


@click.command(short_help="Thousands of nodes: until they are Ready, and pytest's memory.")
@click.option("--nodes", "sizes", multiple=True, type=int, default=(1000, 5000), show_default=True, help="How many.")
@click.option("--pods", default=10_000, show_default=True, help="Pods of the burst in which memory is measured.")
@runs_option(3)
@json_option
@bin_option
def scale(sizes: Sequence[int], pods: int, runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001
    """Seconds until all nodes are Ready: from nothing, and of the nodes alone, where the control plane is up.

    kwokctl's are those of "kwokctl create cluster" and "kwokctl scale node". The memory is that of a run of pytest with
    as many nodes as the largest size, with a burst of pods and a test that claims 10 nodes.
    """
    binaries = toolchain(given).provide([*needed("local"), "kwokctl"])
    figures = {size: Figure(f"{size} nodes", "s", digits=2) for size in sizes}
    for size, figure in figures.items():
        contestants: dict[str, Callable[[], dict[str, float]]] = {
            "ours": partial(_time_ours, size, given),
            "kwokctl": partial(_time_kwokctl, size, binaries),
        }
        for run, name, seconds in in_turn(contestants, runs):
            for what, value in seconds.items():
                figure.add(f"{name}, {what}", value)
            click.echo(f"run {run}: {size} nodes, {name:8} {seconds}", err=True)
    memory = Figure("pytest", "MB", digits=0)
    peak, said = _peak_of_pytest(max(sizes), pods, given)
    memory.add(f"{max(sizes)} nodes, {pods} pods", peak)
    if as_json:
        ratios = {
            f"ratio_{size}": round(figure.median("ours, nodes alone") / figure.median("kwokctl, nodes alone"), 3)
            for size, figure in figures.items()
        }
        print_json("scale", [*figures.values(), memory], runs=runs, burst=said, **ratios)
        return
    for figure in figures.values():
        for line in figure.lines(ratios_to=["kwokctl, nodes alone", "kwokctl, from nothing"]):
            click.echo(line)
    click.echo(f"{said}\n{next(memory.lines())}")


def _time_ours(size: int, given: Sequence[str]) -> dict[str, float]:
    """Boot with so many nodes, and without: the difference is what the nodes take."""
    whole, few = (_boot(count, given) for count in (size, 1))
    return {"from nothing": whole, "nodes alone": whole - few}


def _boot(size: int, given: Sequence[str]) -> float:
    start = SYSTEM.monotonic()
    session = booted(Settings(nodes=size), given)
    try:
        ready = sum(_is_ready(node) for node in session.context.journal.objects(NODES))
        seconds = SYSTEM.monotonic() - start
    finally:
        session.close()
    if ready < size:
        raise click.ClickException(f"{ready} of our {size} nodes are Ready once the cluster is up")
    return seconds


def _time_kwokctl(size: int, binaries: Mapping[str, Executable]) -> dict[str, float]:
    with kwokctl.cluster(binaries) as made:
        begun = SYSTEM.monotonic()
        made.run("scale", "node", "--replicas", str(size))
        api = Api(made.kubeconfig, timeout=60)
        try:
            with observing(api, [NODES], 60) as journal:

                def all_ready() -> bool:
                    return sum(_is_ready(node) for node in journal.objects(NODES)) >= size

                if not journal.wait(all_ready, _PATIENCE, lambda: None):
                    raise click.ClickException(f"kwokctl's {size} nodes are not Ready after {_PATIENCE} s")
        finally:
            api.close()
        end = SYSTEM.monotonic()
        return {"from nothing": end - made.started, "nodes alone": end - begun}


def _is_ready(node: Object) -> bool:
    conditions: list[Object] = node.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _peak_of_pytest(size: int, pods: int, given: Sequence[str]) -> tuple[float, str]:
    """Run pytest; return the most MB that it has held, and what it says of the burst."""
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        (Path(folder) / "test_scale.py").write_text(_SUITE.format(pods=pods, claimed=_CLAIMED))
        options = ["-s", "--nodes", str(size), *(f"--bin={each}" for each in given), f"--rootdir={folder}", folder]
        costs = pytest_costs.of_run(options)
    return costs.peak, next(line for line in costs.printed if "pods/s" in line).lstrip(".")
