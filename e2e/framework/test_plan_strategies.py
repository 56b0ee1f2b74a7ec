"""The API server accepts what the strategies draw: an object that it refuses tests nothing."""

import copy
import json
from collections import Counter

import pytest

from schedtest import ApiError
from schedtest.properties import Plan, drawn

pytestmark = pytest.mark.requires("whole-cluster")  # the plans' nodes are asked about, and classes made

#: how many plans are drawn, and the share of their objects that may be refused
DRAWN, REFUSED = 500, 0.01

#: a plan with two mistakes that only the API server knows
MISTAKEN = """
nodes: [{metadata: {name: n1}, spec: {taints: [{key: t/u/v, effect: NoSchedule}]}}]
pods:
- {metadata: {name: p1}, spec: {tolerations: [{operator: Equal, value: x}]}}
- {metadata: {name: p2}}
"""


@pytest.fixture
def classes(namespace, objects):
    """Make what pods must not refer to in vain; return the real names by those of plans."""
    group, policy = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}, {"preemptionPolicy": "Never"}
    bodies = {
        "high": {**group, "value": 100},
        "low": {**group, "value": -10},
        "polite": {**group, "value": 100, **policy},
        "heavy": {
            "apiVersion": "node.k8s.io/v1",
            "kind": "RuntimeClass",
            "handler": "runc",
            "overhead": {"podFixed": {"cpu": "100m"}},
        },
    }
    return {
        name: objects.create({**body, "metadata": {"name": f"{namespace}-{name}"}}).name
        for name, body in bodies.items()
    }


@pytest.fixture
def asked(cluster, namespace, classes):
    """Ask the API server about every object of plans; return how many there were, and the reasons of refusals."""
    groups = ("v1", "scheduling.k8s.io/v1", "node.k8s.io/v1")
    kinds = {kind.kind: kind for group in groups for kind in cluster.api.kinds(group)}

    def ask(drawn):
        seen, refusals = set(), Counter()
        for name, body in (each for plan in drawn for each in every_object(plan)):
            kind = kinds[name]
            for field in ("priorityClassName", "runtimeClassName"):
                if field in body.get("spec", {}):
                    body["spec"][field] = classes[body["spec"][field]]
            body["metadata"] |= {"name": f"asked-{namespace}", "namespace": namespace if kind.namespaced else None}
            text = json.dumps([name, body])
            if text in seen:
                continue
            seen.add(text)
            try:
                cluster.api.create(kind, body, body["metadata"]["namespace"], dry_run=True, strict=True)
            except ApiError as refusal:
                if not refusal.refused:
                    raise
                refusals[refusal.message] += 1
        return len(seen), refusals

    return ask


def every_object(plan):
    """Yield the kind and a copy of every object of a plan, and of what steps make of it."""
    nodes = {node["metadata"]["name"]: copy.deepcopy(node) for node in plan.all_nodes}
    pods = {pod["metadata"]["name"]: plan.complete(pod) for pod in plan.all_pods}
    namespaces = {each["metadata"]["name"]: copy.deepcopy(each) for each in plan.namespaces}
    yield from (("Node", copy.deepcopy(node)) for node in nodes.values())
    yield from (("Pod", copy.deepcopy(pod)) for pod in pods.values())
    yield from (("Namespace", copy.deepcopy(each)) for each in namespaces.values())
    yield from ((body["kind"], copy.deepcopy(body)) for body in plan.objects)
    for step in plan.steps:
        changed = copy.deepcopy({"node": nodes, "pod": pods, "namespace": namespaces}.get(step.kind, {}).get(step.name))
        if step.action == "label":
            labels = {**changed["metadata"].get("labels", {}), **step.value}
            changed["metadata"]["labels"] = {key: value for key, value in labels.items() if value is not None}
        elif step.action == "taint":
            changed.setdefault("spec", {})["taints"] = step.value
        elif step.action == "resize":
            changed["status"] = {"allocatable": step.value}
        else:
            continue
        yield {"node": "Node", "pod": "Pod", "namespace": "Namespace"}[step.kind], changed


def test_the_api_server_accepts_what_is_drawn(asked):
    objects, refusals = asked(drawn(DRAWN))
    assert objects > DRAWN
    assert sum(refusals.values()) <= REFUSED * objects, refusals.most_common()
    print(f"{objects} different objects, {sum(refusals.values())} refused", *refusals, sep="\n")  # noqa: T201


def test_a_refused_object_is_counted(asked):
    objects, refusals = asked([Plan.from_yaml(MISTAKEN)])
    assert objects == 4
    assert sum(refusals.values()) == 2, refusals
    assert any("t/u/v" in refusal for refusal in refusals)
