"""Schedulers that serve only some pods: those with a label, or those of one namespace.

Without a template, claims about waiting pods are inconclusive; with one, tests look as for any other scheduler.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from schedtest import ExpectationError, InconclusiveError, PodTemplate
from schedtest.properties import Plan, laws
from toy_component import toy

pytestmark = pytest.mark.requires("processes")

QUEUE = "example.com/queue"
QUEUED = PodTemplate(labels={QUEUE: "a"})
SSD = {"disk": "ssd"}
PLAN = Plan.from_yaml("nodes: [{metadata: {name: n1}}]\npods: [{metadata: {name: p1}}]")
MAY_BE_PICKY = "it may serve only pods with a label or annotation"


@pytest.fixture
def undeclared(install):
    return install(toy("undeclared", "ServesOnlyLabelled"))


@pytest.fixture
def labelled(install):
    return install(toy("labelled", "ServesOnlyLabelled", pods=QUEUED))


class TestWithoutTemplate:
    """Probe pods are not served, so the scheduler's silence about them is no evidence."""

    @pytest.mark.parametrize("labels", [{QUEUE: "a"}, {}], ids=["served", "not-served"])
    def test_rejection_is_inconclusive(self, labels, undeclared, nodes, pods, expect):
        nodes.claim(1)
        pod = pods.create(scheduler=undeclared, labels=labels, node_selector=SSD)
        with pytest.raises(InconclusiveError, match=MAY_BE_PICKY):
            expect(pod, timeout=3).stays_pending()

    def test_pod_of_another_is_inconclusive(self, undeclared, nodes, pods, expect):
        nodes.claim(1)
        pod = pods.create(scheduler="someone", labels={QUEUE: "a"})
        with pytest.raises(InconclusiveError, match=MAY_BE_PICKY):
            expect(pod, timeout=3).left_alone()
        assert not undeclared.down

    @pytest.mark.requires("more-nodes")
    def test_plan_breaks_a_law(self, undeclared, play):
        with pytest.raises(ExpectationError, match="breaks a law: completeness"):
            play(PLAN, scheduler=undeclared, patience=1).keeps(laws.completeness)


class TestWithTemplate:
    """Whatever makes pods for the scheduler gives them the label."""

    def test_pods_are_served(self, labelled, nodes, pods, deployments, burst, expect):
        (node,) = nodes.claim(1)
        pod = pods.create(scheduler=labelled, labels={"app": "a"})
        assert pod.object["metadata"]["labels"] == {"app": "a", QUEUE: "a"}
        expect(pod).bound_to(node)
        own = pods.create(scheduler=labelled, labels={QUEUE: "b"})
        assert own.object["metadata"]["labels"][QUEUE] == "b"
        expect(own).bound_to(node)
        expect(burst(20, scheduler=labelled)).bound()
        (replica,) = deployments.create("d", scheduler=labelled).pods(1)
        expect(replica).bound_to(node)

    def test_claims_about_waiting_pods(self, labelled, nodes, pods, expect):
        (node,) = nodes.claim(1)
        pod = pods.create(scheduler=labelled, node_selector=SSD)
        assert "were rejected" in expect(pod).stays_pending().proof
        node.label({"other": "label"})
        expect(pod).pending()
        expect(pod).no_event("Preempted")
        gated = pods.create(scheduler=labelled, spec={"schedulingGates": [{"name": "example.com/gate"}]})
        expect(gated).unchanged()
        expect(pods.create(scheduler="someone", labels={QUEUE: "a"})).left_alone()
        node.label(SSD)
        expect(pod).bound_to(node)

    def test_pods_of_the_default_scheduler_stay_as_they_are(self, labelled, nodes, pods):
        nodes.claim(1)
        assert labelled.scheduler_name == "labelled"
        assert not pods.create().object["metadata"].get("labels")

    @pytest.mark.requires("more-nodes")
    def test_plans(self, labelled, play):
        play(PLAN, scheduler=labelled).keeps(laws.all())


class TestNamespace:
    """Pods are made in the namespace of the template."""

    def test_pods_are_made_there(self, install, nodes, namespaces, pods, expect):
        scheduler = install(toy("one-namespace", "ServesOneNamespace", pods=PodTemplate(namespace="served")))
        (node,) = nodes.claim(1)
        pod = pods.create(scheduler=scheduler)
        assert pod.namespace == "served"
        expect(pod).bound_to(node)
        expect(pods.create(scheduler=scheduler, node_selector=SSD)).stays_pending()
        # Control arm: a namespace that the call names goes first.
        elsewhere = pods.create(scheduler=scheduler, namespace=namespaces.own)
        assert elsewhere.namespace == namespaces.own
        expect(elsewhere).left_alone()


SCHEDULER = """
import sys

import pytest
from schedtest import PodTemplate

sys.path.insert(0, {toys!r})

from toy_component import toy


@pytest.fixture
def mine(install):
    return install(toy("mine", "ServesOnlyLabelled", pods=PodTemplate(labels={labels!r})))
"""

NARROW = ("--plans=3", "--seed=1", "--features=node-selector", "--max-nodes=2", "--max-pods=2", "--max-steps=0")


@pytest.mark.requires("more-nodes")
def test_search(tmp_path, binary_options):
    toys = str(Path(__file__).parents[1] / "toys")
    (tmp_path / "schedulers.py").write_text(SCHEDULER.format(toys=toys, labels={QUEUE: "a"}))
    command = [str(Path(sys.executable).with_name("schedtest")), "search", "--scheduler=schedulers.py:mine"]
    argv = [*command, *NARROW, *binary_options]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 plans and " in done.stdout
