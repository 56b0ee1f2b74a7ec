"""Options that several benchmarks have, and the binaries that they choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from schedtest._util.progress import Reporter
from schedtest.binaries import kubernetes_release
from schedtest.binaries.binary_options import ToolchainSettings, parse_given
from schedtest.binaries.toolchain import Toolchain
from schedtest.settings import Settings

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
bin_option = click.option("--bin", "given", multiple=True, metavar="NAME=PATH|FOLDER", help="Use these binaries.")


def runs_option(default: int = 5) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option for how often each contestant runs."""
    return click.option("--runs", default=default, show_default=True, help="Runs of each.")


def toolchain(given: Sequence[str]) -> Toolchain:
    """Return where binaries come from; ``given`` are values of ``--bin``."""
    settings = ToolchainSettings(given=parse_given(given))
    return Toolchain(kubernetes_release.load(), settings, Settings().timeouts, Reporter())
