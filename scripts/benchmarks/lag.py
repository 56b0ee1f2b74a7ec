"""``lag``: how long after a binding the claim returns that waits for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import click

from benchmarks.first_pod import NAMESPACE
from benchmarks.measuring import Figure, print_json
from benchmarks.options import bin_option, booted, json_option
from benchmarks.raw_watch import RawWatch
from schedtest._util.clock import SYSTEM
from schedtest._util.progress import Reporter
from schedtest.claims.expect import Expect
from schedtest.objects.namespaces import NamespaceSet
from schedtest.objects.pods import Pods
from schedtest.session import Session
from schedtest.settings import Settings

#: simulated nodes have room for 110 pods each
_ROOM = 110


@click.command(short_help="From a binding to the return of the claim.")
@click.option("--claims", default=300, show_default=True, help="Claims while nothing else happens.")
@click.option("--pods", "size", default=4000, show_default=True, help="Pods of the burst.")
@json_option
@bin_option
def lag(claims: int, size: int, as_json: bool, given: Sequence[str]) -> None:  # noqa: FBT001 - a flag
    """Time from the moment that a watch of its own sees a binding to the return of expect(pod).bound().

    The watch is a process that shares nothing with schedtest. Under a burst the pods that are claimed have a higher
    priority than those of the burst, and claims go on while it is made and until all of its pods are bound. A lag
    below 0 is one where schedtest was faster than the watch.
    """
    nodes = 2 + (claims + 2 * size) // _ROOM
    session = booted(Settings(nodes=nodes), given, quiet=False)
    figure = Figure("lag", "ms", digits=2)
    try:
        with RawWatch(session.cluster.kubeconfig) as watch:
            for condition, seconds in _lags(session, watch, claims, size):
                figure.add(condition, seconds * 1e3)
    finally:
        session.close()
    if as_json:
        print_json("lag", [figure], claims=claims, pods=size, nodes=nodes)
        return
    for line in figure.percentiles():
        click.echo(line)


def _lags(session: Session, watch: RawWatch, claims: int, size: int) -> Iterator[tuple[str, float]]:
    """Yield the condition and the lag of each claim, in seconds."""
    context = session.context
    namespaces = NamespaceSet(context, NAMESPACE)
    pods, more = Pods(context, namespaces), Pods(context, namespaces)
    expect = Expect(context, {}, Reporter(quiet=True))
    first = pods.priority_class("first", 1000)

    def claim() -> float:
        pod = pods.create(priority_class=first)
        expect(pod, timeout=30).bound()
        return SYSTEM.monotonic() - watch.bound(pod.uid)

    for _ in range(10):  # a warm-up
        claim()
    yield from (("idle", claim()) for _ in range(claims))
    with ThreadPoolExecutor(1) as pool:
        burst = pool.submit(more.burst, size)
        while not burst.done() or len(burst.result().run.bound) < size:
            yield "under a burst", claim()
    more.close()
    pods.close()
