"""An extender that is a program of its own, in whatever language: it runs beside the scheduler, and is recorded."""

import pytest
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from schedtest import ComponentError, ExtenderProgram, KubeScheduler
from schedtest.extender import Forward

pytestmark = pytest.mark.bound_only

#: its first coins are heads
SEED = 5


def called(extender):
    """Return how many calls its log tells of; the first line of each life names the verbs as well."""
    return extender.log().count(b"\nfilter ")


def assert_called(extender, times):
    """Wait until its log tells of so many calls: a container's output reaches the log of its pod a moment later."""
    again = retry_if_exception_type(AssertionError)
    for attempt in Retrying(retry=again, stop=stop_after_delay(5), wait=wait_fixed(0.1), reraise=True):
        with attempt:
            assert called(extender) == times


def described(name, *arguments):
    """Describe the chaos extender as a program."""
    return ExtenderProgram(
        name,
        module="schedtest.extender.chaos",
        arguments=lambda at: [f"--host={at.host}", f"--port={at.port}", f"--seed={SEED}", *arguments],
    )


@pytest.fixture(scope="module")
def coins(install):
    return install(described("coins"))


@pytest.fixture(scope="module")
def recorded(extenders, coins):
    return extenders.serve(Forward(coins.url, verbs=["filter"]))


@pytest.fixture(scope="module")
def flipping(install, recorded):
    return install(KubeScheduler("flipping", extenders=[recorded.configuration()]))


def test_its_answers_count_and_are_recorded(flipping, recorded, coins, pods, nodes, expect):
    (node,) = nodes.claim(1)
    before = called(coins)
    pod = pods.create(scheduler=flipping)
    expect(pod).bound_to(node)
    (call,) = recorded.calls.of("filter", pod)
    assert (call.args.names, call.result.names) == ([node.name], [node.name])
    assert_called(coins, before + 1)


def test_its_scheduler_waits_while_it_is_down_and_finds_it_again(flipping, coins, pods, nodes, expect):
    (node,) = nodes.claim(1)
    url = coins.url
    coins.kill()
    pod = pods.create(scheduler=flipping)
    expect(pod).pending(message='/filter": ')
    coins.restart()
    assert coins.url == url
    expect(pod).bound_to(node)


def test_scheduler_calls_it_without_a_recorder(install, coins, pods, nodes, expect):
    (node,) = nodes.claim(1)
    coins.restart()  # from its first coin on
    before = called(coins)
    entry = {"urlPrefix": coins.url, "filterVerb": "filter"}
    expect(pods.create(scheduler=install(KubeScheduler("direct", extenders=[entry])))).bound_to(node)
    assert_called(coins, before + 1)


def test_one_that_does_not_start_is_its_own_fault(install):
    with pytest.raises(ComponentError, match=r"(?s)broken ended by itself with exit code 2.*No such option.*--nons"):
        install(described("broken", "--nonsense"))
