"""A watch of pods that shares nothing with schedtest but the clock: a process that says when it sees each binding."""

from __future__ import annotations

import http.client
import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import yaml

from schedtest._util.clock import SYSTEM

#: bytes that are read at once
_CHUNK = 1 << 16

#: how Python runs this module
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from benchmarks import raw_watch; raw_watch.main()"


class RawWatch:
    """A process that watches the pods of a cluster, as long as the block runs.

    Args:
        kubeconfig: who may watch.
    """

    def __init__(self, kubeconfig: Path) -> None:
        self._kubeconfig = kubeconfig
        self._moments: dict[str, float] = {}
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        argv = [sys.executable, "-c", _PROGRAM, str(Path(__file__).parents[1]), str(self._kubeconfig)]
        self._process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()

    def bound(self, uid: str, seconds: float = 30) -> float:
        """Return when a pod was seen to be bound, in seconds of the monotonic clock.

        Raises:
            TimeoutError: it was not.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: uid in self._moments, seconds):
                raise TimeoutError(f"the raw watch has not seen within {seconds:g} s that pod {uid} is bound")
            return self._moments[uid]

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - for the type checker; PIPE was asked for
        for line in self._process.stdout:
            uid, at = line.split()
            with self._changed:
                self._moments[uid] = float(at)
                self._changed.notify_all()


def main() -> None:
    """Watch the pods, and print the uid of each when it is first seen bound, and the moment."""
    seen = set()
    for line in _lines(*access(Path(sys.argv[2]))):
        at = SYSTEM.monotonic()
        if b'"nodeName":"' not in line:
            continue
        uid = json.loads(line)["object"]["metadata"]["uid"]
        if uid not in seen:
            seen.add(uid)
            print(uid, at, flush=True)  # noqa: T201 - for the process that has started this one


def access(kubeconfig: Path) -> tuple[str, str, str, str]:
    """Return the URL of the API server, and the files of its authority, of the user's certificate and of its key."""
    read = yaml.safe_load(kubeconfig.read_text())
    cluster, user = read["clusters"][0]["cluster"], read["users"][0]["user"]
    return cluster["server"], cluster["certificate-authority"], user["client-certificate"], user["client-key"]


def _lines(server: str, authority: str, certificate: str, key: str) -> Iterator[bytes]:
    context = ssl.create_default_context(cafile=authority)
    context.load_cert_chain(certificate, key)
    address = urlsplit(server)
    version = ""
    while True:  # the API server gives a watch up that does not take events for a moment, as under a burst
        connection = http.client.HTTPSConnection(address.hostname or "", address.port, context=context)
        connection.request("GET", f"/api/v1/pods?watch=true&resourceVersion={version}")
        response, rest = connection.getresponse(), b""
        while chunk := response.read1(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
            for line in lines[-1:]:
                version = json.loads(line)["object"]["metadata"]["resourceVersion"]
        connection.close()
