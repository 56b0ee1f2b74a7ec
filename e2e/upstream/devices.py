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
    """Return a part of what the driver offers on a node, or on all (``None``); ``count``: slices of its pool."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"generateName": "slice-"},
        "spec": {
            "driver": DRIVER,
            **({"nodeName": node.name} if node else {"allNodes": True}),
            "pool": {"name": f"{pool}-{node.name if node else 'all'}", "generation": 1, "resourceSliceCount": count},
            **({"devices": [dict(device) for device in devices]} if devices else {}),
            **spec,
        },
    }


def claim(*requests, name="devices"):
    """Return a claim of devices of the driver; each request says of how many, or is a list of alternatives."""
    asked = [
        {"name": f"request-{index}", "firstAvailable": [_request(each, i) for i, each in enumerate(request)]}
        if isinstance(request, list)
        else {"name": f"request-{index}", "exactly": {"deviceClassName": DRIVER, **request}}
        for index, request in enumerate(requests)
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": asked}},
    }


def _request(wanted, number):
    return {"name": f"choice-{number}", "deviceClassName": DRIVER, **wanted}


def where(condition):
    """Return the field of a request that selects devices by an expression."""
    return {"selectors": [{"cel": {"expression": condition}}]}


def using(*names):
    """Return the fields of a pod's spec that use claims, by default the one called ``devices``."""
    return {"resourceClaims": [{"name": name, "resourceClaimName": name} for name in names or ("devices",)]}
