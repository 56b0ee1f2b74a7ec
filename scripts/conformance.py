"""Write docs/conformance.md from the reports of schedtest gate in docs/conformance.

Each folder there has the description of a scheduler, its report, and notes on the differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import yaml

from schedtest.features.conformance.behaviours import FEATURES
from schedtest.features.gate.outcomes import BehaviourOutcome, worst
from schedtest.features.gate.report import RESULTS, ConformanceReport, ProfileReport

ROOT = Path(__file__).parents[1]

#: the folder with the reports, and the page
REPORTS, PAGE = ROOT / "docs" / "conformance", ROOT / "docs" / "conformance.md"

#: the outcomes by their words
_OUTCOMES = {each.word: each for each in BehaviourOutcome}

_HEAD = """# Conformance reports

Reports of [`schedtest gate`](how-to/gate.md) on schedulers as they are shipped. What a scheduler claims was taken from
its documentation and its shipped configuration. `scripts/conformance` writes this page from `docs/conformance`, which
has the description and the report of each scheduler.

To correct or to add a report, open a pull request with a folder of `docs/conformance`. It holds `schedtest.yaml`, the
file `report.yaml` that `schedtest gate` writes with `--report`, and `notes.md` about the differences.

"""

_LEGEND = """
C conforms, D differs, U as upstream or a known difference, ? not decided, - not claimed.
"""


@dataclass(frozen=True)
class Published:
    """The published report of a scheduler.

    Attributes:
        folder: the folder with its description.
        report: the report.
    """

    folder: Path
    report: ConformanceReport

    @classmethod
    def read(cls, folder: Path) -> Published:
        """Return the report in a folder."""
        return cls(folder, ConformanceReport.model_validate(yaml.safe_load((folder / "report.yaml").read_text())))

    @property
    def title(self) -> str:
        """The project and its version."""
        made = self.report.implementation
        return f"{made.project} {made.version}"

    def letter(self, row: str) -> str:
        """Return the worst outcome of a profile without features, or of a feature in all profiles."""
        found = [each for profile in self.report.profiles for each in _outcomes(profile, row)]
        return worst([*found, BehaviourOutcome.NOT_CLAIMED]).letter


def _outcomes(profile: ProfileReport, row: str) -> Iterator[BehaviourOutcome]:
    """Yield the outcomes of a feature, or of a whole profile."""
    if row == profile.name or row in profile.supported_features:
        yield BehaviourOutcome.CONFORMS
    prefixes = (f"{row}/", f"{profile.name}/{row}:")
    for difference in profile.differs:
        if difference.test.startswith(prefixes):
            yield BehaviourOutcome.KNOWN if difference.bug else BehaviourOutcome.DIFFERS
    for other in profile.others:
        if other.test.startswith(prefixes):
            yield _OUTCOMES[other.outcome]


def page(folder: Path) -> str:
    """Return the page of the reports in a folder, which has a folder for each scheduler."""
    folders = sorted(file.parent for file in folder.glob("*/schedtest.yaml"))
    published = [Published.read(each) for each in folders if (each / "report.yaml").exists()]
    names = [each.folder.name for each in published]
    rows = [[f"`{row}`", *(each.letter(row) for each in published)] for row in ("duties", *FEATURES)]
    parts = [_HEAD, *_table(["", *names], rows), _LEGEND, *(line for each in published for line in _section(each))]
    parts += [_without_report(each) for each in folders if not (each / "report.yaml").exists()]
    return "".join(parts)


def _without_report(folder: Path) -> str:
    return f"\n## {folder.name}\n\n[Description](conformance/{folder.name}/schedtest.yaml).\n\n{_notes(folder)}"


def _notes(folder: Path) -> str:
    """Return the notes on a scheduler; empty if there are none."""
    file = folder / "notes.md"
    return file.read_text() if file.exists() else ""


def _section(published: Published) -> Iterator[str]:
    report = published.report
    counts: dict[str, int] = {}
    for profile in report.profiles:
        for outcome, number in profile.statistics.items():
            counts[outcome] = counts.get(outcome, 0) + number
    facts: Mapping[str, str] = {
        "project": report.implementation.url or report.implementation.organization,
        "result": RESULTS[report.result],
        "outcomes": ", ".join(f"{number} {outcome}" for outcome, number in counts.items()),
        "Kubernetes": ", ".join(report.environment.kubernetes),
        "date, seconds": f"{report.date:%Y-%m-%d}, {report.environment.seconds}",
        "schedtest": report.suite.version,
    }
    name = published.folder.name
    yield f"\n## {published.title}\n\n"
    yield f"[Description](conformance/{name}/schedtest.yaml), [report](conformance/{name}/report.yaml).\n\n"
    yield from _table(["", ""], [[what, text] for what, text in facts.items()])
    differs = [each for profile in report.profiles for each in profile.differs]
    if differs:
        yield "\n"
        yield from _table(["differs", "promise"], [[f"`{each.test}`", each.promise] for each in differs])
    upstream = [each for profile in report.profiles for each in profile.others if _OUTCOMES[each.outcome].letter == "U"]
    if upstream:
        yield "\n"
        yield from _table(["as upstream", "bug"], [[f"`{each.test}`", each.why] for each in upstream])
    if notes := _notes(published.folder):
        yield f"\n{notes}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for line in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(line)} |\n"


@click.command()
def main() -> None:
    """Write docs/conformance.md from the reports in docs/conformance."""
    PAGE.write_text(page(REPORTS))


if __name__ == "__main__":
    main()
