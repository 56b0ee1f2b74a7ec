"""A component as a process of this machine, wherever the cluster is: for a debugger, say."""

from schedtest import KubeScheduler


def test_scheduler_outside_of_the_cluster_serves_its_pods_and_ends(install, pods, expect):
    pod = pods.create(scheduler="outsider")
    expect(pod).left_alone()
    outsider = install(KubeScheduler("outsider"), outside=True)
    expect(pod).scheduled_by("outsider")
    rejected = pods.create(scheduler=outsider, node_selector={"no": "such"})
    expect(rejected).stays_pending(rejected_by="NodeAffinity")

    outsider.uninstall()
    expect(pods.create(scheduler="outsider")).left_alone()
