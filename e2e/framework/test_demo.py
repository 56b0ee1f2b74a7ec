"""The demonstration of ``scripts/demo``: one shown on a cluster of its own, of which nothing is left."""

import os
import re
import signal
import subprocess
import sys
import threading

import psutil
import pytest

pytestmark = pytest.mark.requires("processes")

#: seconds that a test's demos may take; they are killed then
LONGEST = 180

#: pytest, with Ctrl-C at work even where it is ignored, as in a shell's background
PROGRAM = """
import signal, sys, pytest
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(pytest.main())
"""

#: as ``scripts/demo second`` runs it
SECOND = ("--config-file=pyproject.toml", "-s", "scripts/demonstration/test_demo.py::test_second")


@pytest.fixture
def demo(pytestconfig, binary_options, tmp_path):
    """Start the demo in a temporary folder of its own, with what is given as its standard input."""
    argv = [sys.executable, "-c", PROGRAM, *SECOND, f"--evidence-dir={tmp_path / 'evidence'}", *binary_options]
    started = []

    def start(*arguments, stdin=subprocess.DEVNULL):
        started.append(
            subprocess.Popen(
                [*argv, *arguments],
                cwd=pytestconfig.rootpath,
                env={**os.environ, "TMPDIR": str(tmp_path)},
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
            )
        )
        return started[-1]

    # Its pipes are read without a limit: they end with it.
    alarm = threading.Timer(LONGEST, lambda: [process.kill() for process in started])
    alarm.start()
    yield start
    alarm.cancel()
    for process in started:
        process.kill()
        with process:  # its pipes are closed, and it is waited for
            pass


def left(folder):
    """Return what there is of clusters whose run folders are in ``folder``: folders, and processes at work there."""
    folders = [str(path) for path in folder.glob("schedtest-*/*")]
    places = {process.pid: process.info["cwd"] or "" for process in psutil.process_iter(["cwd"])}
    return folders + [pid for pid, place in places.items() if place.startswith(f"{folder}{os.sep}")]


def read_to(stream, text):
    """Read a stream up to ``text``; what it ends with is shown if it does not come."""
    seen = ""
    while not seen.endswith(text):
        character = stream.read(1)
        assert character, f"{text!r} does not come: {seen}"
        seen += character
    return seen


def test_second_scheduler_is_shown(demo, tmp_path):
    shown = demo("--seed", "7")
    # Control arm: there is something that could be left.
    before = read_to(shown.stdout, "\n2. ")
    assert len(left(tmp_path)) > 1
    # Not communicate(), which would lose what was read ahead.
    after, errors = shown.stdout.read(), shown.stderr.read()
    assert shown.wait(timeout=120) == 0, after + errors

    assert re.search(r"^   other +Running, on node-\d$", before, re.MULTILINE)
    assert re.search(r"^   mine +Pending, not bound to a node$", before, re.MULTILINE)
    assert "   -- schedulerName: default-scheduler\n   +- schedulerName: custom-scheduler\n" in after
    assert re.search(r"^   mine +Running, on (node-\d)\n +Event Scheduled: .*/mine to \1$", after, re.MULTILINE)
    assert re.search(r"^   default-scheduler +10 █+\n   custom-scheduler +10 █+$", after, re.MULTILINE)
    assert "\x1b" not in before + after
    assert "seed 7" in before
    assert left(tmp_path) == []


def test_interrupt_at_a_pause_leaves_nothing(demo, tmp_path):
    ours, theirs = os.openpty()
    shown = demo("--pause", stdin=theirs)
    read_to(shown.stdout, "Enter goes on, Ctrl-C ends …")
    os.write(ours, b"\n")
    assert "\n2. " in read_to(shown.stdout, "Enter goes on, Ctrl-C ends …")
    assert len(left(tmp_path)) > 1
    shown.send_signal(signal.SIGINT)
    shown.communicate(timeout=60)
    assert shown.returncode == pytest.ExitCode.INTERRUPTED
    assert left(tmp_path) == []
    for descriptor in (ours, theirs):
        os.close(descriptor)
