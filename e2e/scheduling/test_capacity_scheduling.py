"""CapacityScheduling of sigs.k8s.io/scheduler-plugins: namespaces borrow from each other, and take it back."""

import pytest

from schedtest import PluginScheduler, Rule

#: scheduler-plugins 0.34.7 is compiled with Kubernetes 1.34: it serves an API server of 1.34, or of the next minor
pytestmark = pytest.mark.requires("kubernetes>=1.34,<1.36")

QUOTA = "manifests/objects/elastic-quota.yaml"  # 2 CPUs are guaranteed, 4 are allowed


@pytest.fixture(scope="module")
def capacity_scheduling(install):
    return install(
        PluginScheduler(
            "capacity-scheduling",
            module="scheduler-plugins",
            config="manifests/schedulers/capacity-scheduling.yaml",
            crds=("sigs.k8s.io/scheduler-plugins/config/crd/bases/scheduling.x-k8s.io_elasticquotas.yaml",),
            rules=(Rule(("scheduling.x-k8s.io",), ("elasticquotas",), ("list", "watch")),),
        )
    )


@pytest.fixture
def pod(pods):
    """Create a pod of 1 CPU."""

    def create(**more):
        return pods.create(requests={"cpu": "1"}, **more)

    return create


@pytest.fixture
def theirs(
    capacity_scheduling,  # noqa: ARG001 - it brings the kind
    objects,
    namespaces,
):
    """Make a second namespace; it and the test's own have a quota each."""
    other = namespaces.create("theirs")
    for namespace in (namespaces.own, other):
        objects.create(QUOTA, namespace=namespace)
    return other


@pytest.mark.usefixtures("theirs")
@pytest.mark.requires("resize")
def test_namespace_borrows_up_to_its_maximum(capacity_scheduling, pod, nodes, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "6"})
    for _ in range(4):
        expect(pod(scheduler=capacity_scheduling)).bound_to(node)
    fifth = pod(scheduler=capacity_scheduling)
    expect(fifth).stays_pending(rejected_by="CapacityScheduling", message="is more than Max")

    # Control arm: there is room for it, as the default scheduler shows, which knows no quota.
    expect(pod()).bound_to(node)


@pytest.mark.requires("resize")
def test_borrowed_room_is_taken_back_by_preemption(capacity_scheduling, theirs, pod, pods, nodes, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "4"})
    important = pods.priority_class("important", 1)
    own = [pod(scheduler=capacity_scheduling, priority_class=important) for _ in range(2)]
    for held in own:
        expect(held).bound_to(node)
    borrowing = [pod(scheduler=capacity_scheduling) for _ in range(2)]
    for borrower in borrowing:
        expect(borrower).bound_to(node)

    # Control arm: for the default scheduler the node is full, and it has no pod of less priority.
    waiting = pod(namespace=theirs)
    expect(waiting).stays_pending(message="Insufficient cpu")
    waiting.delete()

    for _ in borrowing:
        expect(pod(scheduler=capacity_scheduling, namespace=theirs)).bound_to(node)
    for borrower in borrowing:
        expect(borrower).preempted()
    # What is guaranteed stays, to either side.
    expect(pod(scheduler=capacity_scheduling, namespace=theirs)).stays_pending(rejected_by="CapacityScheduling")
    for held in own:
        expect(held).running()
