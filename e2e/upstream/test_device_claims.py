"""Dynamic resource allocation: claims of devices, as kube-scheduler allocates them."""

from contextlib import nullcontext

import pytest

from devices import DRIVER, claim, device_class, resource_slice, using, where
from schedtest import KubeScheduler

#: two of them are more than the largest whole number that the scheduler adds up
HUGE = 2**62

DEVICES = ({"name": "first"}, {"name": "second"})

#: seconds within which a pod is bound, where a bug keeps it from that
SOON = 5


@pytest.fixture
def stock(install):
    return install(KubeScheduler("stock"))


@pytest.fixture
def node(nodes):
    (claimed,) = nodes.claim(1)
    return claimed


@pytest.mark.requires("kubernetes>=1.34")
def test_claim_of_two_requests_is_allocated(stock, node, objects, pods, expect):
    objects.create(device_class())
    objects.create(resource_slice(node, *DEVICES))
    objects.create(claim({"count": 1}, {"count": 1}))
    expect(pods.create(scheduler=stock, spec=using())).bound_to(node)


@pytest.mark.requires("kubernetes>=1.34")
def test_claim_of_too_many_devices_is_refused(stock, node, objects, pods, expect, known_bug):
    objects.create(device_class())
    objects.create(resource_slice(node, *DEVICES))
    objects.create(claim({"count": HUGE}, {"count": HUGE}))
    pod = pods.create(scheduler=stock, spec=using())
    with known_bug(
        "kubernetes>=1.34,<1.37.1",
        reason="kubernetes#141323: the sum of two requests overflows, and kube-scheduler crashes",
        match="makeslice: cap out of range",
    ):
        expect(pod).event("FailedScheduling", message="exceeds the claim limit")
    expect(pods.create(scheduler=stock)).bound_to(node)


@pytest.mark.requires("kubernetes>=1.36")
def test_all_devices_that_share_counters_are_allocated(stock, node, objects, pods, expect, known_bug):
    objects.create(device_class())
    counters = [{"name": "memory", "counters": {"size": {"value": "2Gi"}}}]
    objects.create(resource_slice(node, count=2, sharedCounters=counters))
    consuming = [{"counterSet": "memory", "counters": {"size": {"value": "1Gi"}}}]
    devices = [{**device, "consumesCounters": consuming} for device in DEVICES]
    objects.create(resource_slice(node, *devices, count=2))
    objects.create(claim({"allocationMode": "All"}))
    pod = pods.create(scheduler=stock, spec=using())
    with known_bug(
        "kubernetes>=1.36,<1.36.2",
        reason="kubernetes#138882: kube-scheduler crashes if all devices are claimed and one consumes shared counters",
        match="invalid memory address or nil pointer dereference",
    ):
        expect(pod).bound_to(node)


@pytest.mark.requires("kubernetes>=1.37")
def test_taint_rule_without_a_selector_taints_no_device(stock, node, objects, pods, expect, known_bug):
    objects.create(device_class())
    objects.create(resource_slice(node, *DEVICES))
    taint = {"key": "devices.example.com/broken", "effect": "NoSchedule"}
    objects.create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceTaintRule",
            "metadata": {"name": "selects-none"},
            "spec": {"taint": taint},
        }
    )
    objects.create(claim({"count": 1}))
    pod = pods.create(scheduler=stock, spec=using())
    with known_bug(
        "kubernetes>=1.37,<1.37.1",
        reason="kubernetes#141620: a DeviceTaintRule without a selector taints every device, not none",
        match="cannot allocate all claims",
    ):
        expect(pod, timeout=SOON).bound_to(node)


@pytest.mark.requires("kubernetes>=1.34")
@pytest.mark.parametrize("mode", [{"count": 1}, {"allocationMode": "All"}], ids=["one", "all"])
def test_second_choice_is_taken_if_no_device_is_of_the_first(mode, stock, node, objects, pods, expect, known_bug):
    objects.create(device_class())
    objects.create(resource_slice(node, *DEVICES))
    objects.create(claim([{**mode, **where("device.driver == 'another'")}, mode]))
    pod = pods.create(scheduler=stock, spec=using())
    bug = known_bug(
        "kubernetes<1.36",
        reason="kubernetes#137347: of alternatives that ask for all devices, the second is judged as the first was",
        match="cannot allocate all claims",
    )
    with bug if "allocationMode" in mode else nullcontext():
        expect(pod, timeout=SOON).bound_to(node)


@pytest.mark.requires("kubernetes>=1.34")
@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
def test_pod_with_a_claim_that_is_allocated_gets_another(shared, stock, nodes, objects, pods, expect, known_bug):
    """The first pod has a claim of its own and, of a device for all nodes, one that the second pod uses as well."""
    claimed = nodes.claim(2)
    objects.create(device_class())
    objects.create(resource_slice(None, {"name": "for-all", "attributes": {"common": {"bool": True}}}))
    own = [{**device, "attributes": {"common": {"bool": False}}} for device in DEVICES]
    for each in claimed:
        objects.create(resource_slice(each, *own))
    common = f"device.attributes['{DRIVER}'].common"
    objects.create(claim({"count": 1, **where(common)}, name="common"))
    for name in ("first", "second"):
        objects.create(claim({"count": 1, **where(f"!{common}")}, name=name))
    expect(pods.create(scheduler=stock, spec=using("common", "first"))).bound()
    pod = pods.create(scheduler=stock, spec=using("common", "second") if shared else using("second"))
    bug = known_bug(
        "kubernetes>=1.35,<1.36.2,!=1.35.6,!=1.35.7,!=1.35.8",
        reason="kubernetes#139016: a pod with an allocated claim and another one gets no score, and waits for ever",
        match="number of allocations 1 is smaller than number of claims",
    )
    with bug if shared else nullcontext():
        expect(pod, timeout=SOON).bound_to_one_of(claimed)
