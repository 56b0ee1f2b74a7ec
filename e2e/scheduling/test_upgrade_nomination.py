"""Nominations for bindings that wait are switched off and on while one waits, as KEP-5278 describes it by hand."""

import pytest

from schedtest import ExpectationError

pytestmark = pytest.mark.requires("upgrade", "default-scheduler", "kubernetes>=1.35")

SELECTED = "volume.kubernetes.io/selected-node"


@pytest.fixture
def switch(cluster):
    """Switch the gate of the scheduler alone."""

    def switching(*, on):
        gates = {"NominatedNodeNameForExpectation": on}
        cluster.upgrade(cluster.version, feature_gates=gates, order=["kube-scheduler"])

    return switching


def test_nominations_are_switched_off_and_on_while_a_binding_waits(switch, late_volumes, nodes, pods, expect):
    (node,) = nodes.claim(1)
    switch(on=True)
    first = late_volumes.claim("first")
    pod = pods.create(spec=late_volumes.using(first))
    expect(pod).nominated_to(node, by="binding")

    switch(on=False)
    late_volumes.volume(first)
    expect(pod).bound_to(node)

    second = late_volumes.claim("second")
    other = pods.create(spec=late_volumes.using(second))
    expect(second).has({"metadata": {"annotations": {SELECTED: node.name}}})
    with pytest.raises(ExpectationError, match="never nominated"):
        expect(other, timeout=1).nominated_to(node)

    switch(on=True)
    expect(other).nominated_to(node)
    late_volumes.volume(second)
    expect(other).bound_to(node)
    expect([pod]).undisturbed()
