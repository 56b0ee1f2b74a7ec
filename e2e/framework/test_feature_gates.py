"""Feature gates: those of the run reach the whole control plane and every scheduler; a component may have its own."""

import re

import pytest

from schedtest import KubeScheduler, UsageError

#: gates that every supported Kubernetes has on, and that can be switched off
GATE, OWN = "SchedulerPopFromBackoffQ", "SchedulerAsyncPreemption"

ENABLED = re.compile(r'^kubernetes_feature_enabled\{name="(\w+)",[^}]*\} ([01])$', re.MULTILINE)

#: tests of a run that sets a gate, whose option stands in the command line of each process
INNER = f"""
    from pathlib import Path
    import psutil, pytest
    from schedtest import KubeScheduler, PluginScheduler

    def flags(folder):
        found = (process.info["cmdline"] for process in psutil.process_iter(["cmdline"]))
        return {{Path(argv[0]).name: argv for argv in found if argv and any(folder in each for each in argv)}}

    def test_every_program_has_it(cluster, install, pods, expect):
        assert not cluster.feature_gates["{GATE}"]
        assert cluster.feature_gates["{OWN}"]
        install(KubeScheduler("second"))
        running = flags(str(cluster.kubeconfig.parents[1]))
        for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
            assert "--feature-gates={GATE}=false" in running[name]
        expect(pods.create()).running()

    @pytest.mark.requires("gate:{OWN}")
    def test_other_gate_is_as_kubernetes_has_it(cluster):
        assert cluster.feature_gates["{OWN}"]

    @pytest.mark.requires("gate:{GATE}")
    def test_is_skipped(cluster):
        assert not "run"

    @pytest.mark.requires("api:resource.k8s.io/v1beta1")
    def test_api_version_is_served(cluster):
        assert [kind.plural for kind in cluster.api.kinds("resource.k8s.io/v1beta1")]
"""


def gates(scheduler):
    """Return the gates of a scheduler, as its own metrics say."""
    return {name: on == "1" for name, on in ENABLED.findall(scheduler.metrics())}


def gates_of(pod):
    """Return the gates that a pod's container is started with."""
    (container,) = pod.object["spec"]["containers"]
    argv = [*container.get("command", ()), *container.get("args", ())]
    values = [each.removeprefix("--feature-gates=") for each in argv if each.startswith("--feature-gates=")]
    return {each for value in values for each in value.split(",")}


@pytest.mark.requires("processes")
def test_run_sets_gates_and_api_versions(pytester, schedtest_session):
    pytester.makepyfile(INNER)
    binaries = [f"--bin={name}={binary.path}" for name, binary in schedtest_session.binaries.items()]
    options = (f"--feature-gates={GATE}=false", "--runtime-config=resource.k8s.io/v1beta1=true")
    result = pytester.runpytest_subprocess(*options, "-rs", *binaries)
    result.assert_outcomes(passed=3, skipped=1)
    result.stdout.fnmatch_lines([f"schedtest: provider *, {GATE}=false,resource.k8s.io/v1beta1=true, seed *"])
    result.stdout.fnmatch_lines([f"*the feature gate {GATE}, which the test requires, is off; *"])


def test_gates_of_the_run_are_on_in_the_cluster(cluster, request):
    given = request.config.getoption("schedtest_feature_gates") or []
    wanted = dict(each.split("=") for value in given for each in value.split(","))
    assert {name: str(cluster.feature_gates[name]).lower() for name in wanted} == wanted
    assert cluster.feature_gates["AllAlpha"] is (wanted.get("AllAlpha") == "true")


@pytest.mark.requires("node-machines")
def test_containers_have_the_gates_of_the_run(pods, install, request):
    """Those of kind's control plane, whose static pods kubeadm writes, and of schedulers; one has a gate of its own."""
    given = request.config.getoption("schedtest_feature_gates") or []
    wanted = {each for value in given for each in value.split(",")}
    install(KubeScheduler("second", feature_gates={OWN: False}))
    for name in ("kube-apiserver", "kube-controller-manager"):
        (pod,) = pods.select({"component": name}, namespace="kube-system")
        assert gates_of(pod) == wanted, name
    ours = pods.select({"app.kubernetes.io/managed-by": "schedtest"}, namespace="kube-system")
    found = {pod.name: gates_of(pod) for pod in ours if "second" in pod.name or "scheduler" in pod.name}
    assert found == {"second": wanted | {f"{OWN}=false"}, "default-scheduler": wanted}


@pytest.mark.requires("processes")
def test_component_has_gates_of_its_own(cluster, install, pods, expect):
    scheduler = install(KubeScheduler("own", feature_gates={OWN: False}))
    assert cluster.feature_gates[OWN]
    assert not gates(scheduler)[OWN]
    assert gates(scheduler)[GATE] is cluster.feature_gates[GATE]
    expect(pods.create(scheduler=scheduler)).bound()


def test_gate_that_the_program_of_a_component_lacks(install):
    with pytest.raises(UsageError, match=r"KubeScheduler: feature_gates SchedulrX: Kubernetes v.* has no such gate"):
        install(KubeScheduler("own", feature_gates={"SchedulrX": False}))
    with pytest.raises(UsageError, match=r"feature_gates: A must be True or False, got 'true'"):
        install(KubeScheduler("own", feature_gates={"A": "true"}))
