"""The page of published reports: the worst outcome of each feature, and what differs."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from conformance import PAGE, REPORTS, Published, page
from schedtest.features.gate.description import Description, Implementation, read
from schedtest.features.gate.report import (
    ConformanceReport,
    Environment,
    OtherOutcome,
    ProfileReport,
    ReportedDifference,
    SuiteDigest,
)

MADE = Implementation(organization="example.com", project="mine", version="v1")
RAN = Environment(kubernetes=("v1.35.8",), provider="local", seed=1, seconds=60, upstream=())


def differs(test, bug=""):
    texts = dict.fromkeys(("promise", "wanted", "seen", "source", "reproduce", "evidence"), "text")
    return ReportedDifference(test=test, kubernetes=("v1.35.8",), bug=bug, **texts)


def profile(name, *features, differs=(), others=()):
    return ProfileReport(
        name=name,
        result="success",
        supported_features=features,
        unsupported_features={},
        statistics={"conforms": 3},
        differs=differs,
        others=others,
    )


def published(*profiles, folder=Path("mine")):
    return Published(
        folder,
        ConformanceReport(
            implementation=MADE,
            suite=SuiteDigest(version="1", digest="sha256:1"),
            date=datetime(2026, 11, 28, tzinfo=UTC),
            environment=RAN,
            result="failure",
            not_tested=(),
            profiles=profiles,
        ),
    )


UPSTREAM = OtherOutcome(test="requeue/taints: a taint goes", outcome="as upstream", why="kubernetes#1")
UNDECIDED = OtherOutcome(test="placement/taints: a taint", outcome="inconclusive", why="no witness")


@pytest.mark.parametrize(
    ("profiles", "row", "letter"),
    [
        ([profile("duties")], "duties", "C"),
        ([profile("duties", differs=[differs("duties/burst: many pods")])], "duties", "D"),
        ([profile("placement", "taints")], "taints", "C"),
        ([profile("placement", "taints")], "ports", "-"),
        ([profile("placement", "taints", others=[UNDECIDED])], "taints", "?"),
        ([profile("placement", "taints", differs=[differs("placement/taints: a taint")])], "taints", "D"),
        ([profile("placement", "taints", differs=[differs("placement/taints: a taint", "mine#1")])], "taints", "U"),
        ([profile("placement", "taints"), profile("requeue", "taints", others=[UPSTREAM])], "taints", "U"),
        ([profile("placement", "ports", differs=[differs("placement/taints: a taint")])], "ports", "C"),
    ],
)
def test_letter_is_that_of_the_worst_outcome(profiles, row, letter):
    assert published(*profiles).letter(row) == letter


def test_page_has_what_differs_and_the_notes(tmp_path):
    told = published(profile("placement", "taints", differs=[differs("placement/taints: a taint")]))
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "schedtest.yaml").touch()
        (tmp_path / name / "notes.md").write_text(f"{name} ignores taints.\n")
    told.report.write(tmp_path / "mine" / "report.yaml")
    text = page(tmp_path)
    assert "| `taints` | D |" in text
    assert "| `placement/taints: a taint` | text |" in text
    mine, theirs = text.partition("## theirs")[::2]
    assert "mine ignores taints.\n" in mine
    assert "theirs ignores taints.\n" in theirs


def test_published_page_is_that_of_the_reports():
    assert PAGE.read_text() == page(REPORTS)


@pytest.mark.parametrize("file", sorted(REPORTS.glob("*/schedtest.yaml")), ids=lambda file: file.parent.name)
def test_published_description_is_right(file):
    assert isinstance(read(file), Description)
