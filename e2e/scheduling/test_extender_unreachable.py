"""What a scheduler does while its extender is down, and once it is back."""

import pytest

from schedtest import Extender, KubeScheduler

pytestmark = pytest.mark.bound_only


class RejectsAll(Extender):
    """Reject every node."""

    def filter(self, args):
        return args.reject(dict.fromkeys(args.names, "closed for today"))


def test_pod_is_scheduled_without_an_ignorable_extender(extenders, install, pods, nodes, expect):
    (node,) = nodes.claim(1)
    served = extenders.serve(RejectsAll())
    scheduler = install(KubeScheduler("easy-going", extenders=[served.configuration(ignorable=True)]))
    # Control arm: while it is up, its word counts.
    pod = pods.create(scheduler=scheduler)
    expect(pod).pending(rejected_by="Extender", message="1 closed for today")
    pod.delete()

    served.stop()

    expect(pods.create(scheduler=scheduler)).bound_to(node)


def test_pod_waits_for_an_extender_that_is_not_ignorable(accepts_all, extenders, install, pods, nodes, expect):
    (node,) = nodes.claim(1)
    served = extenders.serve(accepts_all)
    scheduler = install(KubeScheduler("strict", extenders=[served.configuration()]))
    expect(pods.create(scheduler=scheduler)).bound_to(node)  # control arm

    served.stop()

    pod = pods.create(scheduler=scheduler)
    rejection = expect(pod).stays_pending(message="connection refused")
    assert rejection.reason == "SchedulerError"
    assert served.url in rejection.message
    assert served.calls.of(pod=pod) == []

    served.start()

    expect(pod).bound_to(node)
    assert len(served.calls.of(pod=pod)) == 1
