"""Claims about what a component asks the API server for, by its audit log: they hold for a scheduler of any make."""

from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tenacity import Retrying, stop_after_delay, wait_fixed

from schedtest import ExpectationError, InconclusiveError, KubeScheduler
from toy_component import MEDDLING, toy

pytestmark = pytest.mark.requires("audit-log", "processes", "more-nodes")


@pytest.fixture
def stock(install):
    return install(KubeScheduler("stock"))


@pytest.fixture
def other(nodes, pods):
    """A pod that no scheduler serves, and a node."""
    nodes.claim(1, capacity={"cpu": "2"})
    return pods.create("of-another", scheduler="another")


@pytest.fixture
def scene(other, pods):  # noqa: ARG001 - it is made first
    """Beside such a pod, as many pods as a test wants."""

    def bound(scheduler, count=2):
        return [pods.create(scheduler=scheduler, requests={"cpu": "100m"}) for _ in range(count)]

    return bound


@pytest.mark.parametrize("fault", ["", "Toy"])
def test_a_healthy_scheduler_binds_each_pod_once_and_leaves_others_alone(scene, install, expect, fault):
    scheduler = install(toy("mine", fault) if fault else KubeScheduler("mine"))
    made = scene(scheduler)
    expect(made).exactly_bound(2)
    sent = expect(scheduler).binds_once()
    assert sorted(each.name for each in sent) == sorted(pod.name for pod in made)
    assert {each.body["target"]["kind"] for each in sent} == {"Node"}
    expect(scheduler).leaves_others_alone()
    expect(scheduler).stays_within_its_rights()


def test_a_second_binding_of_a_bound_pod_is_seen(scene, install, expect):
    scheduler = install(toy("mine", "BindsTwice"))
    expect(scene(scheduler)).exactly_bound(2)
    # That of the first pod was sent before the second pod was bound.
    with pytest.raises(ExpectationError, match=r"create pods/binding \(\d\)(.|\n)*answered 409"):
        expect(scheduler).binds_once()


def test_a_scheduler_that_has_bound_nothing_shows_nothing(stock, expect):
    with pytest.raises(InconclusiveError, match="it has sent no binding in this test"):
        expect(stock).binds_once()
    with pytest.raises(InconclusiveError, match="it could do no harm"):
        expect(stock).leaves_others_alone()


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        ("BindsPodsOfOthers", "create pods/binding"),
        ("RejectsPodsOfOthers", "patch pods/status"),
        ("DeletesPodsOfOthers", "delete pods"),
        ("LabelsNodes", "patch nodes"),
        ("HoldsRoomByPods", "create pods"),
    ],
)
def test_a_write_to_what_is_not_its_own_is_seen(scene, other, install, expect, pods, fault, seen):
    scheduler = install(toy("mine", fault, rights=MEDDLING))
    expect(scene(scheduler)).exactly_bound(2)
    if fault == "BindsPodsOfOthers":  # after a second
        expect(other).scheduled_by("mine")
    if fault == "LabelsNodes":  # so that a pod fits that fits nowhere
        expect(pods.create(scheduler=scheduler, node_selector={"disk": "none"})).bound()
    if fault == "HoldsRoomByPods":  # for a pod that fits nowhere
        expect(pods.create(scheduler=scheduler, node_selector={"disk": "none"})).pending()
    with pytest.raises(ExpectationError, match=seen):
        expect(scheduler).leaves_others_alone()


def test_the_eviction_of_a_less_important_pod_is_no_harm(nodes, pods, install, expect, objects):
    (node,) = nodes.claim(1, capacity={"cpu": "1"})
    important = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "vip"}, "value": 9}
    objects.create(important)
    pods.create("of-another", scheduler="another", spec={"nodeName": node.name}, requests={"cpu": "1"})
    scheduler = install(toy("mine"))
    expect(pods.create("vip", scheduler=scheduler, priority_class="vip", requests={"cpu": "1"})).bound()
    assert any(each.about == "delete pods" for each in expect(scheduler).leaves_others_alone())


def test_a_refused_request_is_seen(scene, install, expect):
    scheduler = install(toy("mine", "AsksForSecrets"))
    expect(scene(scheduler)).exactly_bound(2)
    with pytest.raises(ExpectationError, match=r"list secrets(.|\n)*answered 403"):
        expect(scheduler).stays_within_its_rights()


def test_unused_rights_are_returned(scene, install, expect):
    scheduler = install(toy("mine", rights=MEDDLING))
    expect(scene(scheduler)).exactly_bound(2)
    rights = expect(scheduler).stays_within_its_rights()
    assert {"list pods", "create pods/binding", "create events"} <= set(rights.used)
    assert {"delete namespaces", "patch nodes/status"} <= set(rights.unused)


def test_a_scheduler_that_watches_is_quiet_at_rest(scene, stock, expect):
    made = scene(stock)
    expect(made).exactly_bound(2)
    for pod in made:  # its Event is the last request about it
        expect(pod).scheduled_by("stock")
    expect(stock).rests(during=3)


def test_a_scheduler_that_lists_in_a_loop_is_not_quiet(scene, install, expect):
    scheduler = install(toy("mine"))
    expect(scene(scheduler)).exactly_bound(2)
    with pytest.raises(ExpectationError, match=r"wanted: at most 1 list and at most 1 write in 2 s(.|\n)*list pods"):
        expect(scheduler).rests(during=2)


def test_a_request_before_a_mark_does_not_count(scene, install, expect):
    scheduler = install(toy("mine"))
    expect(scene(scheduler)).exactly_bound(2)
    mark = expect.mark()
    with pytest.raises(InconclusiveError, match="it has sent no binding since then"):
        expect(scheduler).binds_once(since=mark)


@pytest.fixture
def frozen_etcd(cluster):
    """Freeze etcd, so that the API server answers no write, and return what has it run again."""
    folder = cluster.kubeconfig.parents[1]
    found = psutil.process_iter(["cmdline", "cwd"])
    (etcd,) = (
        each for each in found if each.info["cwd"] == str(folder) and Path(each.info["cmdline"][0]).name == "etcd"
    )

    @contextmanager
    def freezing():
        etcd.suspend()
        try:
            yield etcd.resume
        finally:
            etcd.resume()

    return freezing


@pytest.mark.usefixtures("other")
def test_a_write_that_the_api_server_was_killed_in_leaves_no_claim_open(
    cluster, nodes, stock, pods, expect, frozen_etcd
):
    """The audit log has its beginning, and never an end; the next binding finds the pod bound, or not."""
    nodes.claim(1, capacity={"cpu": "20"})
    log = cluster.kubeconfig.parents[1] / "logs/kube-apiserver.audit.log"
    stock.pause()
    pod = pods.create(scheduler=stock, requests={"cpu": "100m"})
    with frozen_etcd() as resume:
        stock.resume()
        for attempt in Retrying(stop=stop_after_delay(30), wait=wait_fixed(0.05)):
            with attempt:
                assert f"/pods/{pod.name}/binding" in log.read_text()
        cluster.restart_api_server(meanwhile=resume)
    expect(pod).bound()
    assert expect(stock).binds_once()[0].code == 0
    expect(stock).leaves_others_alone()
