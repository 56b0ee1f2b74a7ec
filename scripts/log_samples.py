"""Take samples of kube-scheduler's log from the evidence of a run: for each message that is read, its first line."""

from __future__ import annotations

from pathlib import Path

import click

from schedtest.scheduler_log import messages


@click.command()
@click.argument("evidence", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(evidence: Path) -> None:
    """Print the samples of a run with ``--evidence=all``, whose folder is EVIDENCE.

    The unit tests read those of every minor, from fixtures/tests/observe/scheduler_log/samples.
    """
    wanted = messages.messages()
    found: dict[str, str] = {}
    for log in sorted(evidence.rglob("*.log")):
        for line in log.read_text(errors="replace").splitlines():
            message = line.partition('] "')[2]
            for text in wanted:
                if text not in found and message.startswith(f'{text}"'):
                    found[text] = line
    click.echo("".join(f"{found[text]}\n" for text in wanted if text in found), nl=False)


if __name__ == "__main__":
    main()
