"""Traces of SimKube, version 2: objects that make pods, and how long the pods ran."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from foreign_traces.recording import beginning
from schedtest._util.text import counted
from schedtest.api.kinds import PODS, Object
from schedtest.errors import UsageError
from schedtest.features.replay.traces import Arrival, Trace
from schedtest.features.snapshot.anonymise import StandIns, anonymised
from schedtest.scheduler.manifests import load as manifests

#: the version of SimKube's format
_SIMKUBE = 2

#: where kinds have the template of their pods, unless the trace says so
_TEMPLATES = {"Pod": "", "CronJob": "/spec/jobTemplate/spec/template"}


def read(path: Path, nodes: Path) -> Trace:
    """Return the trace in a file of SimKube, with nodes from YAML.

    Raises:
        UsageError: a file is of another form or not whole, or msgpack is missing.
    """
    found = _unpacked(path)
    if found.get("version") != _SIMKUBE:
        raise UsageError(f"{path} must have the version {_SIMKUBE} of SimKube's format, got {found.get('version')!r}")
    try:
        return _SimKube(path, found).trace(_nodes(nodes))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise UsageError(f"{path} is no trace of SimKube: {type(error).__name__}: {error}") from error


def _unpacked(path: Path) -> dict[str, Any]:
    try:
        import msgpack
    except ImportError as error:
        raise UsageError(f"{path}: a trace of SimKube needs msgpack: pip install msgpack") from error
    try:
        # The keys of the pods' lifetimes are pairs, which only tuples can be.
        found = msgpack.unpackb(path.read_bytes(), strict_map_key=False, use_list=False)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise UsageError(f"{path} is no whole msgpack file: {error or 'it ends too early'}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} is no trace of SimKube: it has {type(found).__name__}, and no map")
    return found


def _nodes(path: Path) -> list[Object]:
    """Read nodes from YAML, such as ``kubectl get nodes -o yaml`` prints."""
    bodies = manifests.given(path, Path.cwd(), "--nodes")
    others = manifests.counts(body for body in bodies if body["kind"] != "Node")
    if others or not bodies:
        raise UsageError(f"--nodes {path} contains {others or 'nothing'}; only nodes are allowed there")
    return bodies


def _lists(value: Any) -> Any:
    """Return a value with lists in place of tuples."""
    if isinstance(value, dict):
        return {key: _lists(each) for key, each in value.items()}
    return [_lists(each) for each in value] if isinstance(value, tuple) else value


@dataclass
class _Owner:
    """An object that has pods: states with times, and its deletion."""

    states: list[tuple[float, Object]] = field(default_factory=list)
    deleted: float | None = None

    def at(self, seconds: float) -> Object:
        """Return the object's state at a time; the first state for earlier times."""
        return next((body for since, body in reversed(self.states) if since <= seconds), self.states[0][1])


class _SimKube:
    """A SimKube trace: objects that make pods, and the pods' run times."""

    def __init__(self, path: Path, found: Mapping[str, Any]) -> None:
        self._path = path
        self._events = found["events"]
        self._lifetimes: Mapping[tuple[str, str], Mapping[int, Any]] = found["pod_lifecycles"]
        self._templates = {
            kind: (each.get("podSpecTemplatePaths") or (None,))[0]
            for kind, each in found["config"]["trackedObjects"].items()
        }
        self._begin = float(min((event["ts"] for event in self._events), default=0))
        self._left_out: dict[str, None] = {}
        #: the numbers of the pods of objects with the same name, whatever their kind
        self._numbers: dict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))
        self._stand_ins = StandIns(b"", keep=True)

    def trace(self, nodes: Sequence[Object]) -> Trace:
        owners = self._owners()
        arrivals = sorted(
            (each for key, owner in owners.items() for each in self._arrivals(key, owner)), key=lambda each: each.at
        )
        if strays := [key for key in self._lifetimes if key not in owners]:
            self._leave_out(
                f"Pods of {counted(len(strays), 'object')} that the trace does not have, as {strays[0][1]}."
            )
        ends = [self._seconds(event["ts"]) for event in self._events]
        ends += [each.at + (each.runs or 0.0) for each in arrivals]
        return Trace(
            source=self._path.name,
            start=beginning({"Node": nodes}),
            arrivals=tuple(arrivals),
            seconds=max(ends, default=0.0),
            left_out=tuple(self._left_out),
        )

    def _seconds(self, timestamp: float) -> float:
        return max(0.0, float(timestamp) - self._begin)

    def _leave_out(self, sentence: str) -> None:
        self._left_out[sentence] = None

    def _owners(self) -> dict[tuple[str, str], _Owner]:
        found: dict[tuple[str, str], _Owner] = defaultdict(_Owner)
        for event in sorted(self._events, key=lambda event: float(event["ts"])):
            for body in event["applied_objs"]:
                found[_key(body)].states.append((self._seconds(event["ts"]), _lists(body)))
            for body in event["deleted_objs"]:
                if _key(body) in found:
                    found[_key(body)].deleted = self._seconds(event["ts"])
        return found

    def _arrivals(self, key: tuple[str, str], owner: _Owner) -> list[Arrival]:
        names = (f"{key[1].rpartition('/')[2]}-{number}" for number in self._numbers[key[1]])
        if key in self._lifetimes:
            lifetimes = [each for group in self._lifetimes[key].values() for each in group]
            return [each for life in lifetimes for each in self._lived(key, owner, life, next(names))]
        kind = key[0].rpartition(".")[2]
        if kind == "Pod":
            body = self._pod(key, owner.states[0][1], next(names))
            return [Arrival(owner.states[0][0], body, until=owner.deleted)]
        if "replicas" in owner.states[0][1]["spec"] or kind in ("Deployment", "StatefulSet", "ReplicaSet"):
            return self._scaled(key, owner, names)
        self._leave_out(f"{kind} {key[1]}: the trace does not say when its pods have run.")
        return []

    def _lived(self, key: tuple[str, str], owner: _Owner, life: Any, name: str) -> Iterator[Arrival]:
        """Yield the pod of a lifetime, unless it ended before the trace began, or never ran."""
        match life:
            case {"Finished": (began, ended)} if ended > self._begin:
                at = self._seconds(began)
                yield Arrival(at, self._pod(key, owner.at(at), name), runs=self._seconds(ended) - at)
            case {"Running": began}:
                at = self._seconds(began)
                yield Arrival(at, self._pod(key, owner.at(at), name), until=owner.deleted)
            case "Empty":
                self._leave_out("Pods that have never run.")
            case {"Finished": _}:
                pass
            case _:
                raise ValueError(f"a lifetime is {life!r}")

    def _scaled(self, key: tuple[str, str], owner: _Owner, names: Iterator[str]) -> list[Arrival]:
        """Return the pods of an object with replicas: the latest ones go first when it shrinks."""
        running: list[Arrival] = []
        gone: list[Arrival] = []
        template: Object = {}
        for at, body in [*owner.states, *([] if owner.deleted is None else [(owner.deleted, None)])]:
            count = 0 if body is None else int(body["spec"].get("replicas", 1))
            if body is not None and (changed := self._template(key, body)) != template:
                # All pods of a new template are new, as after a rollout.
                template, keep = changed, 0
            else:
                keep = min(count, len(running))
            gone += [replace(each, until=at) for each in running[keep:]]
            del running[keep:]
            if body is not None:
                running += [Arrival(at, self._pod(key, body, next(names))) for _ in range(count - keep)]
        return [*gone, *running]

    def _template(self, key: tuple[str, str], body: Object) -> Object:
        kind = key[0].rpartition(".")[2]
        path = self._templates.get(key[0])
        path = _TEMPLATES.get(kind, "/spec/template") if path is None else path
        found: Any = body
        for part in filter(None, path.split("/")):
            found = found[part]
        return dict(found)

    def _pod(self, key: tuple[str, str], body: Object, name: str) -> Object:
        template = self._template(key, body)
        spec = {field: value for field, value in template["spec"].items() if field != "nodeName"}
        if any("persistentVolumeClaim" in volume for volume in spec.get("volumes") or ()):
            self._leave_out("Claims of volumes: pods run without them.")
            spec["volumes"] = [each for each in spec["volumes"] if "persistentVolumeClaim" not in each]
        metadata = {
            "name": name,
            "namespace": key[1].partition("/")[0],
            "labels": (template.get("metadata") or {}).get("labels") or {},
        }
        kept = anonymised(PODS, {"metadata": metadata, "spec": spec}, self._stand_ins)
        kept.pop("status", None)
        return kept


def _key(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return how a trace of SimKube names an object: ``apps/v1.Deployment`` and ``namespace/name``."""
    metadata = body["metadata"]
    return f"{body['apiVersion']}.{body['kind']}", f"{metadata.get('namespace', '')}/{metadata['name']}"
