"""Write docs/failures.md: provoke each failure of e2e/framework/test_failures.py, and show its message.

A failure that is not provoked, as by ``-k`` or on simulated nodes, keeps the message that the page has.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: the sections in their order: the test's name, a title, and what the reader sees
SECTIONS = {
    "wrong_label": ("Wrong label", "The node has `disk=hdd`, and the pod wants `disk=ssd`."),
    "insufficient_cpu": ("Insufficient CPU", "The pod requests 2 CPUs, and each claimed node has 1."),
    "taint": ("Taint", "The claimed node has a taint that the pod does not tolerate."),
    "extender_down": ("Extender down", "The extender's server does not run."),
    "extender_says_no": ("Extender says no", "The extender's filter rejects every node."),
    "wrong_scheduler_name": ("Wrong schedulerName", "The pod's `schedulerName` has a typing error."),
    "gang_below_quorum": ("Gang below quorum", "Two pods of a group of three exist."),
    "crashed_scheduler": ("Crashed scheduler", "The test killed the scheduler with `kill()`."),
    "scheduler_that_ended_by_itself": ("Scheduler that ended by itself", "Its process died, and no test asked for it."),
    "killed_api_server": (
        "API server killed",
        "The API server was killed: no failure of the scheduler under test.",
    ),
    "image_missing": ("Image missing", "The container's image does not exist. Seen on real nodes only."),
}

_HEAD = """# Failures

What the usual failures look like: the message of pytest, without the lines of the test around it. `scripts/failures`
writes this page from real runs of `e2e/framework/test_failures.py`, which demands that the cause is among the first
40 lines of 120 columns.
"""

_MISSING = "Not seen yet: `scripts/failures --provider kind -k image_missing` adds it."


def main() -> int:
    """Run the tests, and write the page; return their exit status."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "e2e/framework/test_failures.py", "-q", *sys.argv[1:]]
        status = subprocess.run(command, cwd=ROOT, env={**os.environ, "SCHEDTEST_FAILURES": folder}).returncode
        seen = {title: Path(folder, f"{name}.txt") for name, (title, _) in SECTIONS.items()}
        messages = {title: file.read_text() for title, file in seen.items() if file.exists()}
    page = ROOT / "docs" / "failures.md"
    page.parent.mkdir(exist_ok=True)
    before = _messages(page.read_text()) if page.exists() else {}
    sections = [
        _section(title, explanation, (before | messages).get(title)) for title, explanation in SECTIONS.values()
    ]
    page.write_text("\n".join([_HEAD, *sections]))
    return status


def _section(title: str, explanation: str, message: str | None) -> str:
    shown = _MISSING if message is None else f"```text\n{message.rstrip()}\n```"
    return f"## {title}\n\n{explanation}\n\n{shown}\n"


def _messages(page: str) -> dict[str, str]:
    """Return the messages of a page by title: a run that provokes only some of the failures leaves the others."""
    return dict(re.findall(r"^## (.+)\n(?:(?!## ).*\n)*?```text\n((?:.*\n)*?)```$", page, flags=re.MULTILINE))


if __name__ == "__main__":
    raise SystemExit(main())
