"""The floor of a boot: etcd and kube-apiserver alone, with the flags that ours have, until the API server answers."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click

from schedtest._util.clock import SYSTEM, Deadline
from schedtest.api.client import Api
from schedtest.binaries.toolchain import Executable
from schedtest.provider import local
from schedtest.provider.certificates import Authority
from schedtest.provider.ports import ReservedPort

#: seconds between two questions whether it answers
_INTERVAL = 0.01


@dataclass(frozen=True)
class Floor:
    """Seconds since etcd was started until the API server gives its version, and until it calls itself ready."""

    version: float
    ready: float


def measured(binaries: Mapping[str, Executable]) -> Floor:
    """Start both at once, as ours does, and time them; keys are made, and the client is loaded, before.

    Raises:
        click.ClickException: it was not ready within a minute.
    """
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="schedtest-bench-")))
        port = undo.enter_context(ReservedPort())
        authority = Authority(folder / "identities")
        client = authority.client("admin", "schedtest:admin", "system:masters")
        kubeconfig = authority.kubeconfig("admin", f"https://127.0.0.1:{port.number}", client)
        signing = authority.client("service-accounts", "service-accounts").key
        serving = authority.server("kube-apiserver", "127.0.0.1")
        api = Api(kubeconfig, timeout=5)
        undo.callback(api.close)
        etcd = local.etcd_command(binaries["etcd"].path, folder / "etcd")
        server = local.api_server_command(
            binaries["kube-apiserver"].path, port.number, serving, authority.certificate, signing
        )
        start = SYSTEM.monotonic()
        for argv, more in ((etcd, {}), (server, local.ENVIRONMENT)):
            undo.enter_context(_Running(argv, folder, more))
        return Floor(_until(api, "/version") - start, _until(api, "/readyz") - start)


class _Running:
    """A process that is killed at the end of a block."""

    def __init__(self, argv: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            argv, cwd=folder, env={**os.environ, **environment}, stdin=quiet, stdout=quiet, stderr=quiet
        )

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def _until(api: Api, path: str) -> float:
    """Ask until the answer is good; return when that was."""
    deadline = Deadline(60)
    while seen := api.probe(path):
        if deadline.passed():
            raise click.ClickException(f"the API server alone does not come up: {seen}")
        SYSTEM.sleep(_INTERVAL)
    return SYSTEM.monotonic()
