"""A first pod, and how long it takes to be bound."""

from __future__ import annotations

import contextlib

import click

from schedtest._util.clock import Deadline
from schedtest.api.client import Api
from schedtest.api.errors import ConflictError
from schedtest.api.kinds import NAMESPACES, PODS, SERVICE_ACCOUNTS
from schedtest.objects import builders

#: the namespace of all that benchmarks make
NAMESPACE = "bench"


def bind(api: Api) -> None:
    """Make a namespace and a pod in it, and wait until it is bound.

    Raises:
        click.ClickException: it was not bound within a minute.
    """
    api.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
    # kwokctl's clusters admit no pod into a namespace before it has this account; we do not wait for a controller.
    with contextlib.suppress(ConflictError):
        api.create(SERVICE_ACCOUNTS, {"metadata": {"name": "default"}}, NAMESPACE)
    spec = {"automountServiceAccountToken": False}
    deadline = Deadline(60)
    pod = api.create(PODS, builders.pod("first", spec=spec), NAMESPACE)
    with_watch = api.watch(PODS, pod["metadata"]["resourceVersion"])
    for event in with_watch:
        if event["object"]["spec"].get("nodeName"):
            with_watch.close()
            return
        if deadline.passed():
            break
    raise click.ClickException("the first pod was not bound within 60 s")
