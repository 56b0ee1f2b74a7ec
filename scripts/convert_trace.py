"""Make a recording for ``schedtest replay`` from a trace of another program."""

from __future__ import annotations

from pathlib import Path

import click

from foreign_traces import openb, recording, simkube
from schedtest.errors import UsageError
from schedtest.features.replay.traces import ENDING, Trace

#: the readers, by how the name of a trace ends
_READERS = {".sktrace": simkube.read, ".csv": openb.read}

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--nodes", metavar="FILE", type=_FILE, required=True, help="The nodes: YAML for .sktrace, a table for .csv."
)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), required=True, help="The recording, a .tar.gz."
)
@click.argument("trace", type=_FILE)
def main(*, nodes: Path, output: Path, trace: Path) -> None:
    """Make a recording for 'schedtest replay' from TRACE.

    TRACE is a trace of SimKube, version 2 (.sktrace, with nodes as 'kubectl get nodes -o yaml' prints them), or the
    table of pods of Alibaba's openb trace, cluster-trace-gpu-v2023 (.csv, with its table of nodes).

    A trace of SimKube needs the package msgpack: pip install msgpack.
    """
    try:
        recording.write(_read(trace, nodes, output), output)
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    click.echo(output)


def _read(trace: Path, nodes: Path, output: Path) -> Trace:
    if not output.name.endswith(ENDING):
        raise UsageError(f"-o {output}: the name of a recording must end with {ENDING}")
    if trace.suffix not in _READERS:
        raise UsageError(f"{trace} must be a trace whose name ends with {' or '.join(_READERS)}")
    found = _READERS[trace.suffix](trace, nodes)
    if not found.arrivals:
        raise UsageError(f"{trace}: no pod comes in this trace, so there is nothing to replay")
    return found


if __name__ == "__main__":
    main()
