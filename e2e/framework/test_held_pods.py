"""Pods that are neither bound nor rejected: what holds them is said, by the log of their scheduler."""

import threading

import pytest

from schedtest import ExpectationError, Extender, KubeScheduler


def seen(claim, **named):
    """Return what a claim has seen that fails."""
    with pytest.raises(ExpectationError) as caught:
        claim(**named)
    return next(line for line in str(caught.value).splitlines() if line.startswith("  seen: "))


class Hangs(Extender):
    """It answers when the test lets it."""

    def __init__(self):
        self.go_on = threading.Event()

    def filter(self, args):
        self.go_on.wait(30)
        return args.reject({})


def test_volumes_that_nothing_makes(late_volumes, nodes, pods, expect):
    claim = late_volumes.claim()
    (node,) = nodes.claim(1)  # meanwhile the scheduler learns of the claim, whose absence it would report
    pod = pods.create(spec=late_volumes.using(claim))
    shown = seen(expect(pod, timeout=3).bound)
    assert f"has found {node.name}" in shown
    assert "waits at PreBind (plugin VolumeBinding) since" in shown
    assert "for its volumes (PersistentVolumeClaim late is Pending)" in shown
    assert "made later" in expect(pod).left_alone(), "which is the claim for it"


def test_attempt_that_does_not_end_and_the_pod_behind_it(extenders, install, nodes, pods, expect):
    nodes.claim(1)
    extender = Hangs()
    entry = extenders.serve(extender).configuration(http_timeout=60)
    scheduler = install(KubeScheduler("behind-an-extender", extenders=[entry]))
    first, second = pods.create(scheduler=scheduler), pods.create(scheduler=scheduler)
    shown = [seen(expect(pod, timeout=2).bound) for pod in (second, first)]
    extender.go_on.set()
    assert "in the queue Active of its scheduler since " in shown[0]
    assert f"that has been trying {first} since" in shown[0]
    assert "has not ended, for " in shown[1]
    assert "s now: a plugin or an extender (Hangs) has not returned" in shown[1]
    for pod in (first, second):
        expect(pod).bound()


@pytest.mark.requires("resize")
def test_victims_that_do_not_go(full, pods, expect):
    node, victim, let_go = full
    preemptor = pods.create(requests={"cpu": "1"}, priority_class=pods.priority_class("high", 1000))
    expect(preemptor).event("FailedScheduling")
    shown = seen(expect(preemptor, timeout=3).bound)
    let_go()
    assert f"now nominated to {node.name}, and waits for {victim.namespace}/{victim.name} to be gone" in shown
    expect(preemptor).bound()
