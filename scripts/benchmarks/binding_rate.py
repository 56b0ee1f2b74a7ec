"""How fast a scheduler binds, by what it counts itself: so it can be said while schedtest watches nothing."""

from __future__ import annotations

import threading

import click

from schedtest._util.clock import SYSTEM, Deadline
from schedtest.features.measurements.throughput import SchedulerMetrics
from schedtest.scheduler.installed import Installed

#: seconds between two looks, and without a further binding before it is given up
_INTERVAL, _PATIENCE = 0.5, 60


class BindingRate:
    """Looks again and again, first of all now and then in a thread of its own, how many pods a scheduler has bound.

    Args:
        scheduler: the scheduler.
        wanted: how many further pods it is to bind; it looks until then.
    """

    def __init__(self, scheduler: Installed, wanted: int) -> None:
        self._scheduler = scheduler
        self._wanted = wanted
        self._bound_before = 0.0
        _, self._bound_before = self._look()
        self._looks = [self._look()]  # before there are pods: the thread may come late
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def result(self) -> float:
        """Return the pods/s from the last look before the first binding to the last binding.

        Raises:
            click.ClickException: not all were bound.
        """
        self._thread.join()
        begun = max(at for at, bound in self._looks if bound == 0)
        ended, bound = self._looks[-1]
        if bound < self._wanted:
            raise click.ClickException(f"{bound:.0f} of {self._wanted} pods were bound, and no more for {_PATIENCE} s")
        return bound / (ended - begun)

    def _look_on(self) -> None:
        most, deadline = -1.0, Deadline(_PATIENCE)
        while most < self._wanted and not deadline.passed():
            self._looks.append(self._look())
            _, bound = self._looks[-1]
            if bound > most:
                most, deadline = bound, Deadline(_PATIENCE)
            SYSTEM.sleep(_INTERVAL)

    def _look(self) -> tuple[float, float]:
        counted = SchedulerMetrics.parsed(self._scheduler.metrics() or "")
        return SYSTEM.monotonic(), counted.scheduled - self._bound_before if counted is not None else 0.0
