"""What the source of a release tells that this project, or the author of a plugin, relies on: as sets of lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from schedtest._util import yaml_files
from schedtest.binaries.feature_gates import FILE, KnownFeatures

#: the modules of Kubernetes that are read
MODULES = ("kubernetes", "kube-scheduler", "api", "apiserver", "client-go")

#: folders of the scheduler in k8s.io/kubernetes
SCHEDULER = ("pkg/scheduler", "cmd/kube-scheduler")

_MESSAGE = re.compile(r'\.(?:Info|Error|HandleErrorWith\w+)S?\((?:[^"\n]*, )?"([^"]+)"')
_METRIC = re.compile(r'Name:\s+"([a-z_]+)"')
_STRUCT = re.compile(r"^type (\w+) struct \{$(.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'`json:"(\w+)')
_INTERFACE = re.compile(r"^type (\w+) interface \{$(.*?)^\}$", re.MULTILINE | re.DOTALL)
_METHOD = re.compile(r"^\t([A-Z]\w*\(.*)$", re.MULTILINE)
_DECLARED = re.compile(r"^(?:type|func) ([A-Z]\w*)", re.MULTILINE)


def told(folders: Mapping[str, Path], pins: Path) -> Mapping[str, set[str]]:
    """Return what a release tells, by topic.

    Args:
        folders: the source of each of ``MODULES``.
        pins: the folder with the release's ``features.yaml``.
    """
    kubernetes, scheduler = folders["kubernetes"], folders["kube-scheduler"]
    return {
        "Feature gates": set(_gates(pins)),
        "API versions": set(_apis(pins)),
        "Kinds of the API": set(_kinds(kubernetes / "api/discovery")),
        "Fields of the configuration": set(_fields(scheduler / "config/v1")),
        "Interfaces of plugins": set(_interfaces(scheduler / "framework")),
        "Packages of the scheduler": set(_packages(kubernetes)),
        "Metrics of the scheduler": set(_METRIC.findall(_text([kubernetes / "pkg/scheduler/metrics"]))),
        "Rights of kube-scheduler": set(_rights(kubernetes)),
        "Messages of the scheduler's log": set(_MESSAGE.findall(of_scheduler(kubernetes))),
    }


def of_scheduler(kubernetes: Path) -> str:
    """Return the whole source of kube-scheduler."""
    return _text(kubernetes / folder for folder in SCHEDULER)


def _gates(pins: Path) -> Iterator[str]:
    for name, gate in _features(pins).gates.items():
        yield f"{name}: {gate.stage}, {'on' if gate.default else 'off'}{', locked' if gate.locked else ''}"


def _apis(pins: Path) -> Iterator[str]:
    for name, served in _features(pins).apis.items():
        yield f"{name}: {'served' if served else 'not served'}"


def _features(pins: Path) -> KnownFeatures:
    return KnownFeatures.model_validate(yaml_files.read_mapping(pins / FILE, str(pins / FILE)))


def _kinds(folder: Path) -> Iterator[str]:
    """Yield the kinds of all API versions, those included that are not served by default."""
    groups: list[Any] = json.loads((folder / "aggregated_v2.json").read_text())["items"]
    for group in groups:
        for version in group["versions"]:
            for resource in version["resources"]:
                yield f"{resource['responseKind']['kind']} ({group['metadata']['name']}/{version['version']})"


def _fields(folder: Path) -> Iterator[str]:
    for struct, body in _STRUCT.findall(_text([folder])):
        yield from (f"{struct}.{field}" for field in _FIELD.findall(body))


def _interfaces(folder: Path) -> Iterator[str]:
    text = _text([folder])
    yield from _DECLARED.findall(text)
    for interface, body in _INTERFACE.findall(text):
        yield from (f"{interface}.{method}" for method in _METHOD.findall(body))


def _packages(kubernetes: Path) -> Iterator[str]:
    for file in _go_files([kubernetes / "pkg/scheduler"]):
        yield str(file.parent.relative_to(kubernetes))


def _rights(kubernetes: Path) -> Iterator[str]:
    roles = kubernetes / "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata/cluster-roles.yaml"
    found = next(
        role for role in yaml_files.read_first(roles, str(roles))["items"]
        if role["metadata"]["name"] == "system:kube-scheduler"
    )  # fmt: skip
    for rule in found["rules"]:
        for resource in rule.get("resources", rule.get("nonResourceURLs", ())):
            yield f"{', '.join(sorted(rule['verbs']))} {resource} ({', '.join(rule.get('apiGroups', ())) or 'core'})"


def _text(folders: Iterable[Path]) -> str:
    return "\n".join(file.read_text() for file in _go_files(folders))


def _go_files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (file for file in sorted(folder.rglob("*.go")) if not file.name.endswith("_test.go"))
