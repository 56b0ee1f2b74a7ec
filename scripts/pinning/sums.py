"""Writes the file with the ``go.sum`` of every pin: see ``schedtest.binaries.go_sums``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schedtest.binaries.go_sums import FILE, WORDS


def write(pins: Path, changed: Mapping[str, str] | None = None) -> None:
    """Write the ``go.sum`` of pins, by their names; drop those of pins that have no folder any more."""
    changed, file = changed or {}, pins / FILE
    kept = {f"{folder.parent.name}/{folder.name}" for folder in pins.glob("*/*")} - changed.keys()
    having: dict[str, set[str]] = {}
    for words in (line.split(" ") for line in file.read_text().splitlines()):
        having[" ".join(words[:WORDS])] = kept.intersection(words[WORDS:])
    for pin, lines in changed.items():
        for line in lines.splitlines():
            having.setdefault(line, set()).add(pin)
    written = (" ".join([line, *sorted(having[line])]) for line in sorted(having, key=_place) if having[line])
    file.write_text("".join(f"{line}\n" for line in written))


def _place(line: str) -> tuple[str, list[int], list[tuple[int, int, str]], str]:
    """Return the place of a line in the order of Go: module, semantic version, file."""
    module, version, _ = line.split(" ")
    version, _, file = version.partition("/")
    numbers, _, prerelease = version.removeprefix("v").partition("+")[0].partition("-")
    identifiers = [(0, int(each), "") if each.isdigit() else (1, 0, each) for each in prerelease.split(".")]
    return module, [*map(int, numbers.split("."))], identifiers if prerelease else [(2, 0, "")], file
