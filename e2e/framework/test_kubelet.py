"""Real nodes: containers that really run, kubelets that die, machines that are switched off."""

import pytest

from schedtest import PAUSE_IMAGE

pytestmark = pytest.mark.requires("kubelet", "node-machines")

#: prints the limits of the control groups of a pod's containers; systemd writes the pod's uid with underscores
LIMITS = """
for file in $(find /sys/fs/cgroup -path "*pod$0.slice/*" \\( -name cpu.cfs_quota_us -o -name cpu.max -o \\
        -name memory.limit_in_bytes -o -name memory.max \\)); do
    echo "${file##*/} $(cat "$file")"
done | grep --invert-match --regexp=-1 --regexp=max$ --regexp=9223372036854771712
"""

#: tells whether the node has the controller of memory, of either version
MEMORY = """
if test -e /sys/fs/cgroup/memory/tasks || grep -qw memory /sys/fs/cgroup/cgroup.controllers; then echo mounted; fi
"""

#: by default a pod stays for five minutes on a node that does not answer
AT_ONCE = {
    "tolerations": [
        {"key": f"node.kubernetes.io/{state}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}
        for state in ("unreachable", "not-ready")
    ]
}


def test_workers_have_no_system_pods_but_those_of_daemonsets(nodes, pods):
    workers = {node.name for node in nodes.all()}
    system = [pod.object for pod in pods.select({}, namespace="kube-system")]
    assert any(pod["metadata"]["labels"].get("k8s-app") == "kube-dns" for pod in system)
    on_workers = [pod["metadata"] for pod in system if pod["spec"].get("nodeName") in workers]
    assert {owner["kind"] for pod in on_workers for owner in pod["ownerReferences"]} == {"DaemonSet"}


def test_container_is_created_and_runs(pods, nodes, expect):
    (node,) = nodes.claim(1)
    pod = pods.create()
    expect(pod).running()
    for reason in ("Scheduled", "Pulled", "Created", "Started"):
        expect(pod).event(reason)
    assert expect(pod).bound() == node.name


def test_limits_of_a_pod_are_the_kernels(pods, nodes, expect):
    """Where a controller is mounted, the pod's control group has the limit, in the words of cgroup v1 or v2."""
    (node,) = nodes.claim(1)
    limits = {"cpu": "500m", "memory": "64Mi"}
    pod = pods.create(spec={"containers": [{"name": "main", "image": PAUSE_IMAGE, "resources": {"limits": limits}}]})
    expect(pod).running()
    found = set(node.run(["sh", "-c", LIMITS, pod.uid.replace("-", "_")]).splitlines())
    assert {"cpu.cfs_quota_us 50000", "cpu.max 50000 100000"} & found
    limited = {line for line in found if line.startswith("memory.")}
    if node.run(["sh", "-c", MEMORY]).strip() == "mounted":
        assert limited in ({"memory.limit_in_bytes 67108864"}, {"memory.max 67108864"})
    else:
        assert limited == set()


def test_pod_goes_where_it_fits_and_waits_if_it_fits_nowhere(pods, nodes, expect):
    """The workers differ in memory: see ``manifests/kind/cluster.yaml``."""
    smaller, larger = sorted(nodes.claim(2), key=memory)
    assert memory(smaller) < memory(larger)
    expect(pods.create(requests={"memory": f"{memory(smaller) + 1}Ki"})).bound_to(larger)
    expect(pods.create(requests={"memory": f"{memory(larger) + 1}Ki"})).stays_pending(
        rejected_by="NodeResourcesFit", message="2 Insufficient memory"
    )


def memory(node):
    """Return how much memory a node has for pods, in KiB: what kubelets count in."""
    return int(node.object["status"]["allocatable"]["memory"].removesuffix("Ki"))


def test_pods_of_a_node_that_stops_come_up_elsewhere(deployments, nodes, expect):
    first, second = nodes.claim(2)
    second.cordon()
    web = deployments.create("web", spec=AT_ONCE)
    (before,) = web.pods(1)
    expect(before).bound_to(first)
    expect(before).running()

    second.uncordon()
    first.stop()
    expect(first).not_ready()
    # Its kubelet cannot confirm that the pod is gone, so it stays while it is being deleted.
    expect(before).evicted("DeletionByTaintManager")
    (after,) = web.pods(1)
    # Kubernetes taints a node to evict its pods, and then to keep new ones away: one may slip in between.
    if expect(after).bound_to_one_of([first, second]) == first.name:
        expect(after).evicted("DeletionByTaintManager")
        (after,) = web.pods(1)
    expect(after).bound_to(second)
    expect(after).running()

    first.start()
    expect(first).ready()


def test_kubelet_that_is_killed_comes_back_and_its_pods_run_on(pods, nodes, expect):
    nodes.claim(1)
    before = pods.create()
    expect(before).running()
    (node,) = [each for each in nodes.all() if each.name == expect(before).bound()]
    node.kill_kubelet()
    after = pods.create()
    expect(after).bound_to(node)
    expect(after).running()
    expect(before).running()
