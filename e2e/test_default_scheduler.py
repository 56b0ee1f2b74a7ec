"""A plain pod on a plain cluster: the ground that every other test stands on."""


def test_all_nodes_are_ready(nodes, expect):
    for node in nodes.all():
        expect(node).ready()


def test_a_plain_pod_is_bound_and_runs(pods, expect):
    pod = pods.create()
    expect(pod).bound()
    expect(pod).scheduled_by("default-scheduler")
    expect(pod).running()


def test_x(pods, expect, nodes):
    a, b = nodes.claim(2)
    pod = pods.create(node_selector={"a": "b"})
    expect(pod).stays_pending(rejected_by="NodeAffinity")
    b.label({"a": "b"})
    expect(pod).bound_to(a)
