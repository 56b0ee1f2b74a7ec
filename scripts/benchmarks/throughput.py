"""``throughput``: pods/s of a stock scheduler, observed and not, in turn with Kubernetes' own benchmark."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from benchmarks.binding_rate import BindingRate
from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import bin_option, json_option, runs_option, toolchain
from benchmarks.scheduler_perf import SchedulerPerf
from schedtest import KubeScheduler
from schedtest._util.progress import Reporter
from schedtest.binaries.toolchain import Executable
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.pods import Pods
from schedtest.provider.selection import needed
from schedtest.session import boot
from schedtest.settings import Settings

#: the contestants
_OURS, _UNOBSERVED, _PEER = "ours", "ours, not observed", "scheduler_perf"


@click.command(short_help="Pods/s of a stock scheduler, in turn with scheduler_perf.")
@click.option("--nodes", default=5000, show_default=True, help="Nodes of the cluster.")
@click.option("--pods", default=10_000, show_default=True, help="Pods of the burst.")
@click.option("--peer/--no-peer", default=True, help="Build scheduler_perf from the module, and run it in turn.")
@runs_option(3)
@json_option
@bin_option
def throughput(nodes: int, pods: int, peer: bool, runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001
    """Pods/s from the first binding to the last, by what the scheduler itself counts.

    Ours is a kube-scheduler as a process of its own, over TLS, beside the whole control plane; "not observed" is the
    same while schedtest watches nothing. scheduler_perf's is its workload SchedulingBasic: scheduler, API server and
    client in one process, and no controller manager.
    """
    figure = Figure("throughput", "pods/s", digits=0)
    binaries = toolchain(given).provide(needed("local"))
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        contestants: dict[str, Callable[[], float]] = {
            name: partial(_rate, nodes, pods, given, observed=name == _OURS) for name in (_OURS, _UNOBSERVED)
        }
        if peer:
            contestants[_PEER] = partial(_peer(binaries, Path(folder)).rate, nodes, pods, binaries["etcd"])
        for run, name, rate in in_turn(contestants, runs):
            figure.add(name, rate)
            click.echo(f"run {run}: {name:18} {rate:5.0f} pods/s", err=True)
    others = [name for name in contestants if name != _OURS]
    if as_json:
        ratios = {f"ratio to {name}": round(figure.median(_OURS) / figure.median(name), 3) for name in others}
        print_json("throughput", [figure], runs=runs, nodes=nodes, pods=pods, **ratios)
        return
    for line in figure.lines(ratios_to=others):
        click.echo(line)


def _peer(binaries: Mapping[str, Executable], folder: Path) -> SchedulerPerf:
    release = binaries["kube-apiserver"].version.removeprefix("v")
    click.echo(f"building scheduler_perf of Kubernetes {release} …", err=True)
    return SchedulerPerf(release, folder)


def _rate(nodes: int, pods: int, given: Sequence[str], *, observed: bool) -> float:
    session = boot(Settings(nodes=nodes), toolchain(given), Path.cwd(), Reporter(quiet=True))
    try:
        context = session.context.of_test("bench")
        made = Pods(context, NamespaceSet(context, "bench"))
        scheduler = context.installer.install(KubeScheduler("bench", verbosity=0))
        if not observed:
            context.observer.stop()
        rate = BindingRate(scheduler, pods)
        made.burst(pods, scheduler=scheduler, requests={"cpu": "1m"})
        return rate.result()
    finally:
        session.close()
