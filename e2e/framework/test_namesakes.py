"""Pods that get the name of an earlier one, as in every StatefulSet: logs have names only, claims go by UIDs."""

import pytest

from schedtest import InconclusiveError, KubeScheduler

#: more than the node has
TOO_MUCH = {"cpu": "2"}


@pytest.fixture
def node(nodes):
    (small,) = nodes.claim(1, capacity={"cpu": "1"})
    return small


@pytest.fixture
def tried_once(expect):
    """Check that the scheduler has tried a pod, and that no attempt at another one is counted.

    Its only attempt may begin before the change that led to it is complete: then none is counted.
    """

    def checking(pod):
        expect(pod).pending(rejected_by="NodeResourcesFit")
        with pytest.raises(InconclusiveError, match=r"has [01] attempts? that rejected it so"):
            expect(pod, timeout=0.5).stays_pending(attempts=2, seconds=0)

    return checking


pytestmark = [pytest.mark.requires("resize", "whole-cluster"), pytest.mark.usefixtures("node")]


def test_of_a_stateful_set(objects, pods, tried_once):
    container = {"name": "main", "image": "none", "resources": {"requests": TOO_MUCH}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}}, "template": template}
    objects.create({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": spec})
    seen = set()
    for _ in range(4):
        (pod,) = pods.select({"app": "web"}, count=1)
        while pod.uid in seen:  # its successor comes at once
            (pod,) = pods.select({"app": "web"}, count=1)
        seen.add(pod.uid)
        tried_once(pod)
        pod.delete(wait=False)


def test_that_the_scheduler_learns_of_all_at_once(install, pods, tried_once):
    """It was paused while the first came and went."""
    mine = install(KubeScheduler("mine"))
    mine.pause()
    pods.create("web-0", scheduler=mine, requests=TOO_MUCH).delete()
    second = pods.create("web-0", scheduler=mine, requests=TOO_MUCH)
    mine.resume()
    tried_once(second)


def test_before_and_after_the_scheduler_was_started_again(install, pods, tried_once):
    mine = install(KubeScheduler("again"))
    first = pods.create("web-0", scheduler=mine, requests=TOO_MUCH)
    tried_once(first)
    mine.kill()
    first.delete()
    mine.restart()
    tried_once(pods.create("web-0", scheduler=mine, requests=TOO_MUCH))
