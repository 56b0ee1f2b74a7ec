"""Stock kube-scheduler decides as the reference model says: node by node, and by the same rule.

Each case has nodes ``a`` and ``b``, pods on them, and a pod that fits on the nodes that are named. The model is asked
about the very objects that the API server has.
"""

from dataclasses import dataclass, field

import pytest

from schedtest import ExpectationError, Taint, required_node_affinity, required_pod_affinity, spread_over
from schedtest.properties import model

pytestmark = pytest.mark.bound_only

#: seconds until a pod counts as pending that should be bound: many times what it takes
SOON = 5

ZONE, HOST = "example.com/zone", "kubernetes.io/hostname"
A, B = {ZONE: "a"}, {ZONE: "b"}
CORDON = Taint("node.kubernetes.io/unschedulable")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True)
class Case:
    """A pod, what it meets, and where it fits; where it does not, the rule that says so."""

    name: str
    pod: dict
    fits: str = ""
    rule: str = ""
    a: dict = field(default_factory=dict)
    b: dict | None = None
    others: tuple = ()
    marks: tuple = ()


def container(name="main", **more):
    return {"name": name, "image": "registry.k8s.io/pause:3.10", **more}


def requesting(cpu, *init, **spec):
    return {"spec": {"containers": [container(resources={"requests": {"cpu": cpu}})], "initContainers": init, **spec}}


def init(name, cpu, **more):
    return container(name, resources={"requests": {"cpu": cpu}}, **more)


def port(number=8080, *, sidecar=False, **more):
    ports = [{"containerPort": number, "hostPort": number, **more}]
    if sidecar:
        side = container("side", ports=ports, restartPolicy="Always")
        return {"spec": {"containers": [container()], "initContainers": [side]}}
    return {"spec": {"containers": [container(ports=ports)]}}


def expressions(*several, field="matchExpressions"):
    return {field: [{"key": key, "operator": operator, "values": list(values)} for key, operator, *values in several]}


def on_nodes(*terms):
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def to_pods(*terms, anti=False):
    return {"affinity": {"podAntiAffinity" if anti else "podAffinity": {REQUIRED: list(terms)}}}


def term(selector=None, key=ZONE, **more):
    return {"topologyKey": key, "labelSelector": selector or {"matchLabels": {"app": "db"}}, **more}


def spread(max_skew=1, key=ZONE, **more):
    return {"spread": [{**spread_over(key, {"app": "web"}, max_skew), **more}], "labels": {"app": "web"}}


def tolerating(**toleration):
    return {"spec": {"tolerations": [toleration]}}


def tainted(key="example.com/k", value="x", effect="NoSchedule"):
    return {"taints": (Taint(key, value, effect),)}


DB, WEB = {"labels": {"app": "db"}}, {"labels": {"app": "web"}}
K = "example.com/k"
SIZE = "example.com/size"
ROOM = (pytest.mark.requires("resize"),)

NODE_RULES = [
    Case("no wish", {}, "a b", b={}),
    Case("cordoned", {}, "b", a={"cordoned": True}, b={}),
    Case("only cordoned", {}, rule="NodeUnschedulable", a={"cordoned": True}),
    Case("cordon tolerated", {"tolerates": [CORDON]}, "a", a={"cordoned": True}),
    Case("node selector", {"node_selector": A}, "a", a={"labels": A}, b={"labels": B}),
    Case("node selector, no label", {"node_selector": A}, rule="NodeAffinity", b={"labels": B}),
    Case("In", {"affinity": required_node_affinity(ZONE, "b", "c")}, "b", a={"labels": A}, b={"labels": B}),
    Case("NotIn", on_nodes(expressions((ZONE, "NotIn", "a"), (HOST, "Exists"))), "b", a={"labels": A}, b={"labels": B}),
    Case("NotIn, no label", on_nodes(expressions((ZONE, "NotIn", "a"))), "b", a={"labels": A}, b={}),
    Case("Exists", on_nodes(expressions((ZONE, "Exists"))), "a", a={"labels": A}, b={}),
    Case("DoesNotExist", on_nodes(expressions((ZONE, "DoesNotExist"))), "b", a={"labels": A}, b={}),
    Case("Gt", on_nodes(expressions((SIZE, "Gt", "3"))), "b", a={"labels": {SIZE: "3"}}, b={"labels": {SIZE: "10"}}),
    Case("Lt", on_nodes(expressions((SIZE, "Lt", "10"))), "a", a={"labels": {SIZE: "2"}}, b={"labels": {SIZE: "10"}}),
    Case("Gt, no number", on_nodes(expressions((SIZE, "Gt", "3"))), rule="NodeAffinity", a={"labels": {SIZE: "1_0"}}),
    Case(
        "one term of two",
        on_nodes(expressions((ZONE, "In", "a"), (SIZE, "Exists")), expressions((ZONE, "In", "b"))),
        "b",
        a={"labels": A},
        b={"labels": B},
    ),
    Case("empty term", on_nodes({}), rule="NodeAffinity"),
    Case("empty term beside another", on_nodes({}, expressions((ZONE, "Exists"))), "a", a={"labels": A}, b={}),
    Case("taint", {}, "b", a=tainted(), b={}),
    Case("taint NoExecute", {}, rule="TaintToleration", a=tainted(effect="NoExecute")),
    Case("taint PreferNoSchedule", {}, "a", a=tainted(effect="PreferNoSchedule")),
    Case("toleration Equal", tolerating(key=K, value="x"), "a", a=tainted()),
    Case("toleration of another value", tolerating(key=K, value="y"), rule="TaintToleration", a=tainted()),
    Case("toleration Exists", tolerating(key=K, operator="Exists"), "a", a=tainted()),
    Case(
        "toleration of another effect",
        tolerating(key=K, operator="Exists", effect="NoExecute"),
        rule="TaintToleration",
        a=tainted(),
    ),
    Case(
        "one of two taints",
        tolerating(key=K, value="x"),
        rule="TaintToleration",
        a={"taints": (Taint(K, "x"), Taint("example.com/other"))},
    ),
]

SMALL = {"capacity": {"cpu": "1"}}

RESOURCES = [
    Case("just full", requesting("1"), "a", a=SMALL, marks=ROOM),
    Case("1m too much", requesting("1001m"), rule="NodeResourcesFit", a=SMALL, marks=ROOM),
    Case("just full with others", requesting("0.5"), "a", a=SMALL, others=(("a", requesting("500m")),), marks=ROOM),
    Case(
        "1m is taken", requesting("1"), rule="NodeResourcesFit", a=SMALL, others=(("a", requesting("1m")),), marks=ROOM
    ),
    Case("request of 0 on a full node", requesting("0"), "a", a=SMALL, others=(("a", requesting("1")),), marks=ROOM),
    Case("init containers in turn", requesting("500m", init("i", "1"), init("j", "1")), "a", a=SMALL, marks=ROOM),
    Case("large init container", requesting("500m", init("i", "1001m")), rule="NodeResourcesFit", a=SMALL, marks=ROOM),
    Case(
        "sidecar beside the containers",
        requesting("501m", init("s", "500m", restartPolicy="Always")),
        rule="NodeResourcesFit",
        a=SMALL,
        marks=ROOM,
    ),
    Case(
        "sidecar beside a later init container",
        requesting("1m", init("s", "500m", restartPolicy="Always"), init("i", "501m")),
        rule="NodeResourcesFit",
        a=SMALL,
        marks=ROOM,
    ),
    Case(
        "sidecar after an init container",
        requesting("1m", init("i", "501m"), init("s", "500m", restartPolicy="Always")),
        "a",
        a=SMALL,
        marks=ROOM,
    ),
    Case(
        "limit for a request",
        {"spec": {"containers": [container(resources={"limits": {"cpu": "1001m"}})]}},
        rule="NodeResourcesFit",
        a=SMALL,
        marks=ROOM,
    ),
    Case(
        "resources of the pod",
        requesting("100m", resources={"requests": {"cpu": "1001m"}}),
        rule="NodeResourcesFit",
        a=SMALL,
        marks=(*ROOM, pytest.mark.requires("kubernetes>=1.34")),
    ),
    Case("unknown resource", {"requests": {"example.com/none": "1"}}, rule="NodeResourcesFit"),
    Case("host port", port(), rule="NodePorts", others=(("a", port()),)),
    Case("host port elsewhere", port(), "a", b={}, others=(("b", port()),)),
    Case("another protocol", port(protocol="UDP"), "a", others=(("a", port()),)),
    Case("another address", port(hostIP="127.0.0.1"), "a", others=(("a", port(hostIP="127.0.0.2")),)),
    Case("every address", port(hostIP="127.0.0.1"), rule="NodePorts", others=(("a", port(hostIP="0.0.0.0")),)),  # noqa: S104
    Case("port of a sidecar", port(), rule="NodePorts", others=(("a", port(sidecar=True)),)),
    Case("port of the own sidecar", port(sidecar=True), rule="NodePorts", others=(("a", port()),)),
]

AB = {"a": {"labels": A}, "b": {"labels": B}}
IN_B = (("b", DB),)
NEVER = {"matchLabels": {"kubernetes.io/metadata.name": "never"}}

POD_AFFINITY = [
    Case("affinity", {"affinity": required_pod_affinity({"app": "db"}, ZONE)}, "b", **AB, others=IN_B),
    Case("affinity to nothing", to_pods(term()), rule="InterPodAffinity", **AB),
    Case("affinity without the topology", to_pods(term()), rule="InterPodAffinity", others=(("a", DB),)),
    Case("anti-affinity", to_pods(term(), anti=True), "a", **AB, others=IN_B),
    Case("anti-affinity without the topology", to_pods(term(), anti=True), "a", others=(("a", DB),)),
    Case(
        "anti-affinity of the other",
        WEB,
        "a",
        **AB,
        others=(("b", to_pods(term({"matchLabels": {"app": "web"}}), anti=True)),),
    ),
    Case("anti-affinity, NotIn", to_pods(term(expressions(("app", "NotIn", "x"))), anti=True), "a", **AB, others=IN_B),
    Case("anti-affinity, one term of two", to_pods(term(NEVER), term(), anti=True), "a", **AB, others=IN_B),
    Case("other namespace", to_pods(term(namespaces=["never"])), rule="InterPodAffinity", **AB, others=IN_B),
    Case("all namespaces", to_pods(term(namespaceSelector={})), "b", **AB, others=IN_B),
    Case("no such namespace", to_pods(term(namespaceSelector=NEVER), anti=True), "a b", **AB, others=IN_B),
    Case("empty selector", to_pods(term({"matchExpressions": []}), anti=True), "a", **AB, others=IN_B),
    Case("no selector", to_pods({"topologyKey": ZONE}, anti=True), "a b", **AB, others=IN_B),
    Case("first of its group", {**DB, **to_pods(term())}, "a", a={"labels": A}, b={}),
    Case("second of its group", {**DB, **to_pods(term())}, "b", **AB, others=IN_B),
    Case(
        "label key matches",
        {"labels": {"app": "db", "v": "2"}, **to_pods(term(matchLabelKeys=["v"]), anti=True)},
        "a b",
        **AB,
        others=(("b", {"labels": {"app": "db", "v": "1"}}),),
    ),
    Case(
        "label key mismatches",
        {"labels": {"app": "db", "v": "2"}, **to_pods(term(mismatchLabelKeys=["v"]), anti=True)},
        "a",
        **AB,
        others=(("b", {"labels": {"app": "db", "v": "1"}}),),
    ),
]

IN_A = (("a", WEB),)
TAINTED_B = {"labels": B, **tainted()}

SPREAD = [
    Case("skew", spread(), "b", **AB, others=IN_A),
    Case("skew allowed", spread(2), "a b", **AB, others=IN_A),
    Case("no label", spread(), "a", a={"labels": A}, b={}, others=IN_A),
    Case("too few domains", spread(minDomains=3), rule="PodTopologySpread", **AB, others=(*IN_A, ("b", WEB))),
    Case("enough domains", spread(minDomains=2), "a b", **AB, others=(*IN_A, ("b", WEB))),
    Case("taints ignored", spread(), rule="PodTopologySpread", a={"labels": A}, b=TAINTED_B, others=IN_A),
    Case("taints honoured", spread(nodeTaintsPolicy="Honor"), "a", a={"labels": A}, b=TAINTED_B, others=IN_A),
    Case("affinity honoured", {**spread(), "node_selector": A}, "a", **AB, others=IN_A),
    Case(
        "affinity ignored",
        {**spread(nodeAffinityPolicy="Ignore"), "node_selector": A},
        rule="PodTopologySpread",
        **AB,
        others=IN_A,
    ),
    Case("selector does not match itself", {**spread(), **DB}, "a b", **AB, others=IN_A),
    Case("soft constraint", spread(whenUnsatisfiable="ScheduleAnyway"), "a b", **AB, others=IN_A),
]

CASES = [*NODE_RULES, *RESOURCES, *POD_AFFINITY, *SPREAD]


@pytest.fixture
def observed(cluster):
    """Return the state of the cluster, as the API server has it."""

    def read():
        kinds = {kind.kind: kind for kind in cluster.api.kinds("v1")}

        def listed(*names):
            found = ((name, each) for name in names for each in cluster.api.list_objects(kinds[name])["items"])
            return tuple({**each, "kind": name} for name, each in found)

        volumes = listed("PersistentVolume", "PersistentVolumeClaim")
        return model.ClusterState(listed("Node"), listed("Pod"), listed("Namespace"), volumes)

    return read


@pytest.fixture
def prepared(nodes, pods):
    """Make the nodes of a case, and the pods on them; return the nodes by their names in the case."""

    def prepare(case):
        made = {}
        for name, shape in (("a", case.a), ("b", case.b)):
            if shape is not None:
                shape = dict(shape)
                cordoned = shape.pop("cordoned", False)
                (made[name],) = nodes.claim(1, **shape)
                if cordoned:
                    made[name].cordon()
        for place, other in case.others:
            # Bound as they are created: no scheduler has a say.
            pods.create(**{**other, "spec": {**other.get("spec", {}), "nodeName": made[place].name}})
        return made

    return prepare


def unbound(pod):
    """Return a pod as it was before any scheduler bound it."""
    return {**pod, "spec": {name: value for name, value in pod["spec"].items() if name != "nodeName"}}


@pytest.fixture
def compare(pods, expect, observed):
    """Create a pod, and fail unless the scheduler decides on it as the model does.

    What is returned has, for each node of the cluster, the rules by which the pod does not fit there.
    """

    def check(body, rule=""):
        before = observed()
        pod = pods.create(**body)
        asked = unbound(pod.object)
        if fitting := model.feasible(asked, before):
            assert expect(pod, timeout=SOON).bound() in fitting
        else:
            expect(pod).pending(rejected_by=rule or None)
        return {
            node["metadata"]["name"]: [each.rule for each in model.verdicts(asked, node, before) if not each.fits]
            for node in before.nodes
        }

    return check


@pytest.mark.parametrize("case", [pytest.param(case, marks=case.marks, id=case.name) for case in CASES])
def test_scheduler_decides_as_the_model_says(case, prepared, compare):
    made = prepared(case)
    rules = compare(case.pod, case.rule)
    assert {name for name, node in made.items() if not rules[node.name]} == set(case.fits.split())
    if case.rule:
        # By no other rule: were this one wrong, then the scheduler and the model would not agree. The control plane
        # taints a cordoned node, sooner or later.
        others = {"TaintToleration"} if case.a.get("cordoned") else set()
        assert {case.rule} <= set(rules[made["a"].name]) <= {case.rule} | others


TAINT = next(case for case in CASES if case.name == "one of two taints")
TOLERATED = next(case for case in CASES if case.name == "toleration Equal")


@pytest.mark.parametrize(("case", "fits"), [(TAINT, True), (TOLERATED, False)])
def test_wrong_rule_is_noticed(case, fits, prepared, compare, monkeypatch):
    """Control: a rule that answers always the same disagrees with the scheduler."""
    prepared(case)
    wrong = model.RuleVerdict("TaintToleration", fits, "" if fits else "taint is not tolerated")
    monkeypatch.setitem(model.RULES, "TaintToleration", lambda *_: wrong)
    with pytest.raises(ExpectationError):
        compare(case.pod)


BY_NUMBER = [("Gt", "95", True), ("Gt", "90", False), ("Lt", "85", True), ("Lt", "90", False)]


@pytest.mark.requires("gate:TaintTolerationComparisonOperators")
@pytest.mark.parametrize(("operator", "taint", "fits"), BY_NUMBER)
def test_toleration_by_number(operator, taint, fits, nodes, compare):
    (node,) = nodes.claim(1, taints=[Taint(K, taint)])
    rules = compare(tolerating(key=K, operator=operator, value="90"), "" if fits else "TaintToleration")
    assert rules[node.name] == ([] if fits else ["TaintToleration"])


@pytest.fixture
def disk(objects, namespace):
    """Make a volume that is on some nodes only, and a claim that is bound to it; return the volume of a pod."""
    names = {"storageClassName": "", "accessModes": ["ReadWriteOncePod"]}

    def make(*terms):
        spec = {**names, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/data"}}
        spec |= {"claimRef": {"name": "data", "namespace": namespace}}
        spec |= {"nodeAffinity": {"required": {"nodeSelectorTerms": list(terms)}}}
        metadata = {"generateName": "disk-"}
        volume = objects.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec})
        wanted = {**names, "volumeName": volume.name, "resources": {"requests": {"storage": "1Gi"}}}
        body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": wanted}
        return objects.create(body)

    return make


USES_DATA = {"spec": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}}


def test_pod_whose_claim_is_missing(nodes, compare):
    (node,) = nodes.claim(1)
    assert compare(USES_DATA)[node.name] == ["VolumeBinding"]


def test_pod_goes_where_its_volume_is_and_no_second_one_does(disk, nodes, compare, expect):
    (here,), (there,) = nodes.claim(1, labels=A), nodes.claim(1, labels=B)
    expect(disk(expressions((ZONE, "In", "b")))).has({"status": {"phase": "Bound"}})
    rules = compare(USES_DATA)
    assert (rules[here.name], rules[there.name]) == (["VolumeBinding"], [])
    rules = compare(USES_DATA, "VolumeRestrictions")
    assert rules[there.name] == ["VolumeRestrictions"]


def test_gated_pod_is_held(pods, expect, nodes):
    nodes.claim(1)
    pod = pods.create(spec={"schedulingGates": [{"name": "example.com/gate"}]})
    assert model.held(pod.object) == "gated by example.com/gate"
    expect(pod).held_back()
