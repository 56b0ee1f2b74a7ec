"""A run of pytest in a process of its own, and what that has used."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click

from schedtest._util import command

#: run pytest; print the seconds of CPU that the process has used, and the most kB of memory that it has held
_MEASURED = """
import sys, time, pytest
status = pytest.main(sys.argv[1:])
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print("measured", int(status), time.process_time(), peak)
"""


@dataclass(frozen=True)
class Costs:
    """What a run of pytest has used, in its own process.

    Attributes:
        cpu: seconds of CPU time.
        peak: the most MB of memory.
        printed: the lines that it has printed.
    """

    cpu: float
    peak: float
    printed: Sequence[str]


def of_run(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Costs:
    """Run pytest with some arguments.

    Raises:
        click.ClickException: a test has failed.
    """
    argv = [sys.executable, "-c", _MEASURED, "-q", "-p", "no:cacheprovider", *arguments]
    *lines, last = command.run(argv, env=environment).splitlines()
    said = last.split()
    if said[:2] != ["measured", "0"]:
        raise click.ClickException("\n".join([f"the run of pytest failed: {' '.join(arguments)}", *lines]))
    return Costs(float(said[2]), float(said[3]) / 1024, lines)
