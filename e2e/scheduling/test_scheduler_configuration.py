"""What a KubeSchedulerConfiguration does, and which ones kube-scheduler refuses."""

import pytest

from schedtest import ComponentError, ConfigurationError, KubeScheduler, UsageError

pytestmark = pytest.mark.bound_only

SCHEDULERS = "manifests/schedulers"

#: two of them fit on the smallest of real nodes, beside what Kubernetes runs there
HALF_A_CPU = {"cpu": "500m"}


@pytest.fixture(scope="module")
def two_profiles(install):
    return install(KubeScheduler("two-profiles", config=f"{SCHEDULERS}/two-profiles.yaml"))


@pytest.mark.usefixtures("two_profiles")
@pytest.mark.parametrize(("profile", "goes_to"), [("bin-packing", "busy"), ("spreading", "idle")])
def test_each_profile_scores_its_own_way(profile, goes_to, pods, nodes, expect):
    busy, idle = nodes.claim(2)
    busy.label({"resident": "here"})
    expect(pods.create(requests=HALF_A_CPU, node_selector={"resident": "here"})).bound_to(busy)
    pod = pods.create(scheduler=profile, requests=HALF_A_CPU)
    expect(pod).bound_to({"busy": busy, "idle": idle}[goes_to])
    expect(pod).scheduled_by(profile)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("unshared-queue-sort", r"queueSort.*must be the same for all profiles"),
        ("unknown-plugin", r'"NoSuchPlugin" does not exist'),
        ("unknown-field", r'unknown field "noSuchField"'),
        ("wrong-api-version", r'no kind "KubeSchedulerConfiguration" is registered for version'),
    ],
)
def test_broken_configuration_is_refused_with_its_reason(manifest, message, install):
    with pytest.raises(ConfigurationError, match=f"^configuration error: .*{message}"):
        install(KubeScheduler("broken", config=f"{SCHEDULERS}/broken/{manifest}.yaml"))


def test_first_document_of_a_file_counts(install, pods, expect, pytestconfig, tmp_path):
    """As for kube-scheduler, which does not look at the others."""
    first = (pytestconfig.rootpath / f"{SCHEDULERS}/custom-scheduler.yaml").read_text()
    second = (pytestconfig.rootpath / f"{SCHEDULERS}/two-profiles.yaml").read_text()
    (tmp_path / "several.yaml").write_text(f"# several\n---\n{first}\n---\n{second}")
    several = install(KubeScheduler("several", config=tmp_path / "several.yaml"))
    assert several.scheduler_name == "custom-scheduler"
    expect(pods.create(scheduler=several)).scheduled_by("custom-scheduler")


def test_health_is_asked_for_where_a_scheduler_serves_it(install, pods, expect):
    plain = install(KubeScheduler("plain", health="/healthz"))
    expect(pods.create(scheduler=plain)).scheduled_by("plain")
    # In a pod it asks the API server who may see that path, for which it lacks the right.
    seen = r"(?s)other runs, but is not ready .*(answers 403.*say so: health=…|was refused: .*statuscode: 500)"
    with pytest.raises(ComponentError, match=seen):
        install(KubeScheduler("other", health="/absent"), timeout=3)


def test_file_that_begins_with_an_empty_document_is_refused(install, tmp_path, pytestconfig):
    first = (pytestconfig.rootpath / f"{SCHEDULERS}/custom-scheduler.yaml").read_text()
    (tmp_path / "empty.yaml").write_text(f"---\n# nothing\n---\n{first}")
    with pytest.raises(UsageError, match="begins with an empty document, and kube-scheduler reads no other"):
        install(KubeScheduler("empty", config=tmp_path / "empty.yaml"))
