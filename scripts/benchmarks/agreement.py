"""Whether the screen places pods as a real control plane does, with the reason of each difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from schedtest.features.properties.history import Episode, History, name_of, node_of
from schedtest.features.properties.plan import AT_THE_END, Plan, Step
from schedtest.features.screen.screen import MISSED, Find, PlanAnswer
from schedtest.model.reference_model import feasible

#: a state at a rest of the screen; see ``PlanAnswer``
Rest = Mapping[str, Any]


class Reason(StrEnum):
    """Why a difference is none of the screen: kube-scheduler may choose either.

    After such a choice the states differ, and nothing more is compared.
    """

    EQUAL_SCORES = "two nodes with the same, highest score"
    EQUAL_PRIORITIES = "two waiting pods of the same priority"
    BACK_OFF = "a waiting pod, bound while one of a higher priority backs off that then preempts it"
    UNDECIDED = "a change is missed by a pod that waits, in both: a restart binds it, and the model does not decide"
    REFUSED = "a pod that the model keeps off the node: the control plane's rest is by the model, and it is bound later"
    BACKED_OFF = "a change is missed by pods that wait, in both; others still backed off, and were tried after it"


@dataclass(frozen=True)
class Difference:
    """The first rest at which pods are elsewhere.

    Attributes:
        rest: its number, from 0 on.
        cause: the change before it.
        words: what differs.
        reason: why that is legal; ``None`` if nothing shows that it is.
    """

    rest: int
    cause: str
    words: str
    reason: Reason | None

    def __str__(self) -> str:
        """Return it in one line."""
        return f"rest {self.rest}, {self.cause}: {self.words} ({self.reason or 'no choice of kube-scheduler'})"


def in_order(plan: Plan, names: Iterable[str]) -> Plan:
    """Return a plan that creates its pods one after another, those with these names first."""
    places = {name: place for place, name in enumerate(names)}
    pods = sorted(plan.pods, key=lambda pod: places.get(name_of(pod), len(places)))
    return replace(plan, pods=(), steps=(*(Step("create", name_of(pod), pod) for pod in pods), *plan.steps))


def difference(
    history: History, screened: PlanAnswer, revives: Callable[[Find], bool] = lambda _: False
) -> Difference | None:
    """Return the first difference between a play on a control plane and in the screen; ``None`` if there is none.

    A play on the control plane ends where a pod is late by the model, and one in the screen with its first find: the
    pod is then late on the control plane, too. ``revives`` returns whether a restart binds the pod of a find there.
    """
    episodes = [each for each in history.episodes if each.cause != AT_THE_END]
    for number, (episode, rest) in enumerate(zip(episodes, screened.rests, strict=False)):
        real = {name_of(pod): node_of(pod) for pod in episode.after.pods}
        if real != rest["nodes"]:
            missed = _is_missed(episode, screened) and number == len(screened.rests) - 1
            lucky = missed and all(node in (real.get(pod), "") for pod, node in rest["nodes"].items())
            reason = Reason.BACKED_OFF if lucky else _reason(episode, rest.get("bound") or ())
            if _is_later(real, rest["nodes"], history.episodes[number : number + 2]):
                reason = Reason.REFUSED
            return Difference(number, rest["cause"], _in_words(real, rest["nodes"]), reason)
    last = len(screened.rests) - 1
    if screened.finds and not _is_missed(episodes[last], screened):
        (find, *_) = screened.finds
        reason = Reason.UNDECIDED if find.kind == MISSED and revives(find) else None
        return Difference(last, find.cause, f"the screen alone finds: {find}", reason)
    return None


def _is_later(real: Mapping[str, str], screened: Mapping[str, str], episodes: Sequence[Episode]) -> bool:
    """Return whether pods wait that the screen has bound, and are bound alike before the next rest.

    A rest waits for pods that fit by the model; so it has to refuse them.
    """
    differing = {pod: node for pod, node in screened.items() if real.get(pod) != node}
    after = {(move.pod, move.node) for episode in episodes[1:] for move in episode.moves}
    pods = {name_of(pod): pod for pod in episodes[0].after.pods}
    return real.keys() == screened.keys() and all(
        not real[pod] and (pod, node) in after and node not in feasible(pods[pod], episodes[0].after)
        for pod, node in differing.items()
    )


def _is_missed(episode: Episode, screened: PlanAnswer) -> bool:
    """Return whether the screen finds missed requeues alone, of pods that are late on the control plane, too."""
    found = [find.kind == MISSED and find.pod in episode.late for find in screened.finds]
    return bool(found) and all(found)


def _in_words(real: Mapping[str, str], screened: Mapping[str, str]) -> str:
    def said(places: Mapping[str, str]) -> str:
        return ", ".join(f"{pod} {'on ' + node if node else 'waits'}" for pod, node in sorted(places.items()))

    return f"{said(real)} on the control plane; {said(screened)} in the screen"


def _reason(episode: Episode, screened: Sequence[Rest]) -> Reason | None:
    """Return why the bindings of an episode may differ: the reason of the first that does."""
    real = [move for move in episode.moves if move.node]
    for move, other in zip(real, screened, strict=False):
        if move.pod == other["pod"] and move.node == other["node"]:
            continue
        if move.pod == other["pod"]:
            return Reason.EQUAL_SCORES if move.node in other.get("best", ()) else None
        waiting = {name_of(pod): pod["spec"].get("priority", 0) for pod in episode.before.pods if not node_of(pod)}
        if not {move.pod, other["pod"]} <= waiting.keys():
            return None
        if waiting[move.pod] == waiting[other["pod"]]:
            return Reason.EQUAL_PRIORITIES
        is_preempted = any(each.pod == move.pod and not each.node for each in episode.moves)
        return Reason.BACK_OFF if is_preempted and waiting[move.pod] < waiting[other["pod"]] else None
    return None
