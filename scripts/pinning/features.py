"""What a release of Kubernetes knows of feature gates and API versions, as its own code registers them."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from schedtest._util import command
from schedtest._util.progress import Reporter
from schedtest.binaries import go_sums
from schedtest.binaries.feature_gates import FILE, KnownFeatures
from schedtest.binaries.golang import Go

PROGRAM = Path(__file__).with_suffix(".go")


def write(go: Go, pins: Path, kubernetes: str, reporter: Reporter) -> None:
    """Write ``features.yaml`` beside the pins of a release; this compiles its API server, which takes minutes."""
    found = _registered(go, pins, reporter)
    lines = [f"# Feature gates and API versions of Kubernetes {kubernetes}; scripts/pin writes this file."]
    gates = {name: gate.model_dump(exclude_defaults=True) for name, gate in sorted(found.gates.items())}
    lines += ["gates:", *(f"  {name}: {{{_written(gate)}}}" for name, gate in gates.items())]
    lines += ["apis:", *(f"  {name}: {json.dumps(on)}" for name, on in sorted(found.apis.items()))]
    (pins / FILE).write_text("\n".join(lines) + "\n")


def _registered(go: Go, pins: Path, reporter: Reporter) -> KnownFeatures:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for file in (pins / "go.mod", PROGRAM):
            shutil.copyfile(file, folder / file.name)
        (folder / "go.sum").write_text(go_sums.of(pins.parents[1], f"{pins.parent.name}/{pins.name}"))
        go.build(folder, PROGRAM.name, {}, folder / "features", reporter)
        return KnownFeatures.model_validate_json(command.run([str(folder / "features")]))


def _written(gate: Mapping[str, object]) -> str:
    """Return a gate's fields as YAML has them between braces."""
    return ", ".join(
        f"{key}: [{', '.join(value)}]" if isinstance(value, list | tuple) else f"{key}: {str(value).lower()}"
        for key, value in gate.items()
    )
