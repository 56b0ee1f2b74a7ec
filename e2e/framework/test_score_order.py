"""Which node scores higher is read from the scheduler's log; an order that came about by luck is inconclusive."""

import pytest

from schedtest import (
    ExpectationError,
    Extender,
    InconclusiveError,
    KubeScheduler,
    PluginScheduler,
    UsageError,
    required_node_affinity,
)
from schedtest.extender import Binder, ExtenderBindingResult, HostPriorityList, labels_of

LABEL = "schedtest.dev/priority"
HOSTNAME = "kubernetes.io/hostname"
ONE_CPU = {"cpu": "1"}

PREFERRED = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "preference": {"matchExpressions": [{"key": "preferred", "operator": "Exists"}]}}
        ]
    }
}


@pytest.fixture(scope="module")
def stock(install):
    """Install kube-scheduler as it is, which prefers the emptier node, and let it log scores."""
    return install(KubeScheduler("stock", verbosity=10))


@pytest.fixture(scope="module")
def packing(install):
    """Install one that prefers the fuller node."""
    return install(KubeScheduler("packing", config="manifests/schedulers/most-allocated.yaml", verbosity=10))


@pytest.fixture(scope="module")
def priority(install):
    config = "manifests/schedulers/priority.yaml"
    return install(PluginScheduler("priority", module="scheduler", follow_kubernetes=True, config=config, verbosity=10))


@pytest.fixture
def sized(nodes):
    """Claim nodes with 2, 3 and 4 CPUs: a pod fills a larger share of a smaller one."""
    return [nodes.claim(1, capacity={"cpu": size})[0] for size in ("2", "3", "4")]


def only(node):
    return {HOSTNAME: node.name}


@pytest.fixture
def opened(pods, expect):
    """Make sure that a scheduler has seen that nodes are open: one pod that requests nothing goes to each."""

    def open_for(scheduler, nodes):
        for node in nodes:
            expect(pods.create(f"on-{node.name}", scheduler=scheduler, node_selector=only(node))).bound_to(node)
        return nodes

    return open_for


@pytest.fixture
def half_empty(nodes, opened, pods, expect):
    """Claim two nodes, and let a scheduler put a pod on the second of them."""

    def claim_for(scheduler):
        empty, used = opened(scheduler, nodes.claim(2, capacity={"cpu": "4"}))
        expect(pods.create("user", scheduler=scheduler, requests=ONE_CPU, node_selector=only(used))).bound_to(used)
        return empty, used

    return claim_for


def check_preference(pod, better, worse, expect):
    """The order of two nodes is as given, and not the reverse."""
    scoring = expect(pod).prefers(better, over=worse)
    assert scoring.node == better.name
    assert scoring.final[better.name] > scoring.final[worse.name]
    with pytest.raises(ExpectationError, match=rf"not as claimed\n.*\n +seen: +{better.name} scored \d+, {worse.name}"):
        expect(pod).prefers(worse, over=better)


@pytest.mark.requires("resize")
def test_emptier_node_is_preferred(stock, half_empty, pods, expect):
    empty, used = half_empty(stock)
    check_preference(pods.create(scheduler=stock, requests=ONE_CPU), empty, used, expect)


@pytest.mark.requires("resize")
def test_fuller_node_is_preferred(packing, half_empty, pods, expect):
    empty, used = half_empty(packing)
    check_preference(pods.create(scheduler=packing, requests=ONE_CPU), used, empty, expect)


@pytest.mark.requires("resize")
def test_neither_of_two_equal_scores_is_preferred(stock, opened, nodes, pods, expect):
    here, there = opened(stock, nodes.claim(2, capacity={"cpu": "4"}))
    pod = pods.create(scheduler=stock, requests=ONE_CPU)
    for node, other in ((here, there), (there, here)):
        with pytest.raises(ExpectationError, match=r"both scored \d+: neither is preferred") as caught:
            expect(pod).prefers(node, over=other)
    assert "NodeResourcesBalancedAllocation" in str(caught.value)


def test_only_feasible_node_is_not_scored(stock, nodes, pods, expect):
    feasible, other = nodes.claim(2)
    pod = pods.create(scheduler=stock, node_selector=only(feasible))
    seen = rf"nothing was scored, because only {feasible.name} was feasible; {other.name}: filtered out\n"
    with pytest.raises(InconclusiveError, match=seen):
        expect(pod).prefers(feasible, over=other)


def test_node_that_was_filtered_out_is_not_scored(stock, opened, nodes, pods, expect):
    here, there, out = opened(stock, nodes.claim(3))
    pod = pods.create(scheduler=stock, affinity=required_node_affinity(HOSTNAME, here.name, there.name))
    with pytest.raises(InconclusiveError, match=f"{out.name} got no score: filtered out\n"):
        expect(pod).prefers(here, over=out)


def test_plugin_prefers_as_its_scores_say_once_they_are_normalised(priority, opened, nodes, pods, expect):
    claimed = [nodes.claim(1, labels={LABEL: rank})[0] for rank in ("1000", "2", "1")]
    high, middle, low = opened(priority, claimed)
    pod = pods.create(scheduler=priority)
    assert expect(pod).prefers(high, over=low).plugins["Priority"] == {high.name: 100, middle.name: 0, low.name: 0}
    with pytest.raises(ExpectationError, match="both scored 0"):
        expect(pod).prefers(middle, over=low)


def test_log_without_scores_is_a_mistake_of_the_test(nodes, pods, expect):
    here, there = nodes.claim(2)
    pod = pods.create()
    with pytest.raises(UsageError, match=rf"{pod.scheduler} logs at verbosity 5, .* install it with verbosity=10"):
        expect(pod).prefers(here, over=there)


class Favours(Extender):
    """Score the node with the label ``favourite``."""

    def __init__(self, score):
        self.score = score

    def prioritize(self, args):
        favourites = [node["metadata"]["name"] for node in args.nodes.items if "favourite" in labels_of(node)]
        return HostPriorityList.of(dict.fromkeys(favourites, self.score))


class Fickle(Binder):
    """Favour the nodes ``names`` one after the other, and refuse to bind until the last one's turn has come."""

    names = ()

    def prioritize(self, args):  # noqa: ARG002 - what it is asked does not matter
        return HostPriorityList.of({self.names.pop(0): 10})

    def bind(self, args):
        return ExtenderBindingResult(error="not yet") if self.names else super().bind(args)


class Contrary(Binder):
    """Bind to ``node``, if there is one, whatever the scheduler has chosen."""

    node = None

    def bind(self, args):
        return super().bind(args.model_copy(update={"node": self.node or args.node}))


@pytest.mark.parametrize("score", [9, 11])
def test_sum_of_all_scores_counts(score, extenders, install, opened, nodes, pods, expect):
    """Node affinity gives its node 100, the extender its own ten times the score."""
    served = extenders.serve(Favours(score))
    entry = {**served.endpoint, "weight": 1}
    config = "manifests/extenders/prioritize.yaml"
    weighed = install(KubeScheduler("weighed", config=config, extenders=[entry], verbosity=10))
    claimed = [nodes.claim(1, labels={label: "yes"})[0] for label in ("preferred", "favourite")]
    preferred, favourite = opened(weighed, claimed)
    better, worse = (preferred, favourite) if score < 10 else (favourite, preferred)
    pod = pods.create(scheduler=weighed, affinity=PREFERRED)
    check_preference(pod, better, worse, expect)
    scoring = expect(pod).prefers(better, over=worse)
    assert scoring.extenders == {served.url: {favourite.name: score}}
    assert scoring.final == {preferred.name: 100, favourite.name: 10 * score}
    with pytest.raises(ExpectationError, match=r"Favours +score\n"):
        expect(pod).prefers(worse, over=better)


def test_scores_of_the_attempt_that_bound_the_pod_count(cluster, extenders, install, opened, nodes, pods, expect):
    fickle = extenders.serve(Fickle(cluster.kubeconfig))
    scheduler = install(KubeScheduler("fickle", extenders=[fickle.configuration()], verbosity=10))
    first, second = opened(scheduler, nodes.claim(2))
    fickle.extender.names = [first.name, second.name]
    pod = pods.create(scheduler=scheduler)
    expect(pod).prefers(second, over=first)
    favoured = [call.result.scores for call in fickle.calls.of("prioritize", pod)]
    assert favoured == [{first.name: 10}, {second.name: 10}]


@pytest.mark.requires("resize")
def test_pod_on_another_node_than_the_highest_fails(cluster, extenders, install, half_empty, pods, expect):
    contrary = extenders.serve(Contrary(cluster.kubeconfig))
    scheduler = install(KubeScheduler("contrary", extenders=[contrary.configuration()], verbosity=10))
    empty, used = half_empty(scheduler)
    contrary.extender.node = used.name
    pod = pods.create(scheduler=scheduler, requests=ONE_CPU)
    with pytest.raises(ExpectationError, match=rf"bound to {used.name}, which scored \d+; {empty.name} scored \d+\n"):
        expect(pod).prefers(empty, over=used)


@pytest.mark.requires("resize")
def test_nodes_are_filled_one_by_one(packing, opened, sized, pods, expect):
    small, middle, large = opened(packing, sized)
    filling = [pods.create(scheduler=packing, requests=ONE_CPU) for _ in range(6)]
    scorings = expect(filling).ranked(sized)
    assert [scoring.node for scoring in scorings] == [small.name] * 2 + [middle.name] * 3 + [large.name]


@pytest.mark.requires("resize")
def test_another_order_than_that_in_which_nodes_were_filled_fails(packing, opened, sized, pods, expect):
    small, _, large = opened(packing, sized)
    filling = [pods.create(scheduler=packing, requests=ONE_CPU) for _ in range(6)]
    with pytest.raises(ExpectationError, match=f"went to {small.name} although {large.name} was still feasible"):
        expect(filling).ranked(sized[::-1])
    with pytest.raises(ExpectationError, match=f"is on {large.name}, which is none of them"):
        expect(filling).ranked(sized[:2])
    with pytest.raises(ExpectationError, match=f"{large.name} got no pod"):
        expect(filling[:5]).ranked(sized)


@pytest.mark.requires("resize")
def test_scheduler_that_spreads_does_not_fill_nodes_one_by_one(stock, opened, sized, pods, expect):
    """Control arm: the same pods, and the same nodes, for one that prefers the emptier node."""
    _, _, large = opened(stock, sized)
    spread = [pods.create(scheduler=stock, requests=ONE_CPU) for _ in range(6)]
    with pytest.raises(ExpectationError, match=rf"seen: +pod .* went to {large.name} although"):
        expect(spread).ranked(sized)


@pytest.mark.requires("resize")
def test_order_that_came_about_by_luck_is_inconclusive(packing, opened, nodes, pods, expect):
    """Of two nodes alike, chance picks the one that is filled first."""
    here, there = opened(packing, nodes.claim(2, capacity={"cpu": "2"}))
    filling = [pods.create(scheduler=packing, requests=ONE_CPU) for _ in range(3)]
    order = [here, there] if expect(filling[0]).bound() == here.name else [there, here]
    with pytest.raises(InconclusiveError, match=rf"pod-1 went to one of {here.name}, {there.name} by luck"):
        expect(filling).ranked(order)


def test_order_that_the_test_itself_has_made_is_inconclusive(packing, nodes, pods, expect):
    """Each pod has one node to go to, so nothing is scored."""
    here, there = nodes.claim(2)
    directed = [pods.create(scheduler=packing, node_selector=only(node)) for node in (here, there)]
    with pytest.raises(InconclusiveError, match=f"no pod had the choice between {here.name} and {there.name}"):
        expect(directed).ranked([here, there])


@pytest.mark.requires("resize")
def test_plugin_fills_the_highest_ranked_node_first(priority, opened, nodes, pods, expect):
    claimed = [nodes.claim(1, capacity={"cpu": "2"}, labels={LABEL: rank})[0] for rank in ("20", "10")]
    high, low = opened(priority, claimed)
    filling = [pods.create(scheduler=priority, requests=ONE_CPU) for _ in range(3)]
    expect(filling).ranked([high, low])
    with pytest.raises(ExpectationError, match=f"went to {high.name} although {low.name} was still feasible"):
        expect(filling).ranked([low, high])
