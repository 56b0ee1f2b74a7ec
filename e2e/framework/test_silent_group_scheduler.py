"""A scheduler of groups without a log that is read, and without reports: its silence is not taken for "together"."""

import time
from dataclasses import replace

import pytest

from schedtest import ExpectationError, InconclusiveError
from toy_component import toy

pytestmark = pytest.mark.requires("processes", "resize")

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: podgroups.scheduling.x-k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for tests"}
spec:
  group: scheduling.x-k8s.io
  names: {kind: PodGroup, plural: podgroups}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@pytest.fixture
def gang_of(install, groups, tmp_path):
    """Make a group of three pods of 1 CPU, for a scheduler with this fault."""

    def make(fault):
        file = tmp_path / "podgroups.yaml"
        file.write_text(CRD)
        group = groups.create(minimum=3, scheduler=install(replace(toy("gangs", fault), crds=file)), api="coscheduling")
        group.add(3, labels={"gang": group.name, "gang-size": "3"}, requests={"cpu": "1"})
        return group

    return make


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        ("ReportsNothing", InconclusiveError, "no log says whether both were decided about together"),
        ("Toy", ExpectationError, "without the 3 that the group needs"),
    ],
)
def test_part_that_was_bound_long_before_the_rest(gang_of, nodes, expect, fault, error, message):
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    group = gang_of(fault)
    expect(group).scheduled(at_least=2)
    time.sleep(3)
    node.resize({"cpu": "3"})
    expect(group).scheduled()
    with pytest.raises(error, match=message):
        expect(group).all_or_nothing()


@pytest.mark.parametrize("fault", ["ReportsNothing", "Toy"])
def test_control_that_is_bound_at_once(gang_of, nodes, expect, fault):
    nodes.claim(1, capacity={"cpu": "3"})
    group = gang_of(fault)
    expect(group).scheduled()
    expect(group).all_or_nothing()
