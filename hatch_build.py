"""A hook of the build: a wheel has a copy of what ``schedtest init`` writes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: files that the wheel has at another place, from which ``schedtest init`` takes them: a go.sum of 14 kB
_EQUAL = frozenset({"docs/examples/plugin/go.sum"})


class ExamplesInWheel(BuildHookInterface[Any]):
    """Copies the folders that pyproject.toml names into the package.

    An editable install needs no copy: it would be of an older state, and pytest would take it for the whole plugin.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the copies, unless the install is editable."""
        if version == "standard":
            target, root = self.config["target"], Path(self.root)
            for name in self.config["copied"]:
                build_data["force_include"] |= {str(file): f"{target}/{file}" for file in _files(root, name)}


def _files(root: Path, name: str) -> Iterator[Path]:
    """Yield a file, or those of a folder without Go's tests and compiled ones, relative to the root."""
    place = root / name
    for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
        path = file.relative_to(root)
        if file.suffix != ".pyc" and file.is_file() and not file.name.endswith("_test.go") and str(path) not in _EQUAL:
            yield path
