"""The page with the matrix of conformance tests and broken schedulers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proof.matrix import Matrix

_HEAD = """# Which conformance tests fail for which broken schedulers

A conformance test has to fail for a scheduler with a fault in what the test is about, and for no other one.
`scripts/prove` writes this page from runs with faults of the toy scheduler (`e2e/toys/toy_faults.py`), with mutants of
kube-scheduler (`manifests/forks/mutants`), with kube-scheduler without plugins, and with the healthy originals.
CI does not run it again.
"""

_OWN_TESTS = """`n of m` are the tests of what a scheduler breaks: those that it fails, and those that have run.
Where its other tests have not run, the last column says so.
"""


def page(matrix: Matrix, accepted: Mapping[str, str], facts: Mapping[str, str]) -> str:
    """Return the page.

    Args:
        matrix: the outcomes.
        accepted: the findings that are known, with their reasons.
        facts: what the runs were: the command, the date, the versions.
    """
    sections = [
        _HEAD,
        _table(("run", ""), [*facts.items()]),
        "## Tests\n",
        _table(("test", "broken schedulers that fail it"), [_of_test(matrix, each.test) for each in matrix.tests]),
        "## Schedulers\n",
        _OWN_TESTS,
        _table(("scheduler", "breaks", "fails", "fails beside"), [_of_scheduler(matrix, n) for n in matrix.outcomes]),
        "## Findings\n",
        _table(("finding", "reason"), [(each, accepted.get(each, "**open**")) for each in matrix.findings()]),
    ]
    return "\n".join(sections)


def _of_test(matrix: Matrix, name: str) -> tuple[str, str]:
    test = next(each for each in matrix.tests if each.test == name)
    return test.name, _names(matrix.killers(test))


def _of_scheduler(matrix: Matrix, name: str) -> tuple[str, str, str, str]:
    parts = matrix.broken.get(name, frozenset())
    failed = matrix.failed(name)
    ran = [each for each in matrix.tests if each.test in matrix.outcomes[name]]
    own = [each for each in ran if matrix.own(name, each)]
    beside = [each.test for each in failed if each not in own]
    broken = "everything" if parts is None else ", ".join(sorted(parts)) or "nothing"
    others = _names(beside) if parts is None or len(ran) > len(own) else "not run"
    return f"`{name}`", broken, f"{len(failed) - len(beside)} of {len(own)}", others


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{each}`" for each in names) or "-"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
