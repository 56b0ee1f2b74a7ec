"""A component is asked to end: how it ends is returned, and it works again in the next test."""

import signal

import pytest

from schedtest import ExpectationError, KubeScheduler
from toy_component import toy

pytestmark = pytest.mark.requires("processes")


@pytest.fixture(scope="module")
def stock(install):
    return install(KubeScheduler("stock"))


@pytest.mark.parametrize("_", ["first", "again"])
def test_kube_scheduler_ends_and_works_in_the_next_test(stock, pods, expect, _):
    expect(pods.create(scheduler=stock)).bound()
    assert stock.terminate(within=10) >= 0, "it handles the signal"
    expect(pods.create(scheduler=stock)).left_alone()


def test_one_that_ends_in_order_returns_0(install):
    assert install(toy("mine", "EndsInOrder")).terminate(within=10) == 0


def test_one_that_does_not_handle_the_signal_is_ended_by_it(install):
    assert install(toy("mine")).terminate(within=10) == -signal.SIGTERM


def test_one_that_ignores_the_signal_fails(install):
    scheduler = install(toy("mine", "IgnoresTermination"))
    with pytest.raises(ExpectationError, match=r"mine: it still ran 1 s after SIGTERM, and was killed"):
        scheduler.terminate(within=1)
