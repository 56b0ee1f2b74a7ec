"""Schedulers of a declared pace: one witness shows that such a scheduler has passed over a pod."""

import pytest

from schedtest import ExpectationError, InconclusiveError, Pace
from toy_component import toy

pytestmark = pytest.mark.requires("processes")

SSD = {"disk": "ssd"}
ROUNDS = Pace(period=1, backoff=0)


@pytest.fixture
def install_toy(install):
    """Install a scheduler of ``toy_faults.py`` by the name of its class, with a pace."""
    return lambda fault, pace=ROUNDS: install(toy("mine", fault, pace=pace))


@pytest.mark.parametrize("fault", ["WorksInRounds", "WorksInRoundsSilently", "NewestFirst"])
def test_one_witness_is_enough(fault, install_toy, nodes, pods, expect):
    scheduler = install_toy(fault)
    (node,) = nodes.claim(1)
    pod = pods.create(scheduler=scheduler, node_selector=SSD)
    proof = expect(pod).stays_pending().proof
    assert "made later, was" in proof
    assert "and this one was not within 1.25 s after that" in proof
    # Control arm: once it fits, it is bound, and the claim says so.
    node.label(SSD)
    expect(pod).bound_to(node)
    with pytest.raises(ExpectationError, match=f"bound to {node.name}"):
        expect(pod).stays_pending()


def test_pod_behind_newer_ones_is_not_refused(install_toy, nodes, pods, expect):
    scheduler = install_toy("NewestFirst")
    nodes.claim(1)
    scheduler.pause()
    old, *_ = (pods.create(scheduler=scheduler) for _ in range(3))
    scheduler.resume()
    with pytest.raises(ExpectationError, match="bound to"):
        expect(old).stays_pending()


@pytest.mark.parametrize("claim", ["pending", "stays_pending"])
def test_pod_that_is_held_back_is_not_refused(claim, install_toy, nodes, pods, expect):
    scheduler = install_toy("HoldsPodsBack", Pace(backoff=3))
    nodes.claim(1)
    pod = pods.create(scheduler=scheduler, labels={"hold": ""})
    expect(pods.create(scheduler=scheduler)).bound()
    with pytest.raises(ExpectationError, match="bound to"):
        getattr(expect(pod), claim)()


def test_scheduler_that_serves_nothing_refuses_nothing(install_toy, nodes, pods, expect):
    scheduler = install_toy("DoesNothing")
    nodes.claim(1)
    with pytest.raises(InconclusiveError, match="no condition PodScheduled=False, and no Event of a rejection"):
        expect(pods.create(scheduler=scheduler)).stays_pending()


def test_silent_scheduler_leaves_pods_of_others_alone(install_toy, nodes, pods, expect):
    install_toy("WorksInRoundsSilently")
    nodes.claim(1)
    assert "made later, was bound" in expect(pods.create(scheduler="someone")).unchanged()
