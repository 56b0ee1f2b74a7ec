"""``cost``: where the CPU time of a pod goes, by program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click

from benchmarks.binding_rate import BindingRate
from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, print_json, processor_times
from benchmarks.options import bin_option, booted, json_option, runs_option
from schedtest import KubeScheduler
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.api.informer import Change
from schedtest.features.speed.burst import BURST, BurstRun, PodKind
from schedtest.objects import builders
from schedtest.objects.context import Context
from schedtest.objects.namespaces import NamespaceSet
from schedtest.scheduler.installed import Installed
from schedtest.settings import Settings

#: seconds in which a cluster that has nothing to do is measured
_IDLE = 10

#: the conditions of a burst: whether its pods run, and whether schedtest watches them
_CONDITIONS = {"bound only": (False, True), "bound only, not observed": (False, False), "running": (True, True)}


@click.command(short_help="Where the CPU time of a pod goes, by program.")
@click.option("--nodes", "sizes", multiple=True, type=int, default=(100, 5000), show_default=True, help="How many.")
@click.option("--pods", default=3000, show_default=True, help="Pods of each burst.")
@runs_option(3)
@json_option
@bin_option
def cost(sizes: Sequence[int], pods: int, runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001
    """Milliseconds of CPU time that each program uses for a pod, from its creation until it is bound, or runs.

    Each run has a cluster of its own, with a kube-scheduler of its own. "Python" is schedtest, which also makes the
    pods. "idle" is what a cluster uses by itself, in milliseconds a second.
    """
    figures: dict[str, Figure] = {}
    for size in sizes:
        for run in range(1, runs + 1):
            click.echo(f"run {run}: {size} nodes …", err=True)
            for condition, unit, program, value in _measured(size, pods, given):
                name = f"{size} nodes, {condition}"
                figures.setdefault(name, Figure(name, unit, digits=2)).add(program, value)
    if as_json:
        print_json("cost", list(figures.values()), runs=runs, pods=pods)
        return
    for figure in figures.values():
        for line in figure.lines():
            click.echo(line)


def _measured(size: int, pods: int, given: Sequence[str]) -> Iterator[tuple[str, str, str, float]]:
    """Yield a condition, a unit, a program, and its CPU time."""
    session = booted(Settings(nodes=size), given)
    try:
        context = session.context.of_test("bench")
        scheduler = context.installer.install(KubeScheduler("bench", verbosity=0))
        namespace = NamespaceSet(context, NAMESPACE).own
        # The last one can no longer be observed.
        for condition, (running, observed) in sorted(_CONDITIONS.items(), key=lambda each: not each[1][1]):
            name = re.sub("[^a-z]+", "-", condition)
            burst = _burst(context, scheduler, namespace, pods, running=running, name=name)
            if not observed:
                # By now KWOK has made the Leases of thousands of nodes.
                for program, seconds in _used(lambda: SYSTEM.sleep(_IDLE)):
                    yield "idle", "ms/s", program, 1000 * seconds / _IDLE
                context.observer.stop()
            for program, seconds in _used(partial(_await, burst, scheduler, running=running, observed=observed)):
                yield condition, "ms/pod", program, 1000 * seconds / pods
    finally:
        session.close()


def _used(work: Callable[[], object]) -> Iterator[tuple[str, float]]:
    """Do some work; yield the seconds of CPU that each program has used meanwhile."""
    before = processor_times()
    work()
    for program, seconds in processor_times().items():
        yield program, seconds - before[program]


def _burst(context: Context, scheduler: Installed, namespace: str, pods: int, *, running: bool, name: str) -> BurstRun:
    body = builders.pod("", requests={"cpu": "1m"})
    kind = PodKind("", body if running else builders.bound_only(body, kubelets=False), pods)
    return BurstRun(context, name, namespace, scheduler.scheduler_name, [kind])


def _await(burst: BurstRun, scheduler: Installed, *, running: bool, observed: bool) -> None:
    """Make the pods of a burst, and wait until all are bound, or run."""
    if not observed:
        rate = BindingRate(scheduler, burst.size)
        burst.make(Reporter(quiet=True))
        rate.result()
        return
    reached: set[str] = set()

    def note(change: Change) -> None:
        pod = change.object
        if pod["metadata"].get("labels", {}).get(BURST) == burst.name:
            there = pod["status"].get("phase") == "Running" if running else pod["spec"].get("nodeName")
            reached.update([change.uid] if there else ())

    with burst.context.journal.listening(note):
        burst.make(Reporter(quiet=True))
        burst.context.wait_until(lambda: len(reached) == burst.size, f"the {burst}", lambda: len(reached))
