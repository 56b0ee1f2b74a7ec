"""``extender``: what an extender costs a scheduler, and how much of that is our server's own.

The floor is the least that a server in Python can do: a thread that takes the names out of a message, unread, and sends
them back. The floor that reads decodes the message, as who decides about the names has to, and encodes the names.
"""

from __future__ import annotations

import itertools
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from statistics import mean
from typing import Any

import click
import pydantic_core

from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, in_turn, print_json, processor_times
from benchmarks.options import bin_option, booted, json_option, runs_option
from schedtest import KubeScheduler
from schedtest._util.progress import Reporter
from schedtest.extender import Extender, ExtenderArgs, ExtenderFilterResult
from schedtest.features.extender.served import Extenders
from schedtest.features.extender.server import MutualTls
from schedtest.features.speed.bursts import Bursts
from schedtest.features.speed.claims import BurstExpectation
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.pods import Pods
from schedtest.provider.ports import LOOPBACK
from schedtest.session import Session
from schedtest.settings import Settings

_NONE = "none"

#: the programs whose CPU time is told: the scheduler starts in it, as without an extender
_PROGRAMS = ("kube-scheduler", "Python", "all")

#: with whole nodes each pod takes so much longer that a part of the pods says as much
_PART = 10


class NoOp(Extender):
    """Lets every node through."""

    def filter(self, args: ExtenderArgs) -> ExtenderFilterResult:
        """Keep the candidates."""
        return args.reject({})


class Floor:
    """A server over mTLS that lets every node through, and does nothing else.

    Args:
        reads: decode the message; else just find where the names are.

    Attributes:
        configuration: its entry for ``extenders:``.
    """

    _LENGTH, _NAMES = re.compile(rb"(?i)content-length: *(\d+)"), re.compile(rb'"NodeNames":\[[^]]*\]')
    _ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"

    def __init__(self, *, reads: bool) -> None:
        self._take_names = self._decoded if reads else self._found
        self._tls = MutualTls.issue(LOOPBACK)
        self._listening = socket.create_server((LOOPBACK, 0))
        self.configuration: dict[str, Any] = {
            "urlPrefix": f"https://{LOOPBACK}:{self._listening.getsockname()[1]}",
            "enableHTTPS": True,
            "tlsConfig": dict(self._tls.client),
            "filterVerb": "filter",
            "nodeCacheCapable": True,
        }
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                connection, _ = self._listening.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), self._tls.context.wrap_socket(connection, server_side=True) as secured:
            received = b""
            while data := secured.recv(2**16):
                received += data
                head, blank, body = received.partition(b"\r\n\r\n")
                length = self._LENGTH.search(head)
                whole = blank and length and len(body) == int(length[1])
                if whole:
                    answer = self._take_names(body)
                    secured.sendall(self._ANSWER % (len(answer), answer))
                    received = b""

    def _found(self, body: bytes) -> bytes:
        names = self._NAMES.search(body)
        assert names is not None  # noqa: S101 - the scheduler sends names
        return b"{%s}" % names[0]

    def _decoded(self, body: bytes) -> bytes:
        return pydantic_core.to_json({"NodeNames": pydantic_core.from_json(body)["NodeNames"]})


@dataclass(frozen=True)
class _Way:
    """How the extender is called: over TLS with certificates of both sides, and with the nodes' names only.

    Attributes:
        tls: whether it is over TLS.
        names: whether it gets names only.
        floor: the ``Floor`` that answers, instead of an extender.
    """

    tls: bool
    names: bool
    floor: Callable[[], Floor] | None = None


_WAYS: Mapping[str, _Way | None] = {
    _NONE: None,
    "HTTP, names": _Way(tls=False, names=True),
    "mTLS, names": _Way(tls=True, names=True),
    "mTLS, names, floor": _Way(tls=True, names=True, floor=partial(Floor, reads=False)),
    "mTLS, names, floor that reads": _Way(tls=True, names=True, floor=partial(Floor, reads=True)),
    "HTTP, whole nodes": _Way(tls=False, names=False),
    "mTLS, whole nodes": _Way(tls=True, names=False),
}


@dataclass(frozen=True)
class _Seen:
    """What a run has shown.

    Attributes:
        rate: pods bound per second, from the first binding to the last.
        handled: milliseconds that our server was busy with a call, on average: from the message to the answer; ``None``
            if another one answered, or none.
        cpu: milliseconds of CPU time for each pod, by program: Python is our server, and the watch of all pods.
    """

    rate: float
    handled: float | None
    cpu: Mapping[str, float]


@click.command(short_help="What an extender costs: HTTP or mTLS, whole nodes or names.")
@click.option("--nodes", "sizes", multiple=True, default=(500, 5000), show_default=True, help="Nodes; may be repeated.")
@click.option(
    "--pods",
    "count",
    default=1000,
    show_default=True,
    help="Pods that wait when the scheduler starts; a tenth with whole nodes.",
)
@runs_option(3)
@json_option
@bin_option
def extender(sizes: Sequence[int], count: int, runs: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - a flag
    """Pods bound per second with no extender, and with one that lets every node through.

    Added is how much longer a pod takes than without an extender. Handled is the part of it in which our server is busy
    with the call: it reads the message, asks the extender, and writes the answer. The rest is kube-scheduler's, which
    writes the message and reads the answer, and the connection's.
    """
    figures = []
    for nodes in sizes:
        figures += _measured(nodes, count, runs, given)
    if as_json:
        print_json("extender", figures, runs=runs, pods=count, nodes=list(sizes))
        return
    for figure in figures:
        for line in figure.lines(ratios_to=[_NONE] if _NONE in figure.values else []):
            click.echo(line)


def _measured(nodes: int, count: int, runs: int, given: Sequence[str]) -> list[Figure]:
    rate = Figure(f"{nodes} nodes, rate", "pods/s", digits=0)
    added, handled, *cpu = (
        Figure(f"{nodes} nodes, {name}", "ms/pod", digits=2)
        for name in ("added", "handled by our server", *(f"CPU of {program}" for program in _PROGRAMS))
    )
    session = booted(Settings(nodes=nodes), given, quiet=False)
    try:
        numbers = itertools.count(1)
        contestants = {
            name: partial(_run, session, numbers, way, count if way is None or way.names else max(2, count // _PART))
            for name, way in _WAYS.items()
        }
        without = 0.0
        for run, name, seen in in_turn(contestants, runs):
            rate.add(name, seen.rate)
            for program, figure in zip(_PROGRAMS, cpu, strict=True):
                figure.add(name, seen.cpu[program])
            if name == _NONE:
                without = 1e3 / seen.rate
            else:
                added.add(name, 1e3 / seen.rate - without)
                if seen.handled is not None:
                    handled.add(name, seen.handled)
            click.echo(f"run {run}: {nodes} nodes, {name:30} {seen.rate:5.0f} pods/s", err=True)
    finally:
        session.close()
    return [rate, added, handled, *cpu]


def _run(session: Session, numbers: Iterator[int], way: _Way | None, count: int) -> _Seen:
    """Make a backlog for a scheduler, start that, and time its bindings."""
    context, name = session.context, f"{NAMESPACE}-{next(numbers)}"
    with ExitStack() as undo:

        def at_end(action: Callable[[], object]) -> None:
            undo.callback(action)

        namespaces = NamespaceSet(context, name)
        undo.callback(Pods(context, namespaces).close)
        make = Bursts(context, namespaces, Reporter(quiet=True), seed=0)
        undo.callback(make.close)
        burst = make(count, scheduler=name)
        served, entries = None, []
        if way is not None and way.floor is not None:
            entries = [undo.enter_context(closing(way.floor())).configuration]
        elif way is not None:
            extenders = Extenders(context, at_end, lambda: 0)
            served = extenders.serve(NoOp(), tls=way.tls)
            entries = [served.configuration(node_cache_capable=way.names)]
        before = processor_times()
        installed = context.installer.install(KubeScheduler(name, extenders=entries, verbosity=0))
        undo.callback(installed.uninstall)
        BurstExpectation(burst.run).bound()
        after = processor_times()
        moments = [at for at, _ in burst.run.bound.values()]
        handled = 1e3 * mean(call.latency for call in served.calls) if served else None
        cpu = {program: 1e3 * (after[program] - before.get(program, 0.0)) / count for program in _PROGRAMS}
        return _Seen((count - 1) / (max(moments) - min(moments)), handled, cpu)
