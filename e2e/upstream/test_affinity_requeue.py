"""A pod that waits because of its affinity, or of another pod's, is tried again once that may let it in."""

from contextlib import nullcontext

import pytest

from schedtest import KubeScheduler, required_pod_affinity

#: what others change would have the pod tried again
pytestmark = pytest.mark.requires("whole-cluster")

HOST = "kubernetes.io/hostname"
NOISY = {"noise": "loud"}

#: seconds for the binding that does not come with the bug: many times what it takes, back-off of 1 s included
SOON = 5


def avoiding(*kinds):
    """Return the affinity of a pod that wants no node with a pod of one of these kinds."""
    apart = [{"labelSelector": {"matchLabels": {"kind": kind}}, "topologyKey": HOST} for kind in kinds]
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}}


def beside_a_worker(**where):
    """Return the affinity of a pod that wants a node with a worker of some namespaces."""
    term = {"labelSelector": {"matchLabels": {"kind": "worker"}}, "topologyKey": HOST, **where}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@pytest.fixture(scope="module")
def stock(install):
    return install(KubeScheduler("stock"))


@pytest.fixture
def elsewhere(by, namespaces, objects):
    """Return another namespace, and how a term of affinity chooses it: by its name, or by its label."""
    other = namespaces.create("other")
    objects.select("Namespace", {"kubernetes.io/metadata.name": other}, count=1)[0].patch(
        {"metadata": {"labels": {"team": "a"}}}
    )
    return other, {"namespaces": [other]} if by == "name" else {"namespaceSelector": {"matchLabels": {"team": "a"}}}


def test_pod_is_bound_once_it_has_lost_the_label_that_another_avoids(stock, pods, nodes, expect, known_bug):
    nodes.claim(1)
    expect(pods.create(scheduler=stock, affinity=required_pod_affinity(NOISY, HOST, anti=True))).bound()
    avoided = pods.create(scheduler=stock, labels=NOISY)
    expect(avoided).stays_pending(rejected_by="InterPodAffinity", message="didn't satisfy existing pods anti-affinity")
    avoided.label({"noise": None})
    with known_bug(
        "kubernetes<1.36",
        reason="kubernetes#135394: a change of the waiting pod's own labels goes unnoticed",
        match="didn't satisfy existing pods anti-affinity",
    ):
        expect(avoided, timeout=SOON).bound()


def test_pod_is_bound_once_the_pod_that_it_avoids_has_lost_the_label(stock, pods, nodes, expect):
    nodes.claim(1)
    avoided = pods.create(scheduler=stock, labels=NOISY)
    expect(avoided).bound()
    avoiding_it = pods.create(scheduler=stock, affinity=required_pod_affinity(NOISY, HOST, anti=True))
    expect(avoiding_it).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod anti-affinity rules")
    avoided.label({"noise": None})
    expect(avoiding_it).bound()


def test_pod_is_bound_once_the_pod_that_avoids_it_is_deleted(stock, pods, nodes, expect, known_bug):
    nodes.claim(1)
    avoiding = pods.create(scheduler=stock, affinity=required_pod_affinity(NOISY, HOST, anti=True))
    expect(avoiding).bound()
    avoided = pods.create(scheduler=stock, labels=NOISY)
    expect(avoided).stays_pending(rejected_by="InterPodAffinity", message="didn't satisfy existing pods anti-affinity")
    avoiding.delete()
    with known_bug(
        "kubernetes<1.36",
        reason="kubernetes#134393: the deletion of a pod whose anti-affinity kept another one away goes unnoticed",
        match="didn't satisfy existing pods anti-affinity",
    ):
        expect(avoided, timeout=SOON).bound()


def test_pod_is_bound_once_the_pod_that_it_avoids_is_deleted(stock, pods, nodes, expect):
    nodes.claim(1)
    avoided = pods.create(scheduler=stock, labels=NOISY)
    expect(avoided).bound()
    avoiding = pods.create(scheduler=stock, affinity=required_pod_affinity(NOISY, HOST, anti=True))
    expect(avoiding).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod anti-affinity rules")
    avoided.delete()
    expect(avoiding).bound()


@pytest.mark.parametrize("kinds", [("a",), ("a", "b")], ids=["one term", "two terms"])
def test_pod_is_bound_once_the_only_pod_that_it_avoids_is_deleted(kinds, stock, pods, nodes, expect, known_bug):
    nodes.claim(1)
    avoided = pods.create(scheduler=stock, labels={"kind": "a"})
    expect(avoided).bound()
    pod = pods.create(scheduler=stock, affinity=avoiding(*kinds))
    expect(pod).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod anti-affinity rules")
    avoided.delete()
    bug = known_bug(
        "kubernetes<1.37",
        reason="kubernetes#139161: the deletion of a pod that only one of several terms avoids goes unnoticed",
        match="didn't match pod anti-affinity rules",
    )
    with bug if len(kinds) > 1 else nullcontext():
        expect(pod, timeout=SOON).bound()


@pytest.mark.parametrize("by", ["name", "label"])
def test_pod_is_bound_once_its_neighbour_is(by, elsewhere, stock, pods, nodes, expect, known_bug):
    nodes.claim(1)
    other, where = elsewhere
    pod = pods.create(scheduler=stock, affinity=beside_a_worker(**where))
    expect(pod).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod affinity rules")
    expect(pods.create(scheduler=stock, labels={"kind": "worker"}, namespace=other)).bound()
    bug = known_bug(
        "kubernetes>=1.32,<1.38",
        reason="kubernetes#141953: a pod in a namespace that a selector of labels chooses goes unnoticed",
        match="didn't match pod affinity rules",
    )
    with bug if by == "label" else nullcontext():
        expect(pod, timeout=SOON).bound()


@pytest.mark.parametrize("first", ["old", "new"])
def test_pod_that_wants_its_own_kind_is_bound_once_the_last_of_them_is_gone(
    first, stock, pods, nodes, expect, known_bug
):
    """Where no pod of its kind is left, a pod may go anywhere. The new pod comes first, or the old one goes first."""
    home, _ = nodes.claim(2)
    alike = {"labels": {"kind": "worker"}, "affinity": beside_a_worker()}
    old = pods.create(scheduler=stock, node_selector={HOST: home.labels[HOST]}, **alike)
    expect(old).bound_to(home)
    home.cordon()
    if first == "old":
        old.delete()
    pod = pods.create(scheduler=stock, **alike)
    if first == "new":
        expect(pod).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod affinity rules")
        old.delete()
    bug = known_bug(
        "kubernetes>=1.32",
        reason="kubernetes#141354: the deletion of the last pod that a pod's affinity asks for goes unnoticed",
        match="didn't match pod affinity rules",
    )
    with bug if first == "new" else nullcontext():
        expect(pod, timeout=SOON).bound()


@pytest.mark.requires("resize")
def test_pod_is_bound_once_the_nominated_pod_that_it_avoids_is_deleted(stock, full, pods, expect, known_bug):
    high = pods.priority_class("high", 1000)
    node, *_ = full
    nominated = pods.create(scheduler=stock, labels={"kind": "a"}, requests={"cpu": "1"}, priority_class=high)
    expect(nominated).nominated_to(node)
    pod = pods.create(scheduler=stock, affinity=avoiding("a"))
    expect(pod).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod anti-affinity rules")
    nominated.delete()
    with known_bug(
        "kubernetes<1.36",
        reason="kubernetes#135392: the deletion of a pod that is nominated, not bound, goes unnoticed",
        match="didn't match pod anti-affinity rules",
    ):
        expect(pod, timeout=SOON).bound_to(node)


@pytest.mark.parametrize("kinds", [("a",), ("a", "b")], ids=["one term", "two terms"])
def test_pod_is_bound_once_it_has_preempted_the_only_pod_that_it_avoids(kinds, stock, pods, nodes, expect, known_bug):
    nodes.claim(1)
    avoided = pods.create(scheduler=stock, labels={"kind": "a"})
    expect(avoided).bound()
    high = pods.priority_class("high", 1000)
    pod = pods.create(scheduler=stock, affinity=avoiding(*kinds), priority_class=high)
    expect(avoided).preempted(by=pod)
    bug = known_bug(
        "kubernetes<1.37",
        reason="kubernetes#139161: the deletion of a pod that only one of several terms avoids goes unnoticed",
        match="didn't match pod anti-affinity rules",
    )
    with bug if len(kinds) > 1 else nullcontext():
        expect(pod, timeout=SOON).bound()


@pytest.mark.parametrize("first", ["old", "new"])
def test_pod_that_wants_its_own_kind_is_bound_once_the_last_of_them_has_lost_the_label(
    first, stock, pods, nodes, expect, known_bug
):
    """Where no pod of its kind is left, a pod may go anywhere. The new pod comes first, or the label goes first."""
    home, _ = nodes.claim(2)
    alike = {"labels": {"kind": "worker"}, "affinity": beside_a_worker()}
    old = pods.create(scheduler=stock, node_selector={HOST: home.labels[HOST]}, labels={"kind": "worker"})
    expect(old).bound_to(home)
    home.cordon()
    if first == "old":
        old.label({"kind": None})
    pod = pods.create(scheduler=stock, **alike)
    if first == "new":
        expect(pod).stays_pending(rejected_by="InterPodAffinity", message="didn't match pod affinity rules")
        old.label({"kind": None})
    bug = known_bug(
        "kubernetes>=1.32",
        reason="kubernetes#141354: the last pod that a pod's affinity asks for loses its label, which goes unnoticed",
        match="didn't match pod affinity rules",
    )
    with bug if first == "new" else nullcontext():
        expect(pod, timeout=SOON).bound()


@pytest.mark.parametrize("by", ["name", "label"])
def test_pod_is_bound_once_the_pod_that_avoids_its_namespace_is_deleted(
    by, elsewhere, stock, pods, nodes, expect, known_bug
):
    nodes.claim(1)
    other, where = elsewhere
    term = {"labelSelector": {}, "topologyKey": HOST, **where}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    avoiding_it = pods.create(scheduler=stock, affinity=apart)
    expect(avoiding_it).bound()
    avoided = pods.create(scheduler=stock, namespace=other)
    expect(avoided).stays_pending(rejected_by="InterPodAffinity", message="didn't satisfy existing pods anti-affinity")
    avoiding_it.delete()
    by_name = known_bug(
        "kubernetes<1.36",
        reason="kubernetes#134393: the deletion of a pod whose anti-affinity kept another one away goes unnoticed",
        match="didn't satisfy existing pods anti-affinity",
    )
    by_label = known_bug(
        "kubernetes>=1.32,<1.38",
        reason="kubernetes#141953: the deletion of a pod whose anti-affinity selects namespaces goes unnoticed",
        match="didn't satisfy existing pods anti-affinity",
    )
    with by_name if by == "name" else by_label:
        expect(avoided, timeout=SOON).bound()
