"""How often claims about chance fail, of schedulers that are right and of those that are not: tables in Markdown."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import click
import numpy as np

from schedtest.features.chance.claims import PodSource
from schedtest.features.chance.placements import BATCH
from schedtest.objects.pods import PodHandle
from schedtest.statistics.comparison import Gate
from schedtest.statistics.exact import Ints
from schedtest.statistics.sample_size import Design
from simulation import (
    COIN,
    NOISE,
    agreeing,
    cycling,
    draws,
    gains,
    late,
    lower_bound,
    nodes,
    once,
    repeating,
    sequential,
    slow_bindings,
    twice_as_often,
    upper_bound,
    verdicts,
)

DICE = nodes(11)
UNEVEN = {"big": 5.0, "middle": 3.0, "small": 1.0, "tiny": 0.5}
FIVE_COINS = tuple("abcde")

#: an alpha at which a simulation sees false alarms
VISIBLE = 0.01


@click.group()
def main() -> None:
    """Simulate claims about chance, through the code that tests go through. Rates have their 95 % intervals."""


runs_option = click.option("--runs", default=2000, show_default=True, help="Tests for each rate.")
seed_option = click.option("--seed", default=1, show_default=True, help="What all chance follows from.")


@main.command("gate")
@runs_option
@seed_option
def gate(runs: int, seed: int) -> None:
    """Performance gates at the default rates: how often they fail and pass, and after how many pairs."""
    declared = Gate()
    _row("noise", "of each measurement", "loss", "fails", "passes", "inconclusive", "pairs, median", "95 % at most")
    _row(*["---"] * 8)
    sizes = [("normal", size) for size in (0.02, 0.05, 0.10, 0.15)]
    for kind, size in [*sizes, *((kind, 0.05) for kind in NOISE if kind != "normal")]:
        for loss in (0.0, 0.05, 0.10, 0.20):
            failed, passed, pairs = verdicts(gains(kind, seed, runs, loss=loss, size=size), declared)
            rates = [_rate(found) for found in (failed, passed, ~(failed | passed))]
            lengths = [f"{np.quantile(pairs, part):.0f}" for part in (0.5, 0.95)]
            _row(kind, f"{100 * size:g} %", f"{100 * loss:g} %", *rates, *lengths)


@main.command("stalls")
@runs_option
@seed_option
def stalls(runs: int, seed: int) -> None:
    """Performance gates of a candidate that is as fast, but for bursts in which it stalls."""
    _row("bursts that stall", "times slower", "at_least", "fails", "passes", "passes without a pair that shows it")
    _row(*["---"] * 6)
    for (share, slower), least in itertools.product(((0.1, 3), (0.2, 3), (0.2, 10), (0.3, 5), (0.4, 5)), (5, 14, 29)):
        found = gains("normal", seed, runs, size=0.02, stalls=(share, slower))
        failed, passed, pairs = verdicts(found, Gate(at_least=least))
        shown = (found < -0.5) & (np.arange(found.shape[1]) < pairs[:, np.newaxis])
        rates = [_rate(each) for each in (failed, passed, passed & ~shown.any(axis=1))]
        _row(f"{100 * share:g} %", f"{slower} x", least, *rates)


@main.command("alarms")
@runs_option
@seed_option
def alarms(runs: int, seed: int) -> None:
    """False alarms of a correct scheduler of which one node binds slower than the others; declared is 0.01."""
    _row("nodes", "a binding to one node takes", "draws ordered by", "n", "fixed", "sequential")
    _row(*["---"] * 6)
    for count, slowness in itertools.product((2, 5), (1, 20, 35, 50)):
        design = Design.to_catch(nodes(count), alpha=VISIBLE)
        decided = draws(seed, design.weights, runs, design.n)
        orders = {"creation": _through_the_source(decided), "binding": slow_bindings(seed, decided, slowness)}
        for name, drawn in orders.items():
            _row(count, f"{slowness} x", name, design.n, *_rates(design, drawn))


@main.command("dependence")
@runs_option
@seed_option
def dependence(runs: int, seed: int) -> None:
    """Power at the default error rates: a repeat, or the agreement of two coins, that is too likely."""
    _row("claim", "dependence", "instead of", "n", "fixed", "sequential", "draws on average")
    _row(*["---"] * 7)
    claims: Mapping[str, tuple[Mapping[str, float], int]] = {
        "a coin": (COIN, 1),
        "5 nodes": (nodes(5), 1),
        "10 nodes": (nodes(10), 1),
        "dice from 0 to 10": (DICE, 1),
        "weights 5, 3, 1, 0.5": (UNEVEN, 1),
        "5 coins, two of which agree": (COIN, 5),
    }
    for (name, (weights, count)), ratio in itertools.product(claims.items(), (1.5, 2.0, 3.0)):
        design = Design.to_catch(weights, sequences=FIVE_COINS[:count] if count > 1 else ("",))
        for lag in (1, 10) if count == 1 else (0,):
            drawn = (
                repeating(seed, design.weights, runs, design.n, lag, ratio)
                if lag
                else agreeing(seed, design.weights, runs, design.n, count, ratio)
            )
            same, claimed = _same(drawn, lag), float(np.square(design.weights).sum())
            what = f"{name}, {lag} back" if lag else name
            stopped = sequential(design, drawn).stopped.mean()
            _row(what, ratio, f"{same:.2f} for {claimed:.2f}", design.n, *_rates(design, drawn), f"{stopped:.0f}")


@main.command("cycles")
@runs_option
@seed_option
def cycles(runs: int, seed: int) -> None:
    """Power at the default error rates: draws that come again in the same order."""
    _row("claim", "length of the cycle", "n", "fixed", "sequential")
    _row(*["---"] * 5)
    claims = {"a coin": (COIN, (15, 31, 63, 127, 250)), "5 nodes": (nodes(5), (12, 50, 127, 300))}
    for name, (weights, lengths) in claims.items():
        design = Design.to_catch(weights)
        for length in (*lengths, design.n * 3 // 4):
            _row(name, length, design.n, *_rates(design, cycling(seed, design.weights, runs, design.n, length)))


@main.command("late")
@runs_option
@seed_option
def late_faults(runs: int, seed: int) -> None:
    """Power at the default error rates: a scheduler of 5 nodes that is right at first, and then no more."""
    designs = [Design.to_catch(nodes(5)).extended(at_least) for at_least in (0, 1440)]
    columns = [f"{way}, n = {design.n}" for design in designs for way in ("fixed", "sequential")]
    _row("fault", "after", *columns)
    _row(*["---"] * (2 + len(columns)))
    faults = {
        "the first node always": [1.0, 0.0, 0.0, 0.0, 0.0],
        "never the first node": [0.0, 1.0, 1.0, 1.0, 1.0],
        "the first node twice as likely": twice_as_often(5),
    }
    for (name, weights), after in itertools.product(faults.items(), (300, 600, 900)):
        rates = [
            rate
            for design, at_least in zip(designs, (0, 1440), strict=True)
            for rate in _rates(design, late(seed, design.weights, runs, design.n, after, weights), at_least)
        ]
        _row(name, after, *rates)


@main.command("draws")
@runs_option
@seed_option
def cost(runs: int, seed: int) -> None:
    """Draws that claims take at the default error rates, in the mean if sequential."""
    _row("categories", "fixed", "sequential, right", "sequential, one twice as likely")
    _row(*["---"] * 4)
    for count in (2, 5, 10, 11):
        design = Design.to_catch(nodes(count))
        right = sequential(design, draws(seed, design.weights, runs, design.n)).stopped.mean()
        wrong = sequential(design, draws(seed, twice_as_often(count), runs, design.n)).stopped.mean()
        _row(count, design.n, f"{right:.0f}", f"{wrong:.0f}")


@dataclass(frozen=True)
class _Pod:
    number: int


def _through_the_source(decided: Ints) -> Ints:
    """Return draws as ``PodSource`` gives them, of pods that are created in the order of decisions."""
    return np.array([[list(_drawn(run[0]))] for run in decided])


def _drawn(picked: Sequence[int]) -> Iterator[int]:
    def batches(_: object) -> Iterator[list[_Pod]]:
        numbers = range(len(picked))
        yield from ([_Pod(number) for number in numbers[at : at + BATCH]] for at in numbers[::BATCH])

    def bound(pod: PodHandle) -> str:
        return str(picked[cast("_Pod", pod).number])

    source = PodSource(cast("Any", batches), bound, lambda _: None)
    for batch in source.draws(lambda: 1):
        yield from map(int, cast("list[str]", batch))


def _same(drawn: Ints, lag: int) -> float:
    if lag:
        return float((drawn[..., lag:] == drawn[..., :-lag]).mean())
    return float((drawn[:, 0] == drawn[:, 1]).mean())


def _rates(design: Design, drawn: Ints, at_least: int = 0) -> tuple[str, str]:
    return _rate(once(design, drawn)), _rate(sequential(design, drawn, at_least).failed)


def _rate(failed: np.ndarray) -> str:
    count, runs = int(failed.sum()), len(failed)
    low, high = lower_bound(count, runs, 0.975), upper_bound(count, runs, 0.975)
    return f"{count / runs:.3f} ({low:.3f} to {high:.3f})"


def _row(*cells: object) -> None:
    click.echo(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
