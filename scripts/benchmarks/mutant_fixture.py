"""The fixture of one mutant, which ``schedtest search --scheduler`` names."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from schedtest import ForkedScheduler
from schedtest.scheduler.installed import InstalledComponent

#: the name of the fixture, and the variable with the path of the patch
NAME, PATCH = "mutant", "SCHEDTEST_BENCH_MUTANT"


@pytest.fixture(name=NAME)
def installed(install: Callable[..., InstalledComponent]) -> InstalledComponent:
    """Return the installed mutant."""
    return install(ForkedScheduler("mutant", patch=os.environ[PATCH]))
