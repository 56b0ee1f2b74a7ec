"""What differs between two releases, as a page; and what of it a person has to look at."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from schedtest._util.version import Range, Version
from schedtest.scheduler_log import messages
from schedtest.scheduler_log.messages import LogEvent

Told = Mapping[str, Collection[str]]

_SCORES = "prefers, ranked, scored: what a log says of scores"
_ATTEMPTS = "pending, stays_pending, tried, retried, not_retried"
_GROUPS = "claims about groups of pods"
_SHOWN = "none: a timeline shows it"

#: the claims that rest on an event of the log, by event
CLAIMS: Mapping[type[LogEvent], str] = {
    messages.PodAdded: _ATTEMPTS,
    messages.AttemptBegan: _ATTEMPTS,
    messages.Unschedulable: _ATTEMPTS,
    messages.AttemptFailed: _ATTEMPTS,
    messages.MovedToQueue: _ATTEMPTS,
    messages.JoinedGroup: _GROUPS,
    messages.GroupTakenUp: _GROUPS,
    messages.GroupMoved: _GROUPS,
    messages.NodeTainted: "none: the reason of a failure names the taint of each node",
    messages.PluginScores: _SCORES,
    messages.ExtenderScores: _SCORES,
    messages.FinalScores: _SCORES,
    messages.Bound: "bound, and claims about chance, which count the nodes that were feasible",
    messages.Preempted: "preempts",
    messages.Nominating: "nominated_to, nomination_cleared",
    messages.KeptOut: "pending(rejected_by=…) of plugins at PreEnqueue",
    messages.Reached: "pending of pods that wait at Permit, PreBind or Bind",
    messages.Remark: _SHOWN,
}

#: the topics whose lines begin with a name that this repository may use
_NAMED = ("Feature gates", "Kinds of the API", "Metrics of the scheduler", "Fields of the configuration")
_FOLDERS = ("fixtures/schedtest", "e2e", "manifests", "docs/how-to", "scheduler")


def page(before: str, after: str, old: Told, new: Told) -> str:
    """Return the page of what differs between two releases, each told by ``sources.told``."""
    parts = [
        f"# What differs between Kubernetes {before} and {after}",
        "`scripts/pin` writes this page from both sources. A line that has changed is both gone and new.",
    ]
    for topic in new:
        gone, come = (sorted({*one[topic]} - {*other[topic]}) for one, other in ((old, new), (new, old)))
        parts.append(f"## {topic}")
        for what, lines in (("Gone", gone), ("New", come)):
            parts += [f"{what}:", "\n".join(f"- `{line}`" for line in lines)] if lines else []
        parts += [] if gone or come else ["The same."]
    return "\n\n".join(parts) + "\n"


def lost_phrases(version: str, scheduler: str) -> Iterator[str]:
    """Yield the messages that the parser of logs reads and a scheduler's source lacks, with what rests on each."""
    told = Version.of(version)
    known = {each.text: CLAIMS[each.event] for each in messages.EVENTS if told in Range.of(each.only)}
    for text in messages.messages():
        rests = known.get(text, "" if any(each.text == text for each in messages.EVENTS) else _ATTEMPTS)
        if rests and f'"{text}"' not in scheduler:
            yield f"the log no longer has {text!r}, on which rests: {rests}"


def lost_keys(version: str, old: str, new: str) -> Iterator[str]:
    """Yield values of messages that a scheduler no longer names, and the parser reads."""
    for each in messages.EVENTS:
        if Version.of(version) in Range.of(each.only):
            for key in each.keys:
                if _has(old, each.text, key) and _has(new, each.text, key) is False:
                    said = f"the call that logs {each.text!r} no longer names {key!r}, which its logger may add"
                    yield f"{said}; on it rests: {CLAIMS[each.event]}"


def _has(scheduler: str, text: str, key: str) -> bool | None:
    """Return whether a call that logs a message names a value; ``None`` if no call logs it."""
    calls = re.findall(rf'"{re.escape(text)}"(.*?)\)\n', scheduler, re.DOTALL)
    return any(f'"{key}"' in call for call in calls) if calls else None


def used_names(root: Path, old: Told, new: Told) -> Iterator[str]:
    """Yield what is gone and this repository names, with the files."""
    files = [file for folder in _FOLDERS for file in sorted((root / folder).rglob("*")) if _is_text(file)]
    for topic in _NAMED:
        names = {_name(line) for line in old[topic]} - {_name(line) for line in new[topic]}
        for name in sorted(names):
            word = re.compile(rf"\b{re.escape(name)}\b")
            users = [str(file.relative_to(root)) for file in files if word.search(file.read_text())]
            if users:
                yield f"{topic}: {name} is gone, and named in {', '.join(users)}"


def _name(line: str) -> str:
    return re.split(r"[:( ]", line)[0].rpartition(".")[2]


def _is_text(file: Path) -> bool:
    return file.suffix in (".py", ".md", ".yaml", ".go") and "releases" not in file.parts
