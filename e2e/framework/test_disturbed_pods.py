"""expect(pods).undisturbed() finds what happened to bound pods, also while the API server was away."""

import pytest

from schedtest import ExpectationError, UsageError
from toy_component import toy

pytestmark = pytest.mark.requires("restart", "processes")

OURS = {"app": "ours"}


@pytest.fixture
def bound(install, pods, expect, request):
    """Four pods that run: the first is one of the scheduler with the fault that the test names."""
    scheduler = install(toy("harmful", request.param))
    made = [pods.create(scheduler=scheduler, labels=OURS), *(pods.create() for _ in range(3))]
    for pod in made:
        expect(pod).running()
    return made


@pytest.mark.parametrize("bound", ["OutlivesOutage"], indirect=True)
def test_pods_stay_over_an_outage(bound, cluster, pods, expect):
    mark = expect.mark()
    cluster.restart_api_server()
    expect(pods.create(), timeout=60).bound()  # the scheduler's watches wait ever longer between two tries
    expect(bound).undisturbed(since=mark, seconds=2)


@pytest.mark.parametrize("bound", ["EvictsAfterOutage"], indirect=True)
def test_harm_after_an_outage_is_found(bound, cluster, expect):
    mark = expect.mark()
    cluster.restart_api_server()
    seen = rf"seen: +pod \S+/{bound[0].name} (did not stay on|is marked for eviction from) node-\d: "
    with pytest.raises(ExpectationError, match=seen):
        expect(bound).undisturbed(since=mark, seconds=5)


@pytest.mark.parametrize("bound", ["RemakesAfterOutage"], indirect=True)
def test_pod_that_was_made_again_is_not_the_same(bound, cluster, pods, expect):
    """The claim is made when the harm is done: the name is there, and bound, all the same."""
    mark = expect.mark()
    cluster.restart_api_server()
    with pytest.raises(ExpectationError):
        expect(bound).undisturbed(since=mark, seconds=5)
    (remade,) = pods.select(OURS, count=1)
    expect(remade).bound()
    with pytest.raises(ExpectationError, match=r"seen: .* another pod was made under its name"):
        expect(bound).undisturbed(since=mark)


def test_pod_that_the_test_deleted_is_disturbed(pods, expect):
    bound = [pods.create() for _ in range(2)]
    for pod in bound:
        expect(pod).bound()
    expect(bound).undisturbed()
    bound[1].delete()
    with pytest.raises(ExpectationError, match=f"{bound[1].name} did not stay on .*: deleted by the test itself"):
        expect(bound).undisturbed()


def test_pod_must_have_been_bound(pods, expect):
    mark = expect.mark()
    pod = pods.create()
    expect(pod).bound()
    with pytest.raises(UsageError, match="was not bound at that time"):
        expect([pod]).undisturbed(since=mark)
    waiting = pods.create(node_selector={"no": "such"})
    with pytest.raises(UsageError, match="was not bound; wait for that first"):
        expect([waiting]).undisturbed()
