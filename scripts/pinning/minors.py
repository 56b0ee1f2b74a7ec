"""The entries of the supported minors in minors.yaml, and the folders of pins that they name."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import yaml

from pinning import sums
from schedtest._util.version import Version
from schedtest.binaries import kubernetes_release

RELEASES = Path(__file__).parents[2] / "fixtures/schedtest/binaries/releases"

#: the modules of a minor that have versions of their own, and are taken over from the minor before
_KEPT = ("kwok", "kind")


def entry_of(version: Version) -> tuple[dict[str, str], kubernetes_release.Minor]:
    """Return the entry of a version's minor, a new one like that of the minor before, and the minor before."""
    minors = kubernetes_release.supported()
    earlier = [minor for name, minor in minors.items() if Version.of(name)[:2] < version[:2]]
    if not earlier:
        raise click.BadParameter(f"{version}: the oldest minor that is supported is {next(iter(minors))}")
    if version.of_minor in minors:
        return minors[version.of_minor].model_dump(exclude_none=True), earlier[-1]
    return {name: getattr(earlier[-1], name) for name in _KEPT}, earlier[-1]


def write_entry(minor: str, entry: dict[str, str]) -> None:
    """Write the entry of a minor, and remove the pins that no entry names any more."""
    file = RELEASES / "minors.yaml"
    head, _, _ = file.read_text().partition("minors:\n")
    found = yaml.safe_load(file.read_text())["minors"] | {minor: entry}
    lines = [head, "minors:\n"]
    for name in sorted(found, key=Version.of):
        fields = [field for field in kubernetes_release.Minor.model_fields if field in found[name]]
        lines += [f'  "{name}":\n', *(f"    {field}: {found[name][field]}\n" for field in fields)]
    file.write_text("".join(lines))
    for module in ("kubernetes", "node", "etcd", "coredns"):
        named = {each.get(module, each["kubernetes"]) for each in found.values()}
        for folder in (RELEASES / "modules" / module).iterdir():
            if folder.name not in named:
                shutil.rmtree(folder)
    sums.write(RELEASES / "modules")
