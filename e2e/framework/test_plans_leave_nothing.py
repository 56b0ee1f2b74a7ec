"""A plan finds nothing of the plan before: no pod, no label, no taint, and no room that a scheduler still keeps."""

from dataclasses import replace

import pytest

from schedtest.properties import Plan, Step

pytestmark = pytest.mark.requires("more-nodes", "resize")

#: leaves labels, taints, a cordon, a node too few and one too many, and pods that would fit the next plan's nodes
LOUD = Plan.from_yaml("""
nodes:
- {metadata: {name: n1, labels: {disk: ssd}}, status: {allocatable: {cpu: '2'}}}
- {metadata: {name: n2, labels: {disk: ssd}}, spec: {taints: [{key: t, effect: NoSchedule}]}}
- {metadata: {name: n3}, spec: {unschedulable: true}, status: {allocatable: {example.com/gpu: '1'}}}
namespaces:
- {metadata: {name: ns1}}
- {metadata: {name: ns2, labels: {team: x}}}
objects:
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
pods:
- metadata: {name: bound, labels: {loud: 'yes'}}
  spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}
- metadata: {name: preempting, labels: {loud: 'yes'}, namespace: ns2}
  spec: {priorityClassName: high, containers: [{name: main, resources: {requests: {cpu: '2'}}}]}
- metadata: {name: waiting, labels: {loud: 'yes'}}
  spec: {nodeSelector: {disk: none}, containers: [{name: main, resources: {requests: {cpu: '1'}}}]}
- metadata: {name: too-large, labels: {loud: 'yes'}}
  spec: {priorityClassName: high, containers: [{name: main, resources: {requests: {cpu: '99'}}}]}
steps:
- label: {namespace: ns1, labels: {team: z}}
- taint: {node: n1, taints: [{key: t, effect: PreferNoSchedule}]}
- remove: n2
- add: {metadata: {name: n4, labels: {disk: ssd}}}
""")

#: each pod needs a whole node that is as it was made, and no pod of the other plan in any namespace
_ALONE = """
  spec:
    containers: [{name: main, resources: {requests: {cpu: '1'}}}]
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: DoesNotExist}]}]
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: kubernetes.io/hostname
          namespaceSelector: {}
          labelSelector: {matchLabels: {loud: 'yes'}}
"""
_NODES = """
nodes:
- {metadata: {name: n1}, status: {allocatable: {cpu: '1'}}}
- {metadata: {name: n2}, status: {allocatable: {cpu: '1'}}}
- {metadata: {name: n3}, status: {allocatable: {cpu: '1'}}}
pods:"""

QUIET = Plan.from_yaml(_NODES + "".join(f"\n- metadata: {{name: {name}}}{_ALONE}" for name in ("p1", "p2", "p3")))

#: the same after a pod of the other plan
DISTURBED = replace(
    QUIET,
    pods=({"metadata": {"name": "left", "labels": {"loud": "yes"}}, "spec": {"nodeName": "n1"}},),
    steps=tuple(Step("create", pod["metadata"]["name"], pod) for pod in QUIET.pods),
)


def said(history):
    """Return what a scheduler said of each pod, in order."""
    return {pod: [each.reason for each in reports] for pod, reports in history.reports.items()}


def test_next_plan_is_played_as_if_it_were_the_first(play):
    first = play(QUIET).history
    assert said(first) == {"p1": ["Scheduled"], "p2": ["Scheduled"], "p3": ["Scheduled"]}
    for _ in range(4):
        loud = play(LOUD).history
        assert {pod["metadata"]["name"] for pod in loud.end.pods} >= {"waiting", "too-large"}
        after = play(QUIET).history
        assert after.episodes[0].before == first.episodes[0].before
        assert after.episodes[0].before.pods == ()
        assert said(after) == said(first)


def test_what_is_left_would_show(play):
    reasons = [reason for reports in said(play(DISTURBED).history).values() for reason in reports]
    assert "FailedScheduling" in reasons
