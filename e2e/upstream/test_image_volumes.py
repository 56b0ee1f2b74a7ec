"""ImageLocality scores an image that is mounted as a volume like the image of a container."""

from contextlib import nullcontext

import pytest

from schedtest import KubeScheduler

pytestmark = pytest.mark.requires("resize", "kubernetes>=1.36")

#: only the images that a node has count
BY_IMAGES = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "schedulerName": "by-images",
            "plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "ImageLocality"}]}},
        }
    ],
}
MAIN, OTHER = "example.com/main:1", "example.com/other:1"
MB = 1 << 20


@pytest.fixture
def stocked(nodes, objects):
    """Claim two nodes: one with the main image, and one with both.

    An image counts by its share of the cluster's nodes; up to 1000 MB for each image of a pod make a difference.
    """
    some, both = nodes.claim(2)
    every = {node.name: node for node in objects.select("Node")}
    main = {"names": [MAIN], "sizeBytes": 1200 * MB * len(every) // 2}
    other = {"names": [OTHER], "sizeBytes": 700 * MB * len(every)}
    every[some.name].patch({"status": {"images": [main]}}, part="status")
    every[both.name].patch({"status": {"images": [main, other]}}, part="status")
    yield some, both
    for node in (some, both):
        every[node.name].patch({"status": {"images": None}}, part="status")


@pytest.mark.parametrize("use", ["container", "volume"])
def test_node_with_both_images_is_preferred(use, install, stocked, pods, expect, known_bug):
    some, both = stocked
    spec = {"containers": [{"name": "main", "image": MAIN}]}
    if use == "container":
        spec["containers"].append({"name": "other", "image": OTHER})
    else:
        spec["volumes"] = [{"name": "other", "image": {"reference": OTHER}}]
    by_images = install(KubeScheduler("by-images", config=BY_IMAGES, verbosity=10))
    pod = pods.create(scheduler=by_images, spec=spec)
    expect(pod).bound()
    bug = known_bug(
        "kubernetes>=1.36,<1.37",
        reason="kubernetes#138951: the image of a volume counts, but allows for no higher score",
        match="both scored 100",
    )
    with bug if use == "volume" else nullcontext():
        expect(pod).prefers(both, over=some)
