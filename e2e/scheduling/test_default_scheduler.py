"""A plain pod on a plain cluster: the ground that every other test stands on."""

import pytest


def test_every_node_is_ready(nodes, expect, pytestconfig):
    asked, planes = (
        int(pytestconfig.getoption(name) or usual) for name, usual in (("--nodes", 5), ("--control-planes", 1))
    )
    assert len(nodes.all()) >= asked - planes  # simulated nodes are all for pods
    for node in nodes.all():
        expect(node).ready()


def test_plain_pod_is_bound_and_runs(pods, nodes, expect):
    pod = pods.create()
    expect(pod).bound_to_one_of(nodes.all())
    expect(pod).scheduled_by(pod.scheduler)
    expect(pod).running()


@pytest.mark.requires("default-scheduler")
def test_pod_that_names_no_scheduler_is_the_default_schedulers(pods, expect):
    expect(pods.create()).scheduled_by("default-scheduler")


def test_every_pod_of_a_deployment_runs(deployments, expect):
    web = deployments.create("web", replicas=3)
    for pod in web.pods(3):
        expect(pod).running()


def test_pods_land_on_claimed_nodes_only(pods, nodes, expect):
    claimed = nodes.claim(2)
    for _ in range(6):
        expect(pods.create()).bound_to_one_of(claimed)
