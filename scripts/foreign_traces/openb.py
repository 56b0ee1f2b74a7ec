"""Tables of Alibaba's openb trace (``cluster-trace-gpu-v2023``): one of its pods, one of its nodes."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from foreign_traces.recording import beginning
from schedtest.api.kinds import Object
from schedtest.errors import UsageError
from schedtest.features.replay.traces import Arrival, Trace
from schedtest.objects.builders import pod, required_node_affinity

#: a second resource of nodes with GPUs: thousandths of a GPU, as pods may share one; and the label with the model
GPU_MILLI, GPU_MODEL = "alibabacloud.com/gpu-milli", "alibabacloud.com/gpu-card-model"

#: the label with the quality of service that a table names
QOS = "alibabacloud.com/qos"


_POD_COLUMNS = (
    *("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos"),
    *("creation_time", "deletion_time", "scheduled_time"),
)
_NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")

#: what cells of the tables say for nothing
_NOTHING = ("", "nan")


def read(path: Path, nodes: Path) -> Trace:
    """Return the trace in a table of pods and a table of nodes.

    Raises:
        UsageError: a table is of another form; the message names the line.
    """
    arrivals = sorted((_pod(*row) for row in _rows(path, _POD_COLUMNS)), key=lambda each: each.at)
    ends = (each.at + (each.runs or 0.0) for each in arrivals)
    return Trace(
        source=path.name,
        start=beginning({"Node": [_node(*row) for row in _rows(nodes, _NODE_COLUMNS)]}),
        arrivals=tuple(arrivals),
        seconds=max(ends, default=0.0),
        left_out=("Pods that share a GPU need not be on the same one: the GPUs of a node are one amount.",),
    )


def _pod(place: str, row: Mapping[str, str]) -> Arrival:
    created, deleted = (_number(place, row, f"{column}_time") for column in ("creation", "deletion"))
    scheduled = created if row["scheduled_time"] in _NOTHING else _number(place, row, "scheduled_time")
    if deleted < scheduled:
        raise UsageError(f"{place}: deletion_time is {deleted:g}, before {max(created, scheduled):g}, when it began")
    count, share = _number(place, row, "num_gpu"), _number(place, row, "gpu_milli")
    requests = _amounts(place, row)
    if count:
        requests[GPU_MILLI] = f"{count * share:.0f}"
    models = [] if row["gpu_spec"] in _NOTHING else row["gpu_spec"].split("|")
    affinity = required_node_affinity(GPU_MODEL, *models) if models else None
    labels = {} if row["qos"] in _NOTHING else {QOS: row["qos"]}
    return Arrival(created, pod(row["name"], labels, requests=requests, affinity=affinity), deleted - scheduled)


def _node(place: str, row: Mapping[str, str]) -> Object:
    amounts = {**_amounts(place, row), "pods": "110"}
    if gpus := _number(place, row, "gpu"):
        amounts[GPU_MILLI] = f"{gpus * 1000:.0f}"
    labels = {} if row["model"] in _NOTHING else {GPU_MODEL: row["model"]}
    metadata = {"name": row["sn"], "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": amounts}}


def _amounts(place: str, row: Mapping[str, str]) -> dict[str, str]:
    cpu, memory = (_number(place, row, column) for column in ("cpu_milli", "memory_mib"))
    return {"cpu": f"{cpu:.0f}m", "memory": f"{memory:.0f}Mi"}


def _table(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table with their places; the last columns may be missing in a row."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if lacking := [name for name in columns if name not in (rows.fieldnames or ())]:
                raise UsageError(
                    f"{path} must be a table with the columns {', '.join(columns)}; it has no {lacking[0]}"
                )
            for row in rows:
                yield f"{path}, line {rows.line_num}", {name: row[name] or "" for name in columns}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path} is no table: {error}") from error


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table whose first column is a name; see ``_table``.

    Raises:
        UsageError: a name is missing, or is there twice.
    """
    places: dict[str, str] = {}
    for place, row in _table(path, columns):
        name = row[columns[0]]
        if not name:
            raise UsageError(f"{place}: {columns[0]} is empty")
        if name in places:
            raise UsageError(f"{place}: {columns[0]} {name} is there twice, first in {places[name]}")
        places[name] = place
        yield place, row


def _number(place: str, row: Mapping[str, str], column: str) -> float:
    """Return a number of a row; an empty cell is not a number."""
    try:
        number = float(row[column])
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise UsageError(f"{place}: {column} must be a number from 0 on, got {row[column]!r}")
    return number
