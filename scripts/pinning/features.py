"""What a release of Kubernetes knows of feature gates and API versions, as its source lists them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from schedtest._util.version import Version
from schedtest.binaries.feature_gates import FILE, FeatureGate, KnownFeatures

#: the list that Kubernetes generates of its gates, by the names of their constants; those of client-go are not in it
_LIST = "test/compatibility_lifecycle/reference/versioned_feature_list.yaml"
_SINCE = Version(1, 35)
_GATES = "pkg/features/kube_features.go"
_CLIENT_GATES = "features/known_features.go"
_APIS = "pkg/controlplane/instance.go"

#: what each registry of gates has for all gates of a stage
_EVERY = {name: FeatureGate(stage=name.lower().removeprefix("all"), default=False) for name in ("AllAlpha", "AllBeta")}

_CONSTANT = re.compile(r'^\t(\w+) +(?:featuregate\.)?Feature = "(\w+)"', re.MULTILINE)
_CLIENT_GATE = re.compile(r"^\t(\w+): \{\n((?:\t\t\{.*\},\n)+)\t\},", re.MULTILINE)
_SPECIFIED = re.compile(
    r'Version: version\.MustParse\("(?P<version>[\d.]+)"\), Default: (?P<default>\w+), PreRelease: (?P<preRelease>\w+)'
    r"(?:, LockToDefault: (?P<lockToDefault>\w+))?"
)
_NEEDS = re.compile(r"= map\[featuregate\.Feature\]\[\]featuregate\.Feature\{$(.*?)^\}", re.MULTILINE | re.DOTALL)
_NEEDED = re.compile(r"^\t([\w.]+): +\{([^}]+)\},", re.MULTILINE)

_VERSIONS = re.compile(r"^\t(\w+) = \[\]schema\.GroupVersion\{$(.*?)^\t\}", re.MULTILINE | re.DOTALL)
_VERSION = re.compile(r"(\w+)\.SchemeGroupVersion,")
_IMPORT = re.compile(r'^\t(\w+) "k8s\.io/(api|kubernetes)/([\w/]+)"', re.MULTILINE)
_GROUP = re.compile(r'^const GroupName = "([^"]*)"', re.MULTILINE)


def write(pins: Path, version: str, sources: Mapping[str, Path]) -> None:
    """Write ``features.yaml`` beside the pins of a release.

    ``sources`` has the folders of ``kubernetes``, ``api``, ``apiserver`` and ``client-go``.
    """
    found = KnownFeatures(gates=_gates(Version.of(version), sources), apis=dict(_apis(sources)))
    lines = [f"# Feature gates and API versions of Kubernetes {version}; scripts/pin writes this file."]
    gates = {name: gate.model_dump(exclude_defaults=True) for name, gate in sorted(found.gates.items())}
    lines += ["gates:", *(f"  {name}: {{{_written(gate)}}}" for name, gate in gates.items())]
    lines += ["apis:", *(f"  {name}: {json.dumps(on)}" for name, on in sorted(found.apis.items()))]
    (pins / FILE).write_text("\n".join(lines) + "\n")


def _gates(version: Version, sources: Mapping[str, Path]) -> dict[str, FeatureGate]:
    if version < _SINCE:
        raise click.ClickException(
            f"Kubernetes {version}: its source lists no gates; only 1.35 and later can be pinned"
        )
    texts = [(sources[name] / _GATES).read_text() for name in ("kubernetes", "apiserver")]
    client = (sources["client-go"] / _CLIENT_GATES).read_text()
    names = dict(_CONSTANT.findall("\n".join([*texts, client])))
    needs = {names[gate]: tuple(names[each] for each in needed) for text in texts for gate, needed in _needs(text)}
    listed = {
        each["name"]: each["versionedSpecs"] for each in yaml.safe_load((sources["kubernetes"] / _LIST).read_text())
    }
    listed |= {
        name: [each.groupdict() for each in _SPECIFIED.finditer(body)] for name, body in _CLIENT_GATE.findall(client)
    }
    found = {names.get(name, name): _gate(specified, version) for name, specified in listed.items()}
    return _EVERY | {
        name: gate.model_copy(update={"needs": tuple(sorted(needs.get(name, ())))})
        for name, gate in found.items()
        if gate is not None
    }


def _gate(specified: list[dict[str, Any]], version: Version) -> FeatureGate | None:
    """Return a gate as a release has it; ``None`` if it is of later ones."""
    known = [each for each in specified if Version.of(each["version"])[:2] <= version[:2]]
    if not known:
        return None
    last = max(known, key=lambda each: Version.of(each["version"]))
    stage, on, locked = (str(last[key] or "").lower() for key in ("preRelease", "default", "lockToDefault"))
    return FeatureGate(stage=stage or "ga", default=on == "true", locked=locked == "true")


def _needs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield gates with those that they need."""
    for body in _NEEDS.findall(text):
        for gate, needed in _NEEDED.findall(body):
            words = (each.strip().strip("()") for each in needed.split(","))
            yield gate.rpartition(".")[2], [word.rpartition(".")[2] for word in words if word]


def _apis(sources: Mapping[str, Path]) -> Iterator[tuple[str, bool]]:
    text = (sources["kubernetes"] / _APIS).read_text()
    packages = {name: (sources[module] / path) for name, module, path in _IMPORT.findall(text)}
    for name, body in _VERSIONS.findall(text):
        served = f".EnableVersions({name}...)" in text
        for package in (packages[each] for each in _VERSION.findall(body)):
            group = _GROUP.search((package / "register.go").read_text())
            yield f"{group[1]}/{package.name}".lstrip("/") if group else package.name, served


def _written(gate: Mapping[str, object]) -> str:
    """Return a gate's fields as YAML has them between braces."""
    return ", ".join(
        f"{key}: [{', '.join(value)}]" if isinstance(value, list | tuple) else f"{key}: {str(value).lower()}"
        for key, value in gate.items()
    )
