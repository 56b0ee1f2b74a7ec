"""A component that is no scheduler: the controller that keeps the status of PodGroups and ElasticQuotas."""

import pytest

from schedtest import GoProgram, ManifestRules, PluginScheduler, Program

#: scheduler-plugins 0.34.7 is compiled with Kubernetes 1.34: it serves an API server of 1.34, or of the next minor
pytestmark = pytest.mark.requires("kubernetes>=1.34,<1.36")

PLUGINS = "sigs.k8s.io/scheduler-plugins"


#: as its authors have it installed: roles, bindings and Deployments of the controller and of the scheduler
RELEASE = f"{PLUGINS}/manifests/install/all-in-one.yaml"

CONTROLLER = Program(
    "controller",
    binary=GoProgram("scheduler-plugins", f"{PLUGINS}/cmd/controller"),
    arguments=lambda at: [f"--probeAddr=127.0.0.1:{at.port}", "--metricsAddr=0", "--qps=100", "--burst=100"],
    health="/readyz",
    rules=ManifestRules(RELEASE, "scheduler-plugins-controller"),
)


@pytest.fixture(scope="module")
def scheduler(install):
    return install(
        PluginScheduler(
            "coscheduling",
            module="scheduler-plugins",
            config="manifests/schedulers/coscheduling.yaml",
            crds=(
                f"{PLUGINS}/config/crd/bases/scheduling.x-k8s.io_podgroups.yaml",
                f"{PLUGINS}/config/crd/bases/scheduling.x-k8s.io_elasticquotas.yaml",
            ),
            rules=ManifestRules(RELEASE, "system:kube-scheduler"),
        )
    )


def test_status_of_groups_and_quotas_is_kept(scheduler, install, objects, groups, nodes, expect):
    nodes.claim(1)
    quota = objects.create("manifests/objects/elastic-quota.yaml")
    gang = groups.create(minimum=3, scheduler=scheduler)
    for pod in gang.add(3, requests={"cpu": "500m"}):
        expect(pod).running()
    # Control arm: the plugins keep no status.
    expect(gang.pod_group).has({"status": None})
    expect(quota).has({"status": None})

    install(CONTROLLER)
    expect(gang.pod_group).has({"status": {"phase": "Running", "running": 3}})
    expect(quota).has({"status": {"used": {"cpu": "1500m"}}})
