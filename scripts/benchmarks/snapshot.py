"""``snapshot``: how long it takes to load a captured cluster, and how much memory."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from benchmarks.measuring import Figure, print_json, processor_times
from benchmarks.options import bin_option, booted, json_option
from schedtest._util.clock import SYSTEM
from schedtest.api.kinds import NAMESPACES, NODES, PODS, PRIORITY_CLASSES, Kind, Object
from schedtest.features.snapshot import archive
from schedtest.features.snapshot.load import load
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.nodes import Nodes
from schedtest.settings import Settings

#: namespaces of the cluster, and priority classes
_NAMESPACES, _CLASSES = 40, 5

#: what each node has
_AMOUNTS = {"cpu": "16", "memory": "64Gi", "ephemeral-storage": "100Gi", "pods": "110"}


@click.command(short_help="A captured cluster: until it is loaded, and memory.")
@click.option("--nodes", default=5000, show_default=True, help="Nodes of the cluster.")
@click.option("--pods", default=50_000, show_default=True, help="Its pods, which are bound.")
@click.option("--file", type=click.Path(path_type=Path, exists=True), help="Load this snapshot, not one made up.")
@json_option
@bin_option
def snapshot(nodes: int, pods: int, file: Path | None, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001
    """Seconds to read a snapshot, to load it, and to remove it; CPU seconds of the loading; memory of this program."""
    seconds, processors = Figure("seconds", "s", digits=1), Figure("CPU", "s", digits=1)
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        path = file or _made_up(Path(folder) / "cluster.tar.gz", nodes, pods)
        with _timed(seconds, "read"):
            captured = archive.read(path)
    counts = {kind: len(bodies) for kind, bodies in captured.objects.items()}
    click.echo(f"the snapshot has {counts['Node']} nodes and {counts['Pod']} pods", err=True)
    session = booted(Settings(nodes=1), given)
    try:
        context = session.context
        own, namespaces = Nodes(context, session.pools.nodes), NamespaceSet(context, "bench")
        before = processor_times()
        with _timed(seconds, "load"):
            loaded = load(context, own, namespaces, captured)
        for program, used in processor_times().items():
            processors.add(program, used - before.get(program, 0.0))
        with _timed(seconds, "remove"):
            loaded.close()
            own.close()
    finally:
        session.close()
    memory = Figure("memory", "MB", digits=0)
    memory.add("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    figures = (seconds, processors, memory)
    if as_json:
        print_json("snapshot", figures, nodes=counts["Node"], pods=counts["Pod"])
        return
    for figure in figures:
        for line in figure.lines():
            click.echo(line)


@contextmanager
def _timed(figure: Figure, what: str) -> Iterator[None]:
    start = SYSTEM.monotonic()
    yield
    figure.add(what, SYSTEM.monotonic() - start)
    click.echo(f"{what}: {figure.median(what):.1f} s", err=True)


def _made_up(path: Path, nodes: int, pods: int) -> Path:
    """Write a snapshot of a cluster that was never there."""
    kinds: dict[Kind, Iterator[Object]] = {
        NAMESPACES: (_object(NAMESPACES, f"team-{number}") for number in range(_NAMESPACES)),
        PRIORITY_CLASSES: (_object(PRIORITY_CLASSES, f"class-{n}", value=n * 100) for n in range(_CLASSES)),
        NODES: map(_node, range(nodes)),
        PODS: (_pod(number, number % nodes) for number in range(pods)),
    }
    with archive.Writer(path, {}) as writer:
        for kind, bodies in kinds.items():
            writer.begin(kind)
            writer.page(kind, list(bodies), "")
        writer.finish(list(kinds), datetime.now(UTC), "v1.35.0", archive.KEPT, [])
    return path


def _object(kind: Kind, name: str, namespace: str = "", **parts: object) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **parts}


def _node(number: int) -> Object:
    node = _object(NODES, f"node-{number}", spec={}, status={"capacity": _AMOUNTS, "allocatable": _AMOUNTS})
    node["metadata"]["labels"] = {"topology.kubernetes.io/zone": f"zone-{number % 3}"}
    return node


def _pod(number: int, node: int) -> Object:
    rank = number % _CLASSES
    requests = {"cpu": "500m", "memory": "1Gi"}
    pod = _object(
        PODS,
        f"pod-{number}",
        f"team-{number % _NAMESPACES}",
        spec={
            "nodeName": f"node-{node}",
            "schedulerName": "default-scheduler",
            "priorityClassName": f"class-{rank}",
            "priority": rank * 100,
            "containers": [{"name": "main", "image": "image:latest", "resources": {"requests": requests}}],
            "tolerations": [
                {
                    "key": f"node.kubernetes.io/{key}",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300,
                }
                for key in ("not-ready", "unreachable")
            ],
        },
    )
    pod["metadata"]["labels"] = {"app": f"app-{number % 200}"}
    return pod
