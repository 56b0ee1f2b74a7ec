"""The minutes until a search finds known bugs and mutants, from its result."""

from benchmarks.mutants import outcome_of
from benchmarks.rediscovery import by_bug, lines, played


def found(what, seconds):
    return {"what": what, "seconds": seconds}


def test_first_time_of_each_bug_counts():
    known = [found("kubernetes#1: missed", 90.0), found("label of a node", 5.0)]
    simulated = [found("known bug: kubernetes#1: missed", 30.0), found("missed requeue of p1", 1.0)]
    assert by_bug({"known": known, "screened": {"simulated": simulated}}) == {"kubernetes#1": 30.0}
    assert by_bug({"known": known, "screened": None}) == {"kubernetes#1": 90.0}


def test_bug_that_most_searches_miss_has_no_median():
    made = lines([{"kubernetes#1": 60.0, "kubernetes#2": 30.0}, {"kubernetes#1": 120.0}, {}])
    assert "kubernetes#1: 2 of 3, median 2.0 min (1.0, 2.0, -)" in made
    assert "kubernetes#2: 1 of 3, median not found (0.5, -, -)" in made


def test_first_new_failure_catches_a_mutant():
    failures = [found("liveness: after: delete p1", 9.0), found("soundness: p1 was bound", 5.0)]
    caught = outcome_of("mine", {"plans": 7, "seconds": 60.0, "failures": failures})
    assert (caught.mutant, caught.law, caught.plans, caught.seconds) == ("mine", "soundness", 7, 5.0)
    missed = outcome_of("mine", {"plans": 7, "seconds": 60.0, "failures": []})
    assert (missed.law, missed.seconds) == ("", 60.0)


def test_screen_that_plays_nothing_is_said():
    assert played({"plans": 7, "screened": {"obstacle": "", "plans": 90}}) == "7 plans played, 90 screened"
    assert played({"plans": 7, "screened": {"obstacle": "no Go", "plans": 0}}) == "7 plans played, 0 screened (no Go)"
    assert played({"plans": 7, "screened": None}) == "7 plans played, 0 screened"
