"""Runs of ``schedtest search`` in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click


def search_result(options: Sequence[str], variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the result of a search with ``options``, and with ``variables`` in its environment."""
    argv = [str(Path(sys.executable).with_name("schedtest")), "search", "--json", *options]
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    if not done.stdout.startswith("{"):
        raise click.ClickException(f"schedtest search {' '.join(options)} has ended:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result
