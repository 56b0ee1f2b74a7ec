"""``throughput``: pods/s of a stock scheduler, observed and not, in turn with Kubernetes' own benchmark."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
import psutil

from benchmarks.binding_rate import BindingRate
from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import bin_option, booted, json_option, runs_option, toolchain
from benchmarks.raw_watch import access
from benchmarks.scheduler_perf import SchedulerPerf
from schedtest import KubeScheduler
from schedtest._util import command
from schedtest._util.progress import Reporter
from schedtest.api.kinds import PODS
from schedtest.binaries import golang
from schedtest.binaries.toolchain import Executable
from schedtest.features.speed.bursts import Bursts
from schedtest.objects import builders
from schedtest.objects.namespaces import NamespaceSet
from schedtest.provider.selection import needed
from schedtest.scheduler.installed import Installed
from schedtest.session import Session
from schedtest.settings import Settings

#: the contestants
_OURS, _UNOBSERVED, _BARE, _PEER = "ours", "ours, not observed", "bare", "scheduler_perf"

#: the client of the bare control plane
_MAKER = Path(__file__).with_name("make_pods.go")

#: what each pod of the burst requests
_REQUESTS = {"cpu": "1m"}


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
    client in one process, and no controller manager. "bare" is the most that a scheduler of its own process can reach:
    etcd, the API server, the scheduler and a client in Go, over TLS, and nothing else.
    """
    figure = Figure("throughput", "pods/s", digits=0)
    binaries = toolchain(given).provide(needed("local"))
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        contestants: dict[str, Callable[[], float]] = {
            name: partial(_rate, nodes, pods, given, observed=name == _OURS) for name in (_OURS, _UNOBSERVED)
        }
        if peer:
            contestants[_BARE] = partial(_bare_rate, nodes, pods, given, _maker(Path(folder)))
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


def _maker(folder: Path) -> Path:
    """Build the client in Go."""
    program = folder / _MAKER.stem
    command.run(["go", "build", "-o", str(program), str(_MAKER)], env=golang.environment())
    return program


def _rate(nodes: int, pods: int, given: Sequence[str], *, observed: bool) -> float:
    with _booted(nodes, given) as (session, scheduler):
        context = session.context.of_test("bench")
        if not observed:
            context.observer.stop()
        rate = BindingRate(scheduler, pods)
        make = Bursts(context, NamespaceSet(context, NAMESPACE), Reporter(quiet=True), seed=0)
        make(pods, scheduler=scheduler, requests=_REQUESTS)
        return rate.result()


def _bare_rate(nodes: int, pods: int, given: Sequence[str], maker: Path) -> float:
    with _booted(nodes, given) as (session, scheduler):
        context = session.context.of_test("bench")
        context.observer.stop()
        path = PODS.path(NamespaceSet(context, NAMESPACE).own)
        for process in psutil.Process().children(recursive=True):
            if process.name().startswith(("kube-controller", "kwok")):
                process.kill()
        pod = builders.pod("@name@", scheduler=scheduler.scheduler_name, requests=_REQUESTS)
        body = builders.bound_only(pod, kubelets=False)
        rate = BindingRate(scheduler, pods)
        server, *files = access(session.cluster.kubeconfig)
        body = {"apiVersion": "v1", "kind": "Pod", **body}
        subprocess.run([maker, f"{server}{path}", *files, str(pods)], input=json.dumps(body), text=True, check=True)
        return rate.result()


@contextmanager
def _booted(nodes: int, given: Sequence[str]) -> Iterator[tuple[Session, Installed]]:
    """Give a cluster, and a kube-scheduler that hardly logs, for the block."""
    session = booted(Settings(nodes=nodes), given)
    try:
        yield session, session.context.installer.install(KubeScheduler("bench", verbosity=0))
    finally:
        session.close()
