"""``bindings``: how fast the chaos scheduler binds, in turn with kube-scheduler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import click

from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import bin_option, booted, json_option, runs_option
from chaos_scheduler.component import chaos_scheduler
from schedtest import Component, KubeScheduler
from schedtest.api.informer import Journal
from schedtest.objects.context import Context
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.pods import Pods
from schedtest.observe.pod import PodView
from schedtest.settings import Settings


@click.command(short_help="How fast the chaos scheduler binds.")
@click.option("--pods", "count", default=1000, show_default=True, help="Pods that wait when the scheduler starts.")
@runs_option()
@json_option
@bin_option
def bindings(count: int, runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - a flag
    """Pods bound per second, from the first binding to the last: the chaos scheduler's and kube-scheduler's."""
    session = booted(Settings(nodes=20), given, quiet=False)
    figure = Figure("bindings", "pods/s", digits=0)
    try:
        namespaces = NamespaceSet(session.context, NAMESPACE)
        contestants: dict[str, Callable[[], float]] = {
            name: partial(_binding_rate, session.context, namespaces, component, count)
            for name, component in (
                ("chaos-scheduler", chaos_scheduler("bench")),
                ("kube-scheduler", KubeScheduler("bench")),
            )
        }
        for run, name, rate in in_turn(contestants, runs):
            figure.add(name, rate)
            click.echo(f"run {run}: {name:14} {rate:5.0f} bindings/s", err=True)
    finally:
        session.close()
    if as_json:
        print_json("bindings", [figure], runs=runs, pods=count)
        return
    for line in figure.lines(ratios_to=["kube-scheduler"]):
        click.echo(line)


def _binding_rate(context: Context, namespaces: NamespaceSet, component: Component, count: int) -> float:
    pods = Pods(context, namespaces)
    with ThreadPoolExecutor(8) as pool:
        handles = list(pool.map(lambda _: pods.create(scheduler=component.name), range(count)))
    installed = context.installer.install(component)
    try:
        context.wait_until(lambda: all(_is_bound(context.journal, pod.uid) for pod in handles), "every pod to be bound")
    finally:
        installed.uninstall()
    moments = [_bound_at(context.journal, pod.uid) for pod in handles]
    pods.close()
    return (count - 1) / (max(moments) - min(moments))


def _is_bound(journal: Journal, uid: str) -> bool:
    return PodView.of(journal, uid).node is not None


def _bound_at(journal: Journal, uid: str) -> float:
    return next(change.at for change in journal.history(uid) if change.object["spec"].get("nodeName"))
