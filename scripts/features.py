"""Write what a release of Kubernetes knows of feature gates and API versions, as its own code registers them."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from schedtest._util import command
from schedtest._util.progress import Reporter
from schedtest.binaries import golang, kubernetes_release
from schedtest.binaries.binary_options import ToolchainSettings
from schedtest.binaries.feature_gates import FILE

PROGRAM = Path(__file__).with_suffix(".go")


@click.command()
@click.argument("minors", metavar="[MINOR]...", nargs=-1)
def main(minors: tuple[str, ...]) -> None:
    """Write features.yaml beside the pins of each MINOR, such as 1.37; of every supported one by default."""
    for minor in minors or kubernetes_release.supported():
        release = kubernetes_release.load(minor)
        pins = release.module("kube-apiserver")
        known = registered(pins)
        lines = [
            f"# Feature gates and API versions of Kubernetes {release.kubernetes}; scripts/features writes this file."
        ]
        lines += ["gates:", *(f"  {name}: {{{_written(gate)}}}" for name, gate in sorted(known["gates"].items()))]
        lines += ["apis:", *(f"  {name}: {json.dumps(on)}" for name, on in sorted(known["apis"].items()))]
        (pins / FILE).write_text("\n".join(lines) + "\n")
        click.echo(pins / FILE)


def registered(pins: Path) -> dict[str, dict[str, Any]]:
    """Return the gates and API versions of the release that a folder pins."""
    reporter = Reporter()
    go = golang.provide(golang.required_version(pins), ToolchainSettings().cache / "go", reporter)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for file in (pins / "go.mod", pins / "go.sum", PROGRAM):
            shutil.copyfile(file, folder / file.name)
        go.build(folder, PROGRAM.name, {}, folder / "features", reporter)
        printed = command.run([str(folder / "features")])
    known: dict[str, dict[str, Any]] = json.loads(printed)
    return known


def _written(gate: Mapping[str, object]) -> str:
    """Return a gate's fields as YAML has them between braces."""
    return ", ".join(
        f"{key}: [{', '.join(value)}]" if isinstance(value, list) else f"{key}: {str(value).lower()}"
        for key, value in gate.items()
    )


if __name__ == "__main__":
    main()
