"""Writes the file with the ``go.sum`` of every pin: see ``schedtest.binaries.go_sums``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schedtest.binaries.go_sums import FILE, WORDS, of


def write(pins: Path, changed: Mapping[str, str] | None = None) -> None:
    """Write the ``go.sum`` of pins, by their names; drop those of pins that have no folder any more."""
    file = pins / FILE
    known = {pin for line in file.read_text().splitlines() for pin in line.split(" ")[WORDS:]}
    sums = {pin: of(pins, pin) for pin in known if (pins / pin).is_dir()} | dict(changed or {})
    having: dict[str, list[str]] = {}
    for pin, lines in sorted(sums.items()):
        for line in lines.splitlines():
            having.setdefault(line, []).append(pin)
    file.write_text("".join(f"{' '.join([line, *having[line]])}\n" for line in sorted(having, key=_place)))


def _place(line: str) -> tuple[str, list[int], list[tuple[int, int, str]], str]:
    """Return the place of a line in the order of Go: module, semantic version, file."""
    module, version, _ = line.split(" ")
    version, _, file = version.partition("/")
    numbers, _, prerelease = version.removeprefix("v").partition("+")[0].partition("-")
    identifiers = [(0, int(each), "") if each.isdigit() else (1, 0, each) for each in prerelease.split(".")]
    return module, [*map(int, numbers.split("."))], identifiers if prerelease else [(2, 0, "")], file
