"""Sidecars are init containers that run beside the other containers."""

SIDECAR = {"name": "proxy", "restartPolicy": "Always"}


def test_sidecar_runs_on(nodes, pods, expect):
    nodes.claim(1)
    image = pods.create(runs=False).object["spec"]["containers"][0]["image"]
    pod = pods.create(spec={"initContainers": [{**SIDECAR, "image": image}]})
    expect(pod).running()
    (status,) = pod.object["status"]["initContainerStatuses"]
    assert "running" in status["state"]
