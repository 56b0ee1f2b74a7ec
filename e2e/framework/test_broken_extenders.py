# ruff: noqa: ARG002, D101 - the names of the broken ones say what is wrong with them, and they ignore what they are given
"""Extenders of a stock kube-scheduler that are broken, each in one way, are caught; a healthy one is not."""

from collections import Counter

import pytest

from broken import Broken, Stage
from schedtest import Extender, KubeScheduler
from schedtest.extender import (
    Binder,
    ExtenderBindingResult,
    ExtenderPreemptionResult,
    HostPriorityList,
    MetaPod,
    MetaVictims,
    faults,
    labels_of,
)

pytestmark = pytest.mark.requires("resize")

SLOW, UNKNOWN = "its disk is slow", "the disks are not known"


def labels_by_name(args):
    return {node["metadata"]["name"]: labels_of(node) for node in args.nodes.items}


def ranks(args):
    return {name: int(labels.get("rank", 0)) for name, labels in labels_by_name(args).items()}


class FastDisksOnly(Extender):
    """Let only nodes with the label ``disk=fast`` through, and score them by their label ``rank``."""

    def filter(self, args):
        slow = [name for name, labels in labels_by_name(args).items() if labels.get("disk") != "fast"]
        return args.reject(dict.fromkeys(slow, SLOW))

    def prioritize(self, args):
        return HostPriorityList.of(ranks(args))


class KeepsAll(FastDisksOnly):
    def filter(self, args):
        return args.reject({})


class RejectsAll(FastDisksOnly):
    def filter(self, args):
        return args.reject(dict.fromkeys(args.names, SLOW))


class KeepsNode77(FastDisksOnly):
    def filter(self, args):
        return args.keep(["node-77"])


class GivesNoReason(FastDisksOnly):
    def filter(self, args):
        return args.keep([])


class RejectsOnce(FastDisksOnly):
    """A pod that it is asked about again is let through."""

    def __init__(self):
        self.asked = set()

    def filter(self, args):
        again = args.pod_uid in self.asked
        self.asked.add(args.pod_uid)
        return args.reject({}) if again else super().filter(args)


class KnowsNoDisks(Extender):
    """It says that it does not know, which kube-scheduler takes for an error, and asks again."""

    def __init__(self):
        self.asked = Counter()

    def filter(self, args):
        self.asked[args.pod_uid] += 1
        return faults.error(UNKNOWN)


class ForgetsThatOnThirdTry(KnowsNoDisks):
    def filter(self, args):
        answer = super().filter(args)
        return args.reject({}) if self.asked[args.pod_uid] > 2 else answer


class Raises(FastDisksOnly):
    def filter(self, args):
        return {}[args.pod_labels["tier"]]


class BreaksOff(FastDisksOnly):
    def filter(self, args):
        return faults.MALFORMED


class AnswersLate(FastDisksOnly):
    def filter(self, args):
        return faults.late(super().filter(args), seconds=3)


class Inverts(FastDisksOnly):
    def prioritize(self, args):
        return HostPriorityList.of({name: 10 - rank for name, rank in ranks(args).items()})


class ScoresAllAlike(FastDisksOnly):
    def prioritize(self, args):
        return HostPriorityList.of(dict.fromkeys(args.names, 5))


class Binds(Binder):
    """Bind in kube-scheduler's place."""


class BindsNothing(Binds):
    def bind(self, args):
        return ExtenderBindingResult()


class BindsAndDeniesIt(Binds):
    def bind(self, args):
        super().bind(args)
        return ExtenderBindingResult(error="it did not work out")


class AllowsVictims(Extender):
    """Let kube-scheduler have the victims that it proposes."""

    def preempt(self, args):
        return args.keep(args.names)


class AllowsNoVictim(AllowsVictims):
    def preempt(self, args):
        return args.keep([])


class NamesVictim(AllowsVictims):
    """It names the pod whose UID is the preempting pod's label ``dear``."""

    def preempt(self, args):
        victims = MetaVictims(pods=[MetaPod(uid=args.pod_labels["dear"])])
        return ExtenderPreemptionResult(node_name_to_meta_victims=dict.fromkeys(args.names, victims))


def slow_disk_is_not_taken(stage):
    stage.nodes.claim(1)
    stage.soon(stage.create()).stays_pending(rejected_by="Extender", message=f"1 {SLOW}")


def slow_disk_is_not_taken_later(stage):
    (node,) = stage.nodes.claim(1)
    pod = stage.create()
    stage.expect(pod).pending(rejected_by="Extender", message=SLOW)
    node.label({"colour": "red"})
    stage.expect(pod).stays_pending(rejected_by="Extender", message=SLOW)


def unknown_disk_is_not_taken_however_often(stage):
    stage.nodes.claim(1)
    stage.expect(stage.create()).stays_pending(rejected_by=(), message=UNKNOWN, attempts=3)


def fast_disk_is_taken(stage):
    (node,) = stage.nodes.claim(1, labels={"disk": "fast"})
    stage.soon(stage.create()).bound_to(node)


def better_disk_is_taken(stage):
    worse, better = stage.nodes.claim(2, labels={"disk": "fast"})
    worse.label({"rank": "2"})
    better.label({"rank": "9"})
    stage.expect(stage.create()).bound_to(better)


def better_disk_is_preferred(stage):
    worse, better = stage.nodes.claim(2, labels={"disk": "fast"})
    worse.label({"rank": "2"})
    better.label({"rank": "9"})
    stage.expect(stage.create()).prefers(better, over=worse)


def pod_is_bound(stage):
    (node,) = stage.nodes.claim(1)
    stage.soon(stage.create()).bound_to(node)


def bound_pod_has_no_failure(stage):
    stage.nodes.claim(1)
    pod = stage.create()
    stage.expect(pod).bound()
    stage.expect(pod).no_event("FailedScheduling")


def lesser_pod_makes_room(stage):
    stage.nodes.claim(1, capacity={"cpu": "2"})
    low, high = stage.pods.priority_class("low", 1), stage.pods.priority_class("high", 1000)
    victim = stage.create(requests={"cpu": "2"}, priority_class=low)
    stage.expect(victim).running()
    important = stage.create(requests={"cpu": "2"}, priority_class=high, labels={"dear": "no-such-uid"})
    stage.soon(victim, after=important).preempted(by=important)


def dearer_pod_survives(stage):
    (node,) = stage.nodes.claim(1, capacity={"cpu": "2"})
    levels = [stage.pods.priority_class(name, value) for name, value in (("low", 1), ("mid", 2), ("high", 3))]
    cheap, dear = (stage.create(requests={"cpu": "1"}, priority_class=level) for level in levels[:2])
    for pod in (cheap, dear):
        stage.expect(pod).running()
    important = stage.create(requests={"cpu": "1"}, priority_class=levels[2], labels={"dear": dear.uid})
    stage.expect(important).bound_to(node)
    stage.expect(dear).bound_to(node)


BOUND = (
    r"wanted: Pending after a scheduler tried it, rejected by Extender",
    r"seen: +bound to \S+, \w+(?:; container .*)?\n",
)
WAITS = r"timed out after 0.5 s\n +wanted: bound to \S+\n +seen: +Pending; "
FAILED = {"evidence": "FailedScheduling"}

BROKEN = [
    Broken(KeepsAll, slow_disk_is_not_taken, BOUND),
    Broken(Raises, slow_disk_is_not_taken, BOUND, choices={"ignorable": True}),
    Broken(
        GivesNoReason,
        slow_disk_is_not_taken,
        (f"message with '1 {SLOW}'", r"GivesNoReason\.filter\(\S+\) -> passes no node", "no reason given"),
        **FAILED,
    ),
    Broken(
        RejectsOnce,
        slow_disk_is_not_taken_later,
        (r"wanted: .*Pending", r"seen: +bound to \S+, \w+(?:; container .*)?\n"),
    ),
    Broken(
        ForgetsThatOnThirdTry,
        unknown_disk_is_not_taken_however_often,
        (r"did not hold\n +wanted: .*rejected in 3 attempts\n", r"seen: +bound to \S+, \w+(?:; container .*)?\n"),
    ),
    Broken(
        RejectsAll,
        fast_disk_is_taken,
        (f"{WAITS}Unschedulable: .*1 {SLOW}", r"RejectsAll.filter\(\S+\) -> passes no node"),
        **FAILED,
    ),
    Broken(
        KeepsNode77, fast_disk_is_taken, ("no longer come true", "bound to node-77, which is no node of the cluster")
    ),
    Broken(Raises, fast_disk_is_taken, (f"{WAITS}SchedulerError: .*code 500", r"Raises\.filter.* KeyError"), **FAILED),
    Broken(BreaksOff, fast_disk_is_taken, (f"{WAITS}SchedulerError: .*unexpected EOF",), **FAILED),
    Broken(
        AnswersLate,
        fast_disk_is_taken,
        (f"{WAITS}SchedulerError: .*(deadline exceeded|Timeout)",),
        **FAILED,
        choices={"http_timeout": 0.5},
    ),
    Broken(Inverts, better_disk_is_taken, (r"wanted: bound to (\S+)\n +seen: +bound to (?!\1)",)),
    Broken(Inverts, better_disk_is_preferred, (r"seen: +\S+ scored \d+, \S+ only \d+",)),
    Broken(ScoresAllAlike, better_disk_is_preferred, ("both scored .*: neither is preferred",)),
    Broken(
        FastDisksOnly,
        better_disk_is_preferred,
        ("both scored 0: neither is preferred",),
        choices={"verbs": ["filter"]},
    ),
    Broken(
        BindsNothing, pod_is_bound, (r"not bound; Event Scheduled by \S+: Successfully assigned",), evidence="Scheduled"
    ),
    Broken(BindsAndDeniesIt, bound_pod_has_no_failure, ("event FailedScheduling: .*it did not work out",)),
    Broken(AllowsNoVictim, lesser_pod_makes_room, ("seen:   bound to", "no Preempted event"), **FAILED),
    Broken(NamesVictim, lesser_pod_makes_room, ("seen:   bound to", "no Preempted event"), **FAILED),
    Broken(NamesVictim, dearer_pod_survives, (r"wanted: bound to (\S+)\n +seen: +deleted, bound to \1\n",)),
]

#: the healthy ones, and which of them each claim is made of
HEALTHY = {
    broken.claim: next(
        each for each in (FastDisksOnly, KnowsNoDisks, Binds, AllowsVictims) if issubclass(broken.what, each)
    )
    for broken in BROKEN
}


@pytest.fixture(scope="module")
def run(install, extenders, cluster):
    """Run a kube-scheduler with an extender, which alone decides between nodes that fit."""

    def running(extender, name, **choices):
        served = extenders.serve(extender(cluster.kubeconfig) if issubclass(extender, Binder) else extender())
        profile = {"schedulerName": name, "plugins": {"score": {"disabled": [{"name": "*"}]}}}
        config = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [profile],
        }
        return install(KubeScheduler(name, config=config, verbosity=10, extenders=[served.configuration(**choices)]))

    return running


@pytest.fixture(scope="module")
def healthy(request, run):
    """Run a scheduler with a healthy extender; not with several, one of which no test of this worker may ask."""
    return run(request.param, f"healthy-{request.param.__name__.lower()}")


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_broken_extender_is_caught(broken, run, pods, nodes, expect):
    scheduler = run(broken.what, "broken", **broken.choices)
    broken.is_caught(Stage(scheduler, pods, nodes, expect))


@pytest.mark.parametrize(("claim", "healthy"), HEALTHY.items(), ids=lambda value: value.__name__, indirect=["healthy"])
def test_healthy_extender_is_not(claim, healthy, pods, nodes, expect):
    """The control arm of all others."""
    claim(Stage(healthy, pods, nodes, expect))
