"""``boot``: from nothing to the first bound pod."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from benchmarks import first_pod
from benchmarks.measuring import Figure, in_turn, print_json
from benchmarks.options import bin_option, json_option, runs_option, toolchain
from schedtest._util import command
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.api.client import Api
from schedtest.api.kinds import NODES
from schedtest.providers.processes.simulated_nodes import simulated_node
from schedtest.providers.selection import needed
from schedtest.session import boot
from schedtest.settings import Settings
from schedtest.toolchain.toolchain import Executable

_NODES = 5


@click.command("boot", short_help="From nothing to the first bound pod.")
@runs_option()
@json_option
@bin_option
def boot_(runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - how click passes a flag
    """Time from nothing to the first bound pod on five nodes, ours and kwokctl's with the same binaries.

    Ours starts with a new Python process, imports included. kwokctl is timed from its start; the nodes and the pod
    are created by a process that has everything imported already.
    """
    binaries = toolchain(given).provide([*needed("local"), "kwokctl"])
    contestants: dict[str, Callable[[], float]] = {
        "ours": lambda: _time_ours(given),
        "kwokctl": lambda: _time_kwokctl(binaries),
    }
    figure = Figure("boot", "s")
    for run, name, seconds in in_turn(contestants, runs):
        figure.add(name, seconds)
        click.echo(f"run {run}: {name:8} {seconds:6.3f} s", err=True)
    ours, peer = figure.median("ours"), figure.median("kwokctl")
    if as_json:
        medians = {"ours_s": round(ours, 3), "peer_s": round(peer, 3), "ratio": round(ours / peer, 3)}
        print_json("boot", [figure], runs=runs, **medians)
        return
    for line in figure.lines(ratios_to="kwokctl"):
        click.echo(line)


@click.command(hidden=True)
@bin_option
def ours(given: Sequence[str]) -> None:
    """Boot, bind a pod, say so, and end: the process that ``boot`` times."""
    session = boot(Settings(nodes=_NODES), toolchain(given), Path.cwd(), Reporter(quiet=True))
    try:
        first_pod.bind(session.cluster.api)
        click.echo("bound")
    finally:
        session.close()


def _time_ours(given: Sequence[str]) -> float:
    arguments = [part for value in given for part in ("--bin", value)]
    start = SYSTEM.monotonic()
    with subprocess.Popen(
        [sys.executable, sys.argv[0], "ours", *arguments], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None  # noqa: S101 - for the type checker; PIPE was asked for
        line = child.stdout.readline()
        elapsed = SYSTEM.monotonic() - start
    if line != "bound\n" or child.returncode != 0:
        raise click.ClickException(f"our own boot failed with exit code {child.returncode}")
    return elapsed


def _time_kwokctl(binaries: Mapping[str, Executable]) -> float:
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        environment = {"KWOK_WORKDIR": f"{folder}/work", "HOME": folder, "PATH": "/usr/bin:/bin"}
        kubeconfig = Path(folder) / "kubeconfig"
        kwokctl = str(binaries["kwokctl"].path)
        common = ["--name", "bench", "--kubeconfig", str(kubeconfig)]
        parts = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
        paths = [f"--{part}-binary={binaries[part].path}" for part in parts]
        create = ["create", "cluster", "--runtime=binary", "--wait=60s", *paths]
        controller = f"--kwok-controller-binary={binaries['kwok'].path}"
        start = SYSTEM.monotonic()
        try:
            command.run([kwokctl, *create, controller, *common], env=environment)
            return _first_binding(kubeconfig, start, binaries["kube-apiserver"].version)
        finally:
            command.run([kwokctl, "delete", "cluster", *common], env=environment)


def _first_binding(kubeconfig: Path, start: float, version: str) -> float:
    api = Api(kubeconfig, timeout=30)
    try:
        for number in range(1, _NODES + 1):
            api.create(NODES, simulated_node(f"node-{number}", version))
        first_pod.bind(api)
        return SYSTEM.monotonic() - start
    finally:
        api.close()
