"""An extender that takes longer than ``httpTimeout``."""

import pytest

from schedtest import Extender, KubeScheduler
from schedtest.extender import HostPriorityList, faults

pytestmark = pytest.mark.bound_only

#: seconds that the scheduler waits, and an answer that comes only long after
TIMEOUT, LATE = 1, 60


class TakesItsTime(Extender):
    """Answer each verb as late as the pod's label of its name says, in seconds."""

    def filter(self, args):
        return faults.late(args.reject({}), self._delay(args, "filter"))

    def prioritize(self, args):
        return faults.late(HostPriorityList.of(dict.fromkeys(args.names, 1)), self._delay(args, "prioritize"))

    def _delay(self, args, verb):
        return float(args.pod_labels.get(verb, 0))


@pytest.fixture(scope="module")
def slow(extenders):
    return extenders.serve(TakesItsTime())


@pytest.fixture(scope="module")
def strict(install, slow):
    return install(KubeScheduler("strict", extenders=[slow.configuration(http_timeout=TIMEOUT)]))


@pytest.fixture(scope="module")
def easy_going(install, slow):
    return install(KubeScheduler("easy-going", extenders=[slow.configuration(http_timeout=TIMEOUT, ignorable=True)]))


def test_late_filter_fails_the_pod(strict, slow, pods, nodes, expect):
    nodes.claim(2)
    expect(pods.create(scheduler=strict, labels={"filter": "0.01"})).bound()  # control arm
    pod = pods.create(scheduler=strict, labels={"filter": f"{LATE}"})
    assert expect(pod).pending(message="Client.Timeout exceeded").reason == "SchedulerError"
    call = slow.calls.wait("filter", pod)[0]
    assert call.error == "cut off before the answer was sent"
    assert call.latency < LATE


@pytest.mark.parametrize(("ignorable", "verb"), [(True, "filter"), (False, "prioritize"), (True, "prioritize")])
def test_late_answer_is_passed_over_silently(ignorable, verb, strict, easy_going, slow, pods, nodes, expect):
    """That of an ignorable extender is, whatever it is about, and every extender's to prioritize."""
    nodes.claim(2)
    pod = pods.create(scheduler=easy_going if ignorable else strict, labels={verb: f"{LATE}"})
    expect(pod).bound()
    assert slow.calls.wait(verb, pod)[0].error == "cut off before the answer was sent"
