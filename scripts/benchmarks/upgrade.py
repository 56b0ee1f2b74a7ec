"""``upgrade``: the control plane goes to another version of Kubernetes and back, with many bound pods."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.measuring import Figure, print_json
from benchmarks.options import bin_option, json_option, runs_option, toolchain
from schedtest._util import bulk
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.api.kinds import PODS
from schedtest.cluster import Cluster
from schedtest.features.upgrade.upgrades import Upgrades, provide
from schedtest.objects import builders
from schedtest.session import Session, boot
from schedtest.settings import Settings

#: pods that a simulated node takes at most, with room to spare
_PER_NODE = 100

#: seconds that the pods get to be bound
_PATIENCE = 300


@click.command(short_help="To another version of Kubernetes and back, with bound pods.")
@click.option("--to", default="1.37", show_default=True, metavar="VERSION", help="The other version.")
@click.option("--pods", default=1000, show_default=True, help="How many pods are bound.")
@runs_option(3)
@json_option
@bin_option
def upgrade(to: str, pods: int, runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001
    """Seconds of cluster.upgrade to a newer version, and back, both in the cache, until the scheduler is ready."""
    tools = toolchain(given)
    provide(tools, to)
    figure = Figure(f"{pods} bound pods", "s", digits=2)
    settings = Settings(nodes=1 + pods // _PER_NODE)
    session = boot(settings, tools, Path.cwd(), Reporter(quiet=True))
    session.methods["upgrade"] = Upgrades(session, tools, settings.features).upgrade
    try:
        _bind(session, pods)
        usual = session.cluster.version
        for run in range(1, runs + 1):
            for version, way in ((to, "there"), (usual, "back")):
                figure.add(way, _timed(session.cluster, version))
                click.echo(f"run {run}: {way:5} {figure.values[way][-1]:6.2f} s", err=True)
    finally:
        session.close()
    if as_json:
        print_json("upgrade", [figure], runs=runs, pods=pods)
        return
    for line in figure.lines():
        click.echo(line)


def _bind(session: Session, count: int) -> None:
    """Make so many pods, and wait until all are bound and run."""
    context = session.context
    # A young API server that is busy with pods keeps the controller manager waiting, which then ends.
    context.journal.wait(lambda: context.api.probe("/readyz") is None, _PATIENCE, context.check_running)
    names = [f"pod-{number}" for number in range(count)]
    bulk.each(lambda name: context.api.create(PODS, builders.pod(name, None), "default"), names)

    def running() -> bool:
        phases = [pod.get("status", {}).get("phase") for pod in context.journal.objects(PODS)]
        return phases.count("Running") == count

    if not context.journal.wait(running, _PATIENCE, context.check):
        raise click.ClickException(f"not all of {count} pods run after {_PATIENCE} s")


def _timed(cluster: Cluster, version: str) -> float:
    start = SYSTEM.monotonic()
    cluster.upgrade(version)
    return SYSTEM.monotonic() - start
