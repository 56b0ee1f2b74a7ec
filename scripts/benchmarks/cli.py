"""The command ``scripts/bench``."""

from __future__ import annotations

import click

from benchmarks.bindings import bindings
from benchmarks.boot import boot_
from benchmarks.cost import cost
from benchmarks.extender import extender
from benchmarks.lag import lag
from benchmarks.mutants import mutants
from benchmarks.plugin import plugin
from benchmarks.properties import properties
from benchmarks.recording import recording
from benchmarks.rediscovery import rediscovery
from benchmarks.scale import scale
from benchmarks.simulation import simulation
from benchmarks.snapshot import snapshot
from benchmarks.throughput import throughput
from benchmarks.upgrade import upgrade


@click.group()
def main() -> None:
    """Measure schedtest, where there is one in turn with a peer. Medians over several runs on the same machine."""


_SPEED = (boot_, scale, throughput, cost, bindings, extender, lag, recording, snapshot, plugin)

for each in (*_SPEED, properties, simulation, rediscovery, mutants, upgrade):
    main.add_command(each)
