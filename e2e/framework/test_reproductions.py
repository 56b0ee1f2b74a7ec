"""A plan becomes a pytest function that does in a cluster what the plan says."""

import pytest

from schedtest import ExpectationError, KubeScheduler
from schedtest.properties import Plan, as_test

#: nodes are resized and added
pytestmark = pytest.mark.requires("resize", "processes", "whole-cluster")

PLAN = """
nodes:
- {metadata: {name: n1, labels: {disk: ssd}}, status: {allocatable: {cpu: 300m}}}
- {metadata: {name: n2}, spec: {unschedulable: true, taints: [{key: t, value: x, effect: NoSchedule}]}}
namespaces: [{metadata: {name: ns1}}, {metadata: {name: ns2, labels: {team: x}}}]
objects:
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: reproduced}, value: 10}
pods:
- metadata: {name: p1, labels: {app: a}}
  spec:
    priorityClassName: reproduced
    containers: [{name: main, resources: {requests: {cpu: 300m}}}]
- metadata: {name: p2, namespace: ns2}
  spec:
    nodeSelector: {kubernetes.io/hostname: n2}
    tolerations: [{key: t, operator: Exists}]
    schedulingGates: [{name: example.com/g}]
steps:
- {lift: {pod: p2, gate: example.com/g}}
- {uncordon: n2}
- create:
    metadata: {name: p3}
    spec: {containers: [{name: main, resources: {requests: {cpu: 200m}}}], nodeSelector: {disk: ssd}}
- {label: {namespace: ns2, labels: {team: null}}}
- {resize: {node: n1, allocatable: {cpu: 500m}}}
- {taint: {node: n2, taints: []}}
- {delete: p1}
- {add: {metadata: {name: n3, labels: {disk: hdd}}}}
- {create: {metadata: {name: p4}, spec: {nodeSelector: {disk: hdd}}}}
- {restart: scheduler}
"""

#: what is claimed after so many steps
CLAIMS = {
    0: ["expect(p1).bound_to(n1)"],
    1: ["expect(p2).pending()"],
    2: ["expect(p2).bound_to(n2)"],
    3: ["expect(p3).pending(rejected_by='NodeResourcesFit')"],
    5: ["expect(p3).bound_to(n1)"],
    9: ["expect(p4).bound_to(n3)"],
}


@pytest.fixture(scope="module")
def mine(install):
    return install(KubeScheduler("stock"))


@pytest.fixture
def run(mine, nodes, namespaces, objects, pods, expect):
    """Run the test that a plan becomes."""
    fixtures = {
        "mine": mine,
        "nodes": nodes,
        "namespaces": namespaces,
        "objects": objects,
        "pods": pods,
        "expect": expect,
    }

    def run(plan, claims):
        scope = {}
        exec(as_test(plan, claims=claims), scope)  # noqa: S102 - it is what is tested
        test = scope["test_found"]
        test(**{name: fixtures[name] for name in test.__code__.co_varnames[: test.__code__.co_argcount]})

    return run


def test_a_plan_is_reproduced(run):
    run(Plan.from_yaml(PLAN), CLAIMS)


def test_a_claim_that_is_false_fails_there(run):
    plan = Plan.from_yaml(
        "nodes: [{metadata: {name: n1}, status: {allocatable: {cpu: 1m}}}]\npods: [{metadata: {name: p1}}]"
    )
    with pytest.raises(ExpectationError):
        run(plan, {0: ["expect(p1).pending()"]})
