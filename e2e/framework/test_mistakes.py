"""A mistake of the user never passes, nor is a scheduler blamed for it: one sentence says what is meant."""

import pytest

from schedtest import Extender, KubeScheduler, UsageError

V1 = "kubescheduler.config.k8s.io/v1"
KIND = "KubeSchedulerConfiguration"


class Misspelt(Extender):
    """Would never be asked."""

    def filtre(self, args):
        return args.reject({})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"nodeSelektor": {"a": "b"}}, r'unknown field "spec.nodeSelektor"; did you mean nodeSelector\?'),
        (
            {"containers": [{"name": "main", "image": "x", "resorces": {}}]},
            r'unknown field "spec.containers\[0\].resorces"; did you mean resources\?',
        ),
        ({"noSuchField": 1}, 'unknown field "spec.noSuchField"$'),
    ],
)
def test_field_that_a_pod_does_not_have(pods, spec, message):
    with pytest.raises(UsageError, match=f"^Pod pod-1: the API server refuses it: .*{message}"):
        pods.create(spec=spec)
    assert pods.select({}) == []


def test_field_that_others_do_not_have(pods, deployments, objects):
    with pytest.raises(UsageError, match=r'unknown field "spec.template.spec.xyz"'):
        deployments.create("web", spec={"xyz": 1})
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    with pytest.raises(UsageError, match=r'unknown field "dat"; did you mean data\?'):
        objects.create({**manifest, "dat": {}})
    made = objects.create(manifest)
    with pytest.raises(UsageError, match=r'unknown field "dat"; did you mean data\?'):
        made.patch({"dat": {}})
    with pytest.raises(UsageError, match=r'unknown field "spec.schedulrName"'):
        pods.apply({"metadata": {"name": "p"}, "spec": {"schedulrName": "mine", "containers": []}})


def test_scheduler_that_is_not_installed(pods):
    with pytest.raises(UsageError, match="KubeScheduler mine is described, but not installed; pass what install"):
        pods.create(scheduler=KubeScheduler("mine"))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"apiVersion": V1, "kind": "Pod"}, f"kind must be {KIND}, got 'Pod'"),
        ({"apiVersion": f"{V1}beta3", "kind": KIND}, f"apiVersion must be {V1}, got '{V1}beta3'"),
        ({"apiVersion": V1, "kind": KIND, "profils": []}, r"there is no profils; did you mean profiles\?"),
        ({"apiVersion": V1, "kind": KIND}, "as by every configuration without profiles"),
    ],
)
@pytest.mark.requires("default-scheduler")
def test_configuration_without_profiles(install, config, message):
    with pytest.raises(UsageError, match=f"^mine: .*{message}"):
        install(KubeScheduler("mine", config=config))


def test_extender_with_a_misspelt_verb(extenders):
    with pytest.raises(UsageError, match=r"Misspelt has a method filtre; did you mean filter\?"):
        extenders.serve(Misspelt())


def test_calls_that_do_not_fit(pods, nodes, expect, install):
    (node,) = nodes.claim(1)
    pod = pods.create()
    with pytest.raises(UsageError, match=r"expect\(pod\) has no bond; did you mean bound\?"):
        expect(pod).bond()
    with pytest.raises(UsageError, match=f"expect\\(pod\\).bound_to: node must be .*, got '{node.name}'"):
        expect(pod).bound_to(node.name)
    with pytest.raises(UsageError, match=r"nodes.claim: .* 'label'; did you mean labels\?"):
        nodes.claim(1, label={})
    with pytest.raises(UsageError, match=r"install: .* 'replac'; did you mean replace\?"):
        install(KubeScheduler("mine"), replac=True)
    expect(pod).bound_to(node)


#: a test that has all it takes but a claim
CLAIMS_NOTHING = """
def test_that_claims_nothing(pods, expect):
    expect(pods.create(node_selector={"no": "such"}))
"""


@pytest.mark.requires("processes", "default-scheduler")
def test_expectation_without_a_claim(binary_options, pytester):
    pytester.makepyfile(test_it=CLAIMS_NOTHING)
    result = pytester.runpytest_subprocess(*binary_options, "--nodes=1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "test_it.py:2: expect(*) claims nothing, so the test would pass *",
            ">   *expect(pods.create(node_selector={*",
        ]
    )
