"""Two schedulers that decide alike agree, and one that differs is caught, with the plugin and the node."""

import pytest

from schedtest import ExpectationError, InconclusiveError, KubeScheduler, Rule, Taint, UsageError
from schedtest.properties import Plan, laws
from toy_component import toy

pytestmark = pytest.mark.requires("resize")

KEPT = Taint("kept", "for-others")


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


@pytest.fixture
def tainted(nodes):
    """Two nodes, one of them larger, and a third one with a taint, which this returns."""
    _, large, tainted = nodes.claim(3, capacity={"cpu": "1", "memory": "1Gi"})
    large.resize({"cpu": "2"})
    tainted.taint(KEPT)
    return tainted


@pytest.fixture
def shapes(tainted, pods):  # noqa: ARG001 - the nodes that they are for
    """Pods that two nodes have room for, then one, then none; and one for every node."""
    return [
        pods.create(requests={"cpu": "100m", "memory": "500Mi"}),
        pods.create(requests={"cpu": "1500m"}),
        pods.create(requests={"cpu": "1500m"}),
        pods.create(requests={"cpu": "100m"}, tolerates=[KEPT]),
    ]


def test_equal_schedulers_agree(install, stock, shapes, expect):
    answers = expect(install(scheduler("equal"))).agrees_with(stock, on=shapes)
    assert [len(each.first.feasible) for each in answers] == [2, 1, 0, 3]


def test_other_weight_of_a_plugin(install, stock, shapes, expect):
    weighty = install(scheduler("weighty", plugins={"score": {"enabled": [{"name": "NodeResourcesFit", "weight": 7}]}}))
    with pytest.raises(
        ExpectationError, match=r"pod-1, number 1: NodeResourcesFit scores \S+ otherwise: .* for weighty, and"
    ):
        expect(weighty).agrees_with(stock, on=shapes)


def test_filter_that_is_missing(install, stock, shapes, expect):
    """The first pod goes elsewhere all the same, but a tainted node is feasible for it."""
    blind = install(scheduler("blind", plugins={"filter": {"disabled": [{"name": "TaintToleration"}]}}))
    words = r"number 1: \S+ is feasible for blind, and not for stock: TaintToleration rejects it; .* so blind is wrong"
    with pytest.raises(ExpectationError, match=words):
        expect(blind).agrees_with(stock, on=shapes)


def test_equal_schedulers_that_overcommit_agree_and_both_are_wrong(install, nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "1"})
    careless = {"filter": {"disabled": [{"name": "NodeResourcesFit"}]}}
    sides = [install(scheduler(name, plugins=careless)) for name in ("careless", "reckless")]
    words = f"careless and reckless bound it to {node.name}, which NodeResourcesFit refuses"
    with pytest.raises(ExpectationError, match=words):
        expect(sides[0]).agrees_with(sides[1], on=[pods.create(requests={"cpu": "2"}, scheduler="no-scheduler")])
    expect(sides[0]).agrees_with(sides[1], on=[pods.create(requests={"cpu": "1"}, scheduler="no-scheduler")])


#: a pod with a host port, which another pod on the only node has
PORTS = {"containers": [{"name": "main", "image": "none", "ports": [{"containerPort": 80, "hostPort": 80}]}]}


@pytest.fixture
def careless(install):
    """A scheduler that ignores host ports."""
    return install(scheduler("careless", plugins={"filter": {"disabled": [{"name": "NodePorts"}]}}))


@pytest.mark.parametrize("first", ["careless", "stock"])
def test_scheduler_does_not_decide_by_what_the_other_one_did(first, careless, stock, nodes, pods, expect):
    """With a copy beside another pod goes its port, in the cache of kube-scheduler: twice, as nothing is left of it."""
    (node,) = nodes.claim(1)
    expect(pods.create(spec=PORTS)).bound_to(node)
    sides = (careless, stock) if first == "careless" else (stock, careless)
    words = f"{node.name} is feasible for careless, and not for stock: NodePorts rejects it"
    for _ in range(2):
        pod = pods.create(spec=PORTS, scheduler="no-scheduler")
        with pytest.raises(ExpectationError, match=words):
            expect(sides[0]).agrees_with(sides[1], on=[pod])
    expect(pods.create(spec=PORTS)).pending(rejected_by="NodePorts")


def test_equal_schedulers_agree_about_host_ports(install, stock, nodes, pods, expect):
    nodes.claim(2)
    shapes = [pods.create(spec=PORTS, scheduler="no-scheduler") for _ in range(3)]
    answers = expect(install(scheduler("equal"))).agrees_with(stock, on=shapes)
    assert [len(each.first.feasible) for each in answers] == [2, 1, 0]


#: what is known of a scheduler of another code
SHOWN = ("feasibility", "placement")


def keeps_tenants_apart(name):
    """Return a scheduler that keeps the label ``tenant`` of the pods on a node as a set."""
    return toy(name, "KeepsTenantsApart", rights=(Rule(("",), ("pods",), ("watch",)),))


@pytest.mark.requires("processes")
@pytest.mark.parametrize("first", ["careless", "heeding"])
def test_set_that_a_scheduler_keeps_does_not_lose_what_the_other_one_put_there(first, install, nodes, pods, expect):
    (node,) = nodes.claim(1)
    heeding, careless = install(keeps_tenants_apart("heeding")), install(toy("careless"))
    expect(pods.create(scheduler=heeding, labels={"tenant": "a"})).bound_to(node)
    sides = (careless, heeding) if first == "careless" else (heeding, careless)
    for _ in range(2):
        pod = pods.create(scheduler="no-scheduler", labels={"tenant": "a"})
        with pytest.raises(ExpectationError, match=f"{node.name} is feasible for careless, and not for heeding"):
            expect(sides[0]).agrees_with(sides[1], on=[pod], aspects=SHOWN)
    expect(pods.create(scheduler=heeding, labels={"tenant": "a"})).pending()
    expect(pods.create(scheduler=heeding, labels={"tenant": "b"})).bound_to(node)


@pytest.mark.requires("processes")
def test_equal_schedulers_that_keep_sets_agree(install, nodes, pods, expect):
    (node,) = nodes.claim(1)
    heeding, equal = install(keeps_tenants_apart("heeding")), install(keeps_tenants_apart("equal"))
    shapes = [pods.create(scheduler="no-scheduler", labels={"tenant": each}) for each in ("a", "b", "a")]
    answers = expect(heeding).agrees_with(equal, on=shapes, aspects=SHOWN)
    assert [(each.first.node, each.other.node) for each in answers] == [(node.name,) * 2, (node.name,) * 2, ("", "")]


def test_pod_whose_volume_is_bound_with_it_is_refused(install, stock, objects, nodes, pods, expect):
    nodes.claim(1)
    waiting = {"volumeBindingMode": "WaitForFirstConsumer", "provisioner": "kubernetes.io/no-provisioner"}
    header = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"generateName": "local-"}}
    storage = objects.create({**header, **waiting}).name
    spec = {
        "storageClassName": storage,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    objects.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": spec})
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    pod = pods.create(spec={"volumes": volumes}, scheduler="no-scheduler")
    with pytest.raises(UsageError, match="has the claim data, which has no volume yet"):
        expect(install(scheduler("equal"))).agrees_with(stock, on=[pod])


#: what a step lets in, what it takes away, what a scheduler would preempt, and a pod that is held back
PLAN = """
nodes:
- {metadata: {name: n1}, status: {allocatable: {cpu: '2'}}}
- {metadata: {name: n2}, spec: {taints: [{key: a, effect: NoSchedule}]}, status: {allocatable: {cpu: '4'}}}
objects:
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
pods:
- {metadata: {name: p1}, spec: {containers: [{name: main, resources: {requests: {cpu: '1500m'}}}]}}
- metadata: {name: p2}
  spec: {priorityClassName: high, containers: [{name: main, resources: {requests: {cpu: '1'}}}]}
- {metadata: {name: p3}, spec: {schedulingGates: [{name: example.com/g}]}}
steps:
- delete: p2
- taint: {node: n2, taints: []}
- create: {metadata: {name: p4}, spec: {containers: [{name: main, resources: {requests: {cpu: '500m'}}}]}}
- lift: {pod: p3, gate: example.com/g}
"""


ONE_POD = """
nodes: [{metadata: {name: n1}}, {metadata: {name: n2}, status: {allocatable: {cpu: '2'}}}]
pods: [{metadata: {name: p1}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}]
"""


@pytest.mark.requires("more-nodes")
def test_equal_schedulers_keep_the_law(install, stock, play):
    play(Plan.from_yaml(PLAN), scheduler=install(scheduler("equal"))).keeps(laws.agreement(stock))


@pytest.mark.requires("more-nodes")
def test_other_weight_of_a_plugin_breaks_the_law(install, stock, play):
    weighty = install(scheduler("weighty", plugins={"score": {"enabled": [{"name": "NodeResourcesFit", "weight": 7}]}}))
    with pytest.raises(ExpectationError, match=r"agreement: p1: NodeResourcesFit scores n\d otherwise") as caught:
        play(Plan.from_yaml(ONE_POD), scheduler=weighty).keeps(laws.agreement(stock))
    said = str(caught.value)
    assert "confirmed 3 of 3 times" in said
    assert "keeps(laws.agreement('stock'))" in said


TWO_WITH_ONE_PORT = """
nodes: [{metadata: {name: n1}}]
pods:
- {metadata: {name: p1}, spec: {containers: [{name: main, ports: [{containerPort: 80, hostPort: 80}]}]}}
- {metadata: {name: p2}, spec: {containers: [{name: main, ports: [{containerPort: 80, hostPort: 80}]}]}}
"""


@pytest.mark.requires("more-nodes")
def test_scheduler_that_ignores_host_ports_breaks_the_law(careless, stock, play):
    with pytest.raises(ExpectationError, match="agreement: p2: n1 is feasible for careless, and not for stock"):
        play(Plan.from_yaml(TWO_WITH_ONE_PORT), scheduler=careless).keeps(laws.agreement(stock))


@pytest.mark.requires("processes")
def test_silence_is_no_answer(install, stock, nodes, pods, expect):
    """A scheduler that has stopped after its first attempt rejects nothing, nor does one that is paused."""
    nodes.claim(1, capacity={"cpu": "1"})
    silent = install(toy("silent", "StopsAfterOne"))
    aspects = ("feasibility", "placement")
    for _ in range(2):
        pod = pods.create(requests={"cpu": "2"}, scheduler="no-scheduler")
        with pytest.raises(InconclusiveError, match="silent has not decided about pod"):
            expect(silent, timeout=3).agrees_with(stock, on=[pod, pods.create(requests={"cpu": "2"})], aspects=aspects)


def test_no_pod_is_preempted(install, stock, nodes, pods, expect):
    nodes.claim(1, capacity={"cpu": "1"})
    low = pods.create(requests={"cpu": "1"})
    expect(low).running()
    high = pods.create(
        requests={"cpu": "1"}, priority_class=pods.priority_class("high", 1000), scheduler="no-scheduler"
    )
    (answers,) = expect(install(scheduler("equal"))).agrees_with(stock, on=[high])
    assert "NodeResourcesFit" in answers.first.plugins
    expect(low).running()


@pytest.mark.requires("processes")
@pytest.mark.parametrize("fault", ["Toy", "IgnoresTaints"])
def test_scheduler_of_another_code(fault, install, stock, tainted, pods, expect):
    """Where it goes is all that is known of it: a node must be feasible for kube-scheduler, too."""
    other = install(toy("other", fault))
    pod = pods.create(node_selector={"kubernetes.io/hostname": tainted.name})
    claim = expect(other)
    if fault == "Toy":
        (answers,) = claim.agrees_with(stock, on=[pod], aspects=("feasibility", "placement"))
        assert not answers.other.node
        return
    words = f"{tainted.name} is feasible for other, and not for stock: TaintToleration rejects it"
    with pytest.raises(ExpectationError, match=words):
        claim.agrees_with(stock, on=[pod], aspects=("feasibility", "placement"))
