"""``rediscovery``: after how many minutes a search finds bugs that kube-scheduler is known to have."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import click

from benchmarks.searching import search_result

#: bugs of kube-scheduler 1.35
_BUGS = tuple(f"kubernetes#{number}" for number in (134393, 135392, 135394, 139161, 139602, 141354, 141526, 141953))

#: the bug at the beginning of a line about a find
_BUG = re.compile(r"^(?:known bug: )?(kubernetes#\d+)")


@click.command(context_settings={"ignore_unknown_options": True}, short_help="Known bugs that a search finds.")
@click.option("--seeds", default=5, show_default=True, help="Searches, with the seeds 1, 2, 3 …")
@click.option("--minutes", default=3.0, show_default=True, help="How long each draws plans.")
@click.argument("others", nargs=-1, type=click.UNPROCESSED)
def rediscovery(seeds: int, minutes: float, others: Sequence[str]) -> None:
    """Search the stock kube-scheduler by default strategies, with no plan of an earlier search.

    OTHERS are options of ``schedtest search``, such as --kubernetes 1.35 or --no-screen. Of each bug, the minutes until
    each search names it for the first time are printed, and their median.
    """
    found: list[Mapping[str, float]] = []
    for seed in range(1, seeds + 1):
        result = search_result([f"--seed={seed}", f"--minutes={minutes:g}", *others])
        found.append(by_bug(result))
        for line in (f"seed {seed}: {played(result)}", *lines(found)):
            click.echo(line)


def lines(found: Sequence[Mapping[str, float]]) -> list[str]:
    """Return a line for each bug: in how many searches it was found, the median and all times, in minutes."""
    made = [f"{len(found)} searches"]
    for bug in dict.fromkeys([*_BUGS, *(bug for each in found for bug in each)]):
        times = [each.get(bug, math.inf) / 60 for each in found]
        said = ", ".join("-" if math.isinf(each) else f"{each:.1f}" for each in times)
        middle = statistics.median_low(times)
        median = "not found" if math.isinf(middle) else f"{middle:.1f} min"
        made.append(f"{bug}: {sum(map(math.isfinite, times))} of {len(found)}, median {median} ({said})")
    return made


def played(result: Mapping[str, Any]) -> str:
    """Return how many plans a search has played and screened, in words."""
    screened = result["screened"] or {"obstacle": "", "plans": 0}
    why = f" ({screened['obstacle']})" if screened["obstacle"] else ""
    return f"{result['plans']} plans played, {screened['plans']} screened{why}"


def by_bug(result: Mapping[str, Any]) -> dict[str, float]:
    """Return the seconds until each bug was found, from the result of a search."""
    named = [*result["known"], *(result["screened"] or {}).get("simulated", ())]
    found = [(match[1], each["seconds"]) for each in named if (match := _BUG.match(each["what"]))]
    return dict(sorted(found, key=lambda each: -each[1]))  # the first time counts
