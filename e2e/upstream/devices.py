"""Devices for dynamic resource allocation: the objects that a driver, an administrator and a user would create."""

DRIVER = "devices.example.com"


def device_class():
    """Return the class of all devices of the driver."""
    selector = {"cel": {"expression": f"device.driver == '{DRIVER}'"}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": DRIVER},
        "spec": {"selectors": [selector]},
    }


def resource_slice(node, *devices, pool="pool", count=1, **spec):
    """Return a part of what the driver offers on a node; ``count`` is how many slices its pool has."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"generateName": "slice-"},
        "spec": {
            "driver": DRIVER,
            "nodeName": node.name,
            "pool": {"name": f"{pool}-{node.name}", "generation": 1, "resourceSliceCount": count},
            **({"devices": [dict(device) for device in devices]} if devices else {}),
            **spec,
        },
    }


def claim(*requests, name="devices"):
    """Return a claim of devices of the driver; each request says of how many."""
    asked = [
        {"name": f"request-{index}", "exactly": {"deviceClassName": DRIVER, **request}}
        for index, request in enumerate(requests)
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": asked}},
    }


def using(name="devices"):
    """Return the fields of a pod's spec that use a claim."""
    return {"resourceClaims": [{"name": "used", "resourceClaimName": name}]}
