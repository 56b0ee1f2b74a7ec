"""The peer: a cluster that kwokctl makes of the same binaries."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from schedtest._util import command
from schedtest._util.clock import SYSTEM
from schedtest.binaries.toolchain import Executable

_NAME = "bench"


@dataclass
class Kwokctl:
    """A cluster of kwokctl's.

    Attributes:
        kubeconfig: an administrator's.
        started: when its creation began, in seconds of the monotonic clock.
        torn_down: how many seconds its removal took; 0 before that.
    """

    kubeconfig: Path
    started: float
    _argv: list[str]
    _environment: Mapping[str, str]
    torn_down: float = 0.0

    def run(self, *arguments: str) -> None:
        """Run kwokctl for this cluster."""
        command.run([*self._argv, *arguments, "--name", _NAME], env=self._environment)


@contextmanager
def cluster(binaries: Mapping[str, Executable]) -> Iterator[Kwokctl]:
    """Give a cluster without nodes, and remove it at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as folder:
        environment = {"KWOK_WORKDIR": f"{folder}/work", "HOME": folder, "PATH": "/usr/bin:/bin"}
        kubeconfig = Path(folder) / "kubeconfig"
        made = Kwokctl(kubeconfig, SYSTEM.monotonic(), [str(binaries["kwokctl"].path)], environment)
        parts = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
        paths = [f"--{part}-binary={binaries[part].path}" for part in parts]
        paths.append(f"--kwok-controller-binary={binaries['kwok'].path}")
        try:
            made.run("create", "cluster", "--runtime=binary", "--wait=60s", *paths, "--kubeconfig", str(kubeconfig))
            yield made
        finally:
            ended = SYSTEM.monotonic()
            made.run("delete", "cluster", "--kubeconfig", str(kubeconfig))
            made.torn_down = SYSTEM.monotonic() - ended
