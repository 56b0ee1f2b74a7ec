"""Lists of device requests by preference are switched off and on, program by program, as KEP-4816 describes it."""

import pytest
from e2e.upstream.devices import DRIVER, claim, device_class, resource_slice, using

from schedtest import UsageError

# 1.37 has locked the gate.
pytestmark = pytest.mark.requires("upgrade", "default-scheduler", "kubernetes>=1.34,<1.37")

GATE = "DRAPrioritizedList"
SCHEDULER, API_SERVER = ["kube-scheduler"], ["kube-apiserver"]


@pytest.fixture
def switch(cluster):
    """Switch the gate of one program, and let the others be as they are."""

    def switching(program, *, on):
        cluster.upgrade(cluster.version, feature_gates={GATE: on}, order=program)

    return switching


@pytest.fixture
def preferring(objects):
    """Make a claim of a device that there is not, or else of one that there is; return what a pod's spec says of it."""
    numbers = iter(range(10))

    def make():
        body = claim(name=f"devices-{next(numbers)}")
        large, small = (
            {"name": name, "deviceClassName": DRIVER, "selectors": [{"cel": {"expression": expression}}]}
            for name, expression in (("large", "device.driver == 'not.there'"), ("small", "true"))
        )
        body["spec"]["devices"]["requests"] = [{"name": "either", "firstAvailable": [large, small]}]
        return using(objects.create(body).name)

    return make


def test_requests_by_preference_are_switched_off_and_on(switch, preferring, nodes, objects, pods, expect):
    (node,) = nodes.claim(1)
    objects.create(device_class())
    objects.create(resource_slice(node, *({"name": f"device-{number}"} for number in range(5))))
    steady = pods.create(spec=preferring())
    expect(steady).running()
    mark = expect.mark()

    switch(SCHEDULER, on=False)
    refused = pods.create(spec=preferring())
    expect(refused).pending()

    switch(API_SERVER, on=False)
    with pytest.raises(UsageError, match=r"(?s)ResourceClaim .*the API server refuses it"):
        preferring()

    switch(SCHEDULER, on=True)
    with pytest.raises(UsageError, match=r"(?s)ResourceClaim .*the API server refuses it"):
        preferring()

    switch(API_SERVER, on=True)
    expect(pods.create(spec=preferring())).bound_to(node)
    expect(refused).bound_to(node)
    expect([steady]).undisturbed(since=mark)
