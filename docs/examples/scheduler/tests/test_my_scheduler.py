"""The scheduler my-scheduler: it serves the pods that name it, and fills nodes one by one."""

from pathlib import Path

import pytest

from schedtest import KubeScheduler

FOLDER = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def mine(install):
    # Change: with binary=FOLDER / "bin/my-scheduler" your program runs, which takes kube-scheduler's flags. A scheduler
    # that is not built from kube-scheduler's code is a Program.
    return install(KubeScheduler("my-scheduler", config=FOLDER / "scheduler.yaml"))


def test_pods_that_name_it_are_its_own(mine, pods, expect):
    expect(pods.create(scheduler=mine)).scheduled_by("my-scheduler")
    other = pods.create()
    expect(other).scheduled_by(other.scheduler)


def test_second_pod_joins_the_first(mine, nodes, pods, expect):
    claimed = {node.name: node for node in nodes.claim(3)}
    name = expect(pods.create(scheduler=mine, requests={"cpu": "1"})).bound()
    expect(pods.create(scheduler=mine, requests={"cpu": "1"})).bound_to(claimed[name])


def test_pod_that_no_node_fits_waits(mine, pods, expect):
    pod = pods.create(scheduler=mine, requests={"cpu": "1000"})
    expect(pod).stays_pending(rejected_by="NodeResourcesFit", message="Insufficient cpu")
