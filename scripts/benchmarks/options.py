"""Options that several benchmarks have, and the binaries that they choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click

from schedtest._util.progress import Reporter
from schedtest.binaries import kubernetes_release
from schedtest.binaries.binary_options import ToolchainSettings, parse_given
from schedtest.binaries.toolchain import Toolchain
from schedtest.session import Session, boot
from schedtest.settings import Settings

#: how much longer than in tests a wait and a request may take: a machine may be busy, and some deletions are large
_PATIENCE = 10

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
bin_option = click.option("--bin", "given", multiple=True, metavar="NAME=PATH|FOLDER", help="Use these binaries.")


def runs_option(default: int = 5) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option for how often each contestant runs."""
    return click.option("--runs", default=default, show_default=True, help="Runs of each.")


def toolchain(given: Sequence[str]) -> Toolchain:
    """Return where binaries come from; ``given`` are values of ``--bin``."""
    settings = ToolchainSettings(given=tuple(map(parse_given, given)))
    return Toolchain(kubernetes_release.load(), settings, Settings().timeouts, Reporter())


def booted(settings: Settings, given: Sequence[str], *, quiet: bool = True) -> Session:
    """Boot a cluster for a benchmark, with more patience than a test has; ``given`` are values of ``--bin``."""
    patient = replace(settings, timeouts=settings.timeouts.scaled(_PATIENCE))
    return boot(patient, toolchain(given), Path.cwd(), Reporter(quiet=quiet))
