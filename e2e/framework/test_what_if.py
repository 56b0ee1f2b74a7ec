"""What-if: where two schedulers place the same pods, which plugin a difference comes from, and that nothing stays."""

import pytest

from schedtest import ExpectationError, KubeScheduler, Taint

pytestmark = pytest.mark.requires("resize")

HOST = "kubernetes.io/hostname"

#: the fullest node is the best one, where the stock scheduler prefers the emptiest; and it is blind to taints
PACKING = {
    "pluginConfig": [
        {
            "name": "NodeResourcesFit",
            "args": {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}},
        }
    ],
    "plugins": {
        "score": {"disabled": [{"name": "NodeResourcesBalancedAllocation"}]},
        "filter": {"disabled": [{"name": "TaintToleration"}]},
    },
}


def scheduler(name, **profile):
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": name, **profile}],
    }
    return KubeScheduler(name, config=configuration, verbosity=10)


@pytest.fixture(scope="module")
def stock(install):
    return install(scheduler("stock"))


def body(name, cpu, **spec):
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"name": name}, "spec": {"containers": [container], **spec}}


def test_equal_schedulers_differ_in_ties_alone_and_nothing_stays(install, stock, nodes, pods, what_if, expect):
    here, there = nodes.claim(2, capacity={"cpu": "2"})
    urgent = pods.priority_class("urgent", 1000)
    low = pods.create("low", requests={"cpu": "1500m"}, node_selector={HOST: here.name})
    expect(low).bound_to(here)
    shapes = [
        *(body(f"small-{number}", "100m") for number in range(4)),
        body("large", "8"),
        body("pushing", "1500m", priorityClassName=urgent, nodeSelector={HOST: here.name}),
    ]
    result = what_if(shapes, install(scheduler("equal")), stock)
    result.same()
    for side in result.sides:
        *small, large, pushing = side.placements
        assert {each.node for each in small} <= {here.name, there.name}
        assert (pushing.node, pushing.preempted) == (here.name, (f"{low.namespace}/low",))
        assert (large.node, large.plugins) == ("", ("NodeResourcesFit", "TaintToleration"))
        assert any("Insufficient cpu" in line for line in large.table)
    (left,) = pods.select({})
    assert (left.name, left.object["spec"]["nodeName"]) == ("low", here.name)


def test_each_difference_is_attributed_to_its_plugin(install, stock, nodes, pods, what_if, expect):
    full, empty, tainted = nodes.claim(3, capacity={"cpu": "2", "memory": "4Gi"})
    tainted.taint(Taint("kept", "for-others"))
    expect(pods.create(requests={"cpu": "500m"}, node_selector={HOST: full.name})).bound_to(full)
    shapes = [
        body("scored", "500m"),
        body("filtered", "1", nodeSelector={HOST: tainted.name}),
        body("follows", "1800m", nodeSelector={HOST: empty.name}),
        body("alike", "100m", nodeSelector={HOST: full.name}),
    ]
    result = what_if(shapes, install(scheduler("packing", **PACKING)), stock)
    found = [(each.pod.rpartition("/")[2], each.cause, each.plugins[:1]) for each in result.differing]
    assert found == [
        ("scored", "score", ("NodeResourcesFit",)),
        ("filtered", "filter", ("TaintToleration",)),
        ("follows", "follows", ()),
    ]
    scored = result.differing[0]
    assert (scored.first.node, scored.other.node) == (full.name, empty.name)
    with pytest.raises(ExpectationError, match="filter: TaintToleration rejects"):
        result.same()
