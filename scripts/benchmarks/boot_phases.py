"""One boot of ours in a process of its own, and the moments at which its phases end."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.provider.process.process import Supervisor
from schedtest.session import Session, boot
from schedtest.settings import Settings

#: how many nodes the cluster has
NODES = 5

#: the phases by the moments that end them; the first one begins when the process is started
PHASES: Mapping[str, str] = {
    "imported": "Python, imports",
    "etcd": "folder, keys",
    "kube-controller-manager": "etcd, API server",
    "booted": "the others",
    "bound": "first pod bound",
    "nodes": "nodes Ready",
    "closed": "tear-down",
}

#: how Python runs this module: without what other benchmarks import
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from benchmarks import boot_phases; boot_phases.main()"


def measured(given: Sequence[str]) -> dict[str, float]:
    """Boot in a new process; return the seconds that each phase took, and since the start until each moment.

    Args:
        given: values of ``--bin``.

    Raises:
        subprocess.CalledProcessError: it did not boot.
    """
    argv = [sys.executable, "-c", _PROGRAM, str(Path(__file__).parents[1]), *given]
    start = SYSTEM.monotonic()
    printed = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
    moments = {"": start, **json.loads(printed)}
    lengths = {PHASES[end]: moments[end] - moments[begin] for begin, end in itertools.pairwise(["", *PHASES])}
    return {**lengths, "whole": moments["bound"] - start, "cluster": moments["booted"] - moments["imported"]}


def main() -> None:
    """Boot, bind a pod, wait for the nodes, and end; print the moments."""
    from benchmarks import first_pod
    from benchmarks.options import toolchain

    moments: dict[str, float] = {"imported": SYSTEM.monotonic()}
    _note_starts(moments)
    session = boot(Settings(nodes=NODES), toolchain(sys.argv[2:]), Path.cwd(), Reporter(quiet=True))
    try:
        moments["booted"] = SYSTEM.monotonic()
        first_pod.bind(session.cluster.api)
        moments["bound"] = SYSTEM.monotonic()
        session.context.wait_until(lambda: _ready(session) == NODES, "every node to be Ready")
        moments["nodes"] = SYSTEM.monotonic()
    finally:
        session.close()
    moments["closed"] = SYSTEM.monotonic()
    print(json.dumps(moments))  # noqa: T201 - for the process that has started this one


def _note_starts(moments: dict[str, float]) -> None:
    """Note when each part of the control plane is started: the parts before it are there then."""
    start: Callable[..., Any] = Supervisor.start

    def noted(supervisor: Supervisor, name: str, *rest: Any) -> Any:
        moments.setdefault(name, SYSTEM.monotonic())
        return start(supervisor, name, *rest)

    Supervisor.start = noted  # type: ignore[assignment, method-assign]


def _ready(session: Session) -> int:
    from schedtest.api.kinds import NODES as KIND

    conditions = (node.get("status", {}).get("conditions", []) for node in session.context.journal.objects(KIND))
    return sum(any(c["type"] == "Ready" and c["status"] == "True" for c in each) for each in conditions)
