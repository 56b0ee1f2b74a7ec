"""Kill pytest at random instants, and look for what its cluster leaves behind."""

from __future__ import annotations

import contextlib
import os
import random
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
import psutil

from schedtest._util.clock import SYSTEM, Deadline

#: seconds after which nothing may be left
_LIMIT = 2.0

_PORT = re.compile(r"--secure-port=([1-9]\d*)")
_ROOT = Path(__file__).parents[1]


@dataclass
class Remains:
    """What a run has left: processes by pid, ports that are taken, run folders."""

    processes: dict[int, str] = field(default_factory=dict)
    ports: list[int] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.processes or self.ports or self.folders)

    def __str__(self) -> str:
        processes = [f"{name} (pid {pid})" for pid, name in self.processes.items()]
        return ", ".join([*processes, *(f"port {port}" for port in self.ports), *map(str, self.folders)])


class Trial:
    """One run of pytest, with a temporary folder of its own."""

    def __init__(self, folder: str, arguments: Sequence[str]) -> None:
        self._folder = folder
        self._ports: set[int] = set()
        with Path(folder, "pytest.log").open("wb") as log:
            self.pytest = subprocess.Popen(
                [sys.executable, "-m", "pytest", "e2e/", *arguments],
                cwd=_ROOT,
                env={**os.environ, "TMPDIR": folder},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for pytest's end, at most ``seconds``; tell whether it has come."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.pytest.wait(seconds)
        return self.pytest.returncode is not None

    def kill(self) -> list[str]:
        """Kill pytest, and return the names of the processes that ran at that moment."""
        alive = dict(self._processes())
        self._ports = {int(port) for pid in alive for port in _PORT.findall(_command_line(pid))}
        self.pytest.kill()
        self.pytest.wait()
        return sorted(alive.values())

    def remains(self) -> Remains:
        """Look for what is left."""
        return Remains(
            dict(self._processes()),
            [port for port in sorted(self._ports) if not _free(port)],
            list(Path(self._folder).glob("schedtest-*/*")),
        )

    def log(self) -> str:
        """Return what pytest printed."""
        return Path(self._folder, "pytest.log").read_text()

    def _processes(self) -> Iterator[tuple[int, str]]:
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("TMPDIR") == self._folder:
                    yield process.pid, process.name()


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--runs", default=20, show_default=True, help="How often to kill.")
@click.option("--seed", type=int, help="Repeat the instants of an earlier call.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def main(runs: int, seed: int | None, pytest_arguments: Sequence[str]) -> None:
    """Kill pytest e2e/ with SIGKILL at random instants; nothing of its cluster may be left 2 s later.

    Every other argument goes to pytest: -k, to kill a part of the suite again and again rather than all of it.
    """
    seed = seed if seed is not None else secrets.randbelow(10**6)
    instants = random.Random(seed)  # noqa: S311 - nothing secret about it
    click.echo("running it once to its end, to see how long that takes …")
    duration = _full_run(pytest_arguments)
    click.echo(f"a full run takes {duration:.1f} s; killing {runs} at random instants (--seed {seed})")
    outcomes = [_kill_one(number, instants.uniform(0, duration), pytest_arguments) for number in range(1, runs + 1)]
    killed, leaks = sum(not ended for ended, _ in outcomes), sum(leak for _, leak in outcomes)
    click.echo(f"{runs} runs, {killed} killed before their end, {leaks} with a leak")
    sys.exit(leaks > 0)


def _full_run(arguments: Sequence[str]) -> float:
    with _trial(arguments) as trial:
        start = SYSTEM.monotonic()
        trial.wait()
        if trial.pytest.returncode != 0:
            raise click.ClickException(f"pytest fails when it is left alone:\n{trial.log()[-3000:]}")
        return SYSTEM.monotonic() - start


def _kill_one(number: int, instant: float, arguments: Sequence[str]) -> tuple[bool, bool]:
    """Kill one run at ``instant``; print what happened, and tell whether it had ended, and whether anything is left."""
    with _trial(arguments) as trial:
        ended = trial.wait(instant)
        alive = trial.kill()
        deadline = Deadline(_LIMIT)
        while (remains := trial.remains()) and not deadline.passed():
            SYSTEM.sleep(0.01)
        said = f"LEAK: {remains}" if remains else f"clean after {_LIMIT - deadline.remaining():.2f} s"
        what = "had ended by itself" if ended else f"alive: {', '.join(alive)}"
        click.echo(f"run {number:2}: killed after {instant:6.3f} s; {said}; {what}")
        return ended, bool(remains)


@contextlib.contextmanager
def _trial(arguments: Sequence[str]) -> Iterator[Trial]:
    with tempfile.TemporaryDirectory(prefix="kill-test-") as folder:
        trial = Trial(folder, arguments)
        try:
            yield trial
        finally:
            trial.kill()
            for pid in trial.remains().processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _command_line(pid: int) -> str:
    try:
        return " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return ""


def _free(port: int) -> bool:
    with socket.socket() as server:
        # As any server does: connections that were closed a moment ago are not in the way.
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


if __name__ == "__main__":
    main()
