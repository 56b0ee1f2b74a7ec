"""Benchmarks: medians over several runs, ours and a peer in turn on the same machine."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path

import click

from schedtest import ChaosScheduler, Component, KubeScheduler
from schedtest._util import command
from schedtest._util.clock import SYSTEM, Deadline
from schedtest._util.progress import Reporter
from schedtest.api.api_errors import ConflictError
from schedtest.api.client import Api
from schedtest.api.journal import Journal
from schedtest.api.kinds import NAMESPACES, NODES, PODS, SERVICE_ACCOUNTS
from schedtest.objects import builders
from schedtest.observe.pod_view import PodView
from schedtest.providers.processes.simulated_nodes import simulated_node
from schedtest.providers.selection import needed
from schedtest.session import boot
from schedtest.settings import Settings
from schedtest.toolchain import kubernetes_release
from schedtest.toolchain.toolchain import Executable, Toolchain, ToolchainSettings, parse_given
from schedtest.workspace.context import Context
from schedtest.workspace.namespaces import Namespaces
from schedtest.workspace.pods import Pods

#: without all that records
_BARE = ("--evidence=none", "-p", "no:schedtest-recorder", "-p", "no:schedtest-run")

#: run pytest; print the seconds of CPU that the process has used, and the most kB of memory that it has held
_MEASURED = """
import sys, time, pytest
status = pytest.main(sys.argv[1:])
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print("measured", int(status), time.process_time(), peak)
"""

_NODES = 5
_NAMESPACE = "bench"


@click.group()
def main() -> None:
    """Compare schedtest with its peers."""


@main.command("boot")
@click.option("--runs", default=5, show_default=True, help="Runs of each.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--bin", "given", multiple=True, metavar="NAME=PATH|FOLDER", help="Use these binaries.")
def boot_(runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - how click passes a flag
    """Time from nothing to the first bound pod on five nodes, ours and kwokctl's with the same binaries.

    Ours starts with a new Python process, imports included. kwokctl is timed from its start; the nodes and the pod
    are created by a process that has everything imported already.
    """
    binaries = _toolchain(given).provide([*needed("local"), "kwokctl"])
    contestants: dict[str, Callable[[], float]] = {
        "ours": lambda: _time_ours(given),
        "kwokctl": lambda: _time_kwokctl(binaries),
    }
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for run in range(1, runs + 1):
        for name, measure in contestants.items():
            seconds[name].append(measure())
            click.echo(f"run {run}: {name:8} {seconds[name][-1]:6.3f} s", err=True)
    ours, peer = (statistics.median(seconds[name]) for name in contestants)
    if as_json:
        result = {"name": "boot", "runs": runs, "ours_s": round(ours, 3), "peer_s": round(peer, 3)}
        click.echo(json.dumps({**result, "ratio": round(ours / peer, 3)}))
        return
    for name, values in seconds.items():
        click.echo(f"{name:8} median {statistics.median(values):.3f} s ({min(values):.3f} to {max(values):.3f} s)")
    click.echo(f"ratio    {ours / peer:.3f}")


@main.command("bindings")
@click.option("--pods", "count", default=1000, show_default=True, help="Pods that wait when the scheduler starts.")
@click.option("--runs", default=5, show_default=True, help="Runs of each.")
@click.option("--bin", "given", multiple=True, metavar="NAME=PATH|FOLDER", help="Use these binaries.")
def bindings(count: int, runs: int, given: Sequence[str]) -> None:
    """Pods bound per second, from the first binding to the last: the chaos scheduler's and kube-scheduler's."""
    session = boot(Settings(nodes=20), _toolchain(given), Path.cwd(), Reporter())
    rates: dict[str, list[float]] = {}
    try:
        namespaces = Namespaces(session.context, _NAMESPACE)
        for run in range(1, runs + 1):
            for component in (ChaosScheduler("bench"), KubeScheduler("bench")):
                name = type(component).__name__
                rate = _binding_rate(session.context, namespaces, component, count)
                rates.setdefault(name, []).append(rate)
                click.echo(f"run {run}: {name:14} {rate:5.0f} bindings/s", err=True)
    finally:
        session.close()
    for name, values in rates.items():
        click.echo(f"{name:14} median {statistics.median(values):.0f}/s ({min(values):.0f} to {max(values):.0f}/s)")


@main.command("recording", context_settings={"ignore_unknown_options": True})
@click.option("--runs", default=5, show_default=True, help="Runs of each.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def recording(runs: int, pytest_arguments: Sequence[str]) -> None:
    """What it costs a run of pytest to keep evidence in case a test fails: wall-clock time, and the CPU's.

    PYTEST_ARGUMENTS say what is run, in turn with and without the plugins that record.
    """
    contestants: dict[str, Sequence[str]] = {"recorded": (), "bare": _BARE}
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for run in range(1, runs + 1):
        for name, more in contestants.items():
            wall, cpu = _time_pytest([*pytest_arguments, *more])
            seen[name].append((wall, cpu))
            click.echo(f"run {run}: {name:8} {wall:6.2f} s, CPU {cpu:6.2f} s", err=True)
    for index, what in enumerate(("wall", "CPU")):
        values = {name: [pair[index] for pair in pairs] for name, pairs in seen.items()}
        medians = {name: statistics.median(each) for name, each in values.items()}
        for name, each in values.items():
            click.echo(f"{what:4} {name:8} median {medians[name]:.2f} s ({min(each):.2f} to {max(each):.2f} s)")
        click.echo(f"{what:4} ratio    {medians['recorded'] / medians['bare']:.3f}")


@main.command("plugin")
@click.option("--pairs", default=15, show_default=True, help="Runs with the plugin, and as many without.")
def plugin(pairs: int) -> None:
    """What the plugin costs a run of pytest that uses nothing of it: CPU time, and memory.

    Other plugins of the environment are not loaded: what they import would hide what this one does.
    """
    others = {entry.name for entry in entry_points(group="pytest11")} - {"schedtest"}
    blocked = [part for name in sorted(others) for part in ("-p", f"no:{name}")]
    contestants: dict[str, Sequence[str]] = {"with": blocked, "without": [*blocked, "-p", "no:schedtest"]}
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        (Path(folder) / "test_nothing.py").write_text("def test_nothing(): pass\n")
        for number in range(pairs + 1):
            for name, more in contestants.items():
                cost = _cost_of_pytest([folder, *more], Path(folder))
                if number:  # the first pair fills the cache of bytecode
                    seen[name].append(cost)
    for index, (what, unit, factor) in enumerate((("CPU", "ms", 1e3), ("memory", "MB", 1 / 1024))):
        values = {name: [cost[index] * factor for cost in costs] for name, costs in seen.items()}
        for name, each in values.items():
            extent = f"({min(each):.1f} to {max(each):.1f}) {unit}"
            click.echo(f"{what:7} {name:8} median {statistics.median(each):.1f} {extent}")
        differences = [one - other for one, other in zip(values["with"], values["without"], strict=True)]
        click.echo(f"{what:7} plugin   median {statistics.median(differences):+.1f} {unit} of {pairs} pairs")


def _cost_of_pytest(arguments: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run pytest with bytecode cached in ``folder``; return its seconds of CPU time, and the most kB of memory."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    argv = [sys.executable, "-c", _MEASURED, "-q", "-p", "no:cacheprovider", *arguments]
    printed = command.run(argv, env=environment).splitlines()[-1].split()
    if printed[:2] != ["measured", "0"]:
        raise click.ClickException(f"the run of pytest failed: {' '.join(argv)}")
    return float(printed[2]), float(printed[3])


def _time_pytest(arguments: Sequence[str]) -> tuple[float, float]:
    """Run pytest; return the seconds of wall-clock time, and of CPU time of it and all that it has started."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), SYSTEM.monotonic()
    command.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments])
    wall, after = SYSTEM.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _binding_rate(context: Context, namespaces: Namespaces, component: Component, count: int) -> float:
    pods = Pods(context, namespaces)
    with ThreadPoolExecutor(8) as pool:
        handles = list(pool.map(lambda _: pods.create(scheduler=component.name), range(count)))
    installed = context.installer.install(component)
    try:
        context.settle(lambda: all(_is_bound(context.journal, pod.uid) for pod in handles), "every pod to be bound")
    finally:
        installed.uninstall()
    moments = [_bound_at(context.journal, pod.uid) for pod in handles]
    pods.close()
    return (count - 1) / (max(moments) - min(moments))


def _is_bound(journal: Journal, uid: str) -> bool:
    return PodView.of(journal, uid).node is not None


def _bound_at(journal: Journal, uid: str) -> float:
    return next(change.at for change in journal.history(uid) if change.object["spec"].get("nodeName"))


@main.command(hidden=True)
@click.option("--bin", "given", multiple=True)
def ours(given: Sequence[str]) -> None:
    """Boot, bind a pod, say so, and end: the process that ``boot`` times."""
    session = boot(Settings(nodes=_NODES), _toolchain(given), Path.cwd(), Reporter(quiet=True))
    try:
        _bind_first_pod(session.cluster.api)
        click.echo("bound")
    finally:
        session.close()


def _time_ours(given: Sequence[str]) -> float:
    arguments = [part for value in given for part in ("--bin", value)]
    start = SYSTEM.monotonic()
    with subprocess.Popen([sys.executable, __file__, "ours", *arguments], stdout=subprocess.PIPE, text=True) as child:
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
        _bind_first_pod(api)
        return SYSTEM.monotonic() - start
    finally:
        api.close()


def _bind_first_pod(api: Api) -> None:
    api.create(NAMESPACES, {"metadata": {"name": _NAMESPACE}})
    # kwokctl's clusters admit no pod into a namespace before it has this account; we do not wait for a controller.
    with contextlib.suppress(ConflictError):
        api.create(SERVICE_ACCOUNTS, {"metadata": {"name": "default"}}, _NAMESPACE)
    spec = {"automountServiceAccountToken": False}
    deadline = Deadline(60)
    pod = api.create(PODS, builders.pod("first", spec=spec), _NAMESPACE)
    with_watch = api.watch(PODS, pod["metadata"]["resourceVersion"])
    for event in with_watch:
        if event["object"]["spec"].get("nodeName"):
            with_watch.close()
            return
        if deadline.passed():
            break
    raise click.ClickException("the first pod was not bound within 60 s")


def _toolchain(given: Sequence[str]) -> Toolchain:
    settings = ToolchainSettings(given=parse_given(given))
    return Toolchain(kubernetes_release.load(), settings, Settings().timeouts, Reporter())


if __name__ == "__main__":
    main()
