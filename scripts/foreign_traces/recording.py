"""A recording, as ``schedtest record`` writes it, from the trace of another program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path

from schedtest._util import yaml_files
from schedtest.api.kinds import NODES, PODS, Object
from schedtest.binaries import kubernetes_release
from schedtest.features.replay.traces import ADDED, CHANGES, DELETED, END, ENDED, Arrival, Trace
from schedtest.features.snapshot.archive import KEPT, Snapshot, Writer


def beginning(objects: Mapping[str, Sequence[Object]]) -> Snapshot:
    """Return the cluster at the beginning of a trace that says neither its date nor its version of Kubernetes."""
    return Snapshot(datetime.fromtimestamp(0, UTC), kubernetes_release.load().kubernetes, KEPT, (), objects)


def write(trace: Trace, path: Path) -> None:
    """Write a trace, whose pods all come later than its beginning and have names of their own.

    Raises:
        UsageError: the file cannot be written.
    """
    start = trace.start
    with Writer(path, {"source": trace.source}) as writer:
        writer.begin(NODES)
        writer.page(NODES, start.objects["Node"], rest="")
        with writer.open_further(CHANGES) as file:
            for change in _changes(trace):
                file.write(f"---\n{yaml_files.dump(change)}".encode())
        writer.finish([NODES], start.taken, start.kubernetes, start.names, trace.left_out, [CHANGES])


def _changes(trace: Trace) -> Iterator[Object]:
    changes = [change for arrival in trace.arrivals for change in _life(arrival)]
    yield from sorted(changes, key=itemgetter("seconds"))  # of the same second, a pod's arrival stays the first
    yield {"seconds": trace.seconds, "change": END}


def _life(arrival: Arrival) -> Iterator[Object]:
    """Yield what becomes of a pod. One that is not said to be bound runs from its arrival on."""
    metadata = arrival.pod["metadata"]
    named = {"kind": PODS.kind, "name": metadata["name"], "namespace": metadata.get("namespace", "")}
    yield {
        "seconds": arrival.at,
        "change": ADDED,
        "object": {"apiVersion": PODS.api_version, "kind": PODS.kind, **arrival.pod},
    }
    if arrival.runs is not None:
        yield {"seconds": arrival.at + arrival.runs, "change": ENDED, **named}
    if arrival.until is not None:
        yield {"seconds": arrival.until, "change": DELETED, **named}
