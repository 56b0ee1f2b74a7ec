"""A release is pinned as data, and the script lists what the release breaks here."""

import json
import shutil

import click
import pytest

from pinning import minors, modules, review, sources, sums
from schedtest._util.version import Version
from schedtest.binaries import go_sums, kubernetes_release
from schedtest.scheduler_log import messages

NEWEST = list(kubernetes_release.released().values())[-1].kubernetes


def test_each_event_of_the_log_says_which_claims_rest_on_it():
    assert {each.event for each in messages.EVENTS} <= review.CLAIMS.keys()


def logging(*left_out):
    """Return the source of a scheduler that logs everything but some messages."""
    return "\n".join(f'logger.V(4).Info("{text}", "pod", pod)' for text in messages.messages() if text not in left_out)


def test_release_with_every_message_lists_nothing():
    assert list(review.lost_phrases(NEWEST, logging())) == []


@pytest.mark.parametrize(
    ("text", "rests"),
    [
        ("Calculated node's final score for pod", "prefers, ranked, scored"),
        ("Add event for node", "pending, stays_pending"),
        ("Preemptor Pod preempted victim Pod", "preempts"),
        (messages.ADDED.text, "pending, stays_pending"),
    ],
)
def test_message_that_is_gone_is_named_with_what_rests_on_it(text, rests):
    (said,) = review.lost_phrases(NEWEST, logging(text))
    assert said.startswith(f"the log no longer has {text!r}, on which rests: {rests}")


def test_message_of_other_minors_is_not_missed():
    old = "Pod moved to an internal scheduling queue because the Pod is updated"
    assert list(review.lost_phrases("v1.38.0-beta.0", logging(old))) == []
    assert len(list(review.lost_phrases("v1.36.4", logging(old)))) == 1


def test_page_has_what_is_gone_and_new():
    old, new = (
        {"Kinds": {"Pod (v1)", "Gone (v1)"}, "Metrics": {"a"}},
        {"Kinds": {"Pod (v1)", "New (v1)"}, "Metrics": {"a"}},
    )
    lines = review.page("v1.37.2", "v1.38.0-beta.0", old, new).splitlines()
    assert lines[0] == "# What differs between Kubernetes v1.37.2 and v1.38.0-beta.0"
    assert lines[lines.index("## Kinds") + 2 :] == [
        "Gone:", "", "- `Gone (v1)`", "", "New:", "", "- `New (v1)`", "", "## Metrics", "", "The same."
    ]  # fmt: skip


def test_what_is_gone_is_looked_for_in_this_repository(tmp_path):
    for name, text in {"e2e/test_it.py": "gate:OldGate", "e2e/test_other.py": "gate:OldGateToo"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    none = {"Kinds of the API": set(), "Metrics of the scheduler": set(), "Fields of the configuration": set()}
    old = {**none, "Feature gates": {"OldGate: beta, on", "Kept: alpha, off", "Unused: ga, on"}}
    new = {**none, "Feature gates": {"Kept: beta, on"}}
    said = list(review.used_names(tmp_path, old, new))
    assert said == ["Feature gates: OldGate is gone, and named in e2e/test_it.py"]


SOURCE = {
    "kubernetes/pkg/scheduler/schedule_one.go": (
        'logger.V(3).Info("Attempting to schedule pod", "pod", pod)\n'
        'utilruntime.HandleErrorWithContext(ctx, err, "Error scheduling pod; retrying", "pod", pod)\n'
    ),
    "kubernetes/pkg/scheduler/schedule_one_test.go": 'logger.Info("Of a test")\n',
    "kubernetes/pkg/scheduler/metrics/metrics.go": 'Name:           "schedule_attempts_total",\n',
    "kubernetes/cmd/kube-scheduler/app/server.go": 'logger.Error(err, "Leader election lost")\n',
    "kubernetes/api/discovery/aggregated_v2.json": json.dumps(
        {
            "items": [
                {
                    "metadata": {"name": "scheduling.k8s.io"},
                    "versions": [{"version": "v1", "resources": [{"responseKind": {"kind": "PriorityClass"}}]}],
                }
            ]
        }
    ),
    "kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata/cluster-roles.yaml": json.dumps(
        {
            "items": [
                {"metadata": {"name": "other"}, "rules": []},
                {
                    "metadata": {"name": "system:kube-scheduler"},
                    "rules": [{"verbs": ["watch", "get"], "resources": ["pods"], "apiGroups": [""]}],
                },
            ]
        }
    ),
    "kube-scheduler/config/v1/types.go": 'type Profile struct {\n\tName *string `json:"schedulerName,omitempty"`\n}\n',
    "kube-scheduler/framework/interface.go": "type Plugin interface {\n\t// Name is it.\n\tName() string\n}\n",
}


def test_source_tells_what_is_relied_on(tmp_path):
    for name, text in SOURCE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    pins = kubernetes_release.load().module("kube-apiserver")
    told = sources.told(tmp_path / "kubernetes", tmp_path / "kube-scheduler", pins)
    assert "APIResponseCompression: beta, on" in told["Feature gates"]
    assert "apps/v1: served" in told["API versions"]
    assert {topic: told[topic] for topic in list(told)[2:]} == {
        "Kinds of the API": {"PriorityClass (scheduling.k8s.io/v1)"},
        "Fields of the configuration": {"Profile.schedulerName"},
        "Interfaces of plugins": {"Plugin", "Plugin.Name() string"},
        "Packages of the scheduler": {"pkg/scheduler", "pkg/scheduler/metrics"},
        "Metrics of the scheduler": {"schedule_attempts_total"},
        "Rights of kube-scheduler": {"get, watch pods (core)"},
        "Messages of the scheduler's log": {
            "Attempting to schedule pod", "Error scheduling pod; retrying", "Leader election lost"
        },
    }  # fmt: skip


@pytest.fixture
def releases(tmp_path, monkeypatch):
    folder = shutil.copytree(minors.RELEASES, tmp_path / "releases")
    monkeypatch.setattr(minors, "RELEASES", folder)
    monkeypatch.setattr(kubernetes_release, "_RELEASES", folder)
    return folder


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_entry_that_is_there_is_written_as_it_is(releases):
    before = files(releases)
    for minor in kubernetes_release.supported():
        entry, _ = minors.entry_of(Version.of(minor)) if minor != "1.32" else ({}, None)
        if entry:
            minors.write_entry(minor, entry)
    assert files(releases) == before


def test_new_minor_has_the_tools_of_the_minor_before_and_a_release_replaces_its_prerelease(releases):
    def pinned(version, **others):
        for module in ("kubernetes", "node"):
            shutil.copytree(releases / "modules" / module / NEWEST, releases / "modules" / module / version)
        entry, before = minors.entry_of(Version.of(version))
        assert before.kubernetes == NEWEST
        kept = {"etcd": "v3.7.0", "coredns": "v1.14.6"}
        minors.write_entry(Version.of(version).of_minor, {**entry, **kept, "kubernetes": version, **others})
        return kubernetes_release.load(Version.of(version).of_minor)

    following = f"1.{Version.of(NEWEST).minor + 1}"
    assert pinned(f"v{following}.0-beta.0").kubernetes == f"v{following}.0-beta.0"
    assert following not in kubernetes_release.released()
    assert kubernetes_release.supported()[following].kind == "v0.33.0"
    assert pinned(f"v{following}.0", ends="2028-02-28").kubernetes == f"v{following}.0"
    assert following in kubernetes_release.released()
    assert sorted(path.name for path in (releases / "modules/node").iterdir())[-1] == f"v{following}.0"
    assert (releases / "modules/etcd/v3.7.0").is_dir()


def test_version_that_is_not_served_names_those_that_are(monkeypatch, tmp_path):
    monkeypatch.setattr(modules, "run", lambda *_: "k8s.io/kubernetes v1.37.0 v1.37.2 v1.38.0-beta.0")
    with pytest.raises(
        click.BadParameter, match=r"v1\.38\.0-beta\.9: Go's proxy .*; of 1\.38 it lists v1\.38\.0-beta\.0$"
    ):
        modules.refuse_unserved(None, tmp_path, "v1.38.0-beta.9")
    with pytest.raises(click.BadParameter, match=r"v1\.39\.0: .*; of 1\.39 it lists none$"):
        modules.refuse_unserved(None, tmp_path, "v1.39.0")
    modules.refuse_unserved(None, tmp_path, "v1.37.2")


def test_release_that_names_no_etcd_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "go.mod").write_text("module k8s.io/kubernetes\n")
    with pytest.raises(click.ClickException, match=r"go\.mod no longer has .*etcd"):
        modules.etcd_of(tmp_path)


SUMS = """\
example.test/a v0.0.0-20250101000000-abcdefabcdef h1:a=
example.test/a v1.2.0-beta.2/go.mod h1:b=
example.test/a v1.2.0-beta.10/go.mod h1:c=
example.test/a v1.2.0 h1:d=
example.test/a v1.2.0/go.mod h1:e=
example.test/a v1.10.0+incompatible h1:f=
example.test/b v1.0.0 h1:g=
"""


def test_sums_of_a_pin_are_in_the_order_of_go(releases):
    pins, other = releases / "modules", go_sums.of(releases / "modules", "kind/v0.33.0")
    sums.write(pins, {"kind/v0.30.0": "".join(reversed(SUMS.splitlines(keepends=True)))})
    assert go_sums.of(pins, "kind/v0.30.0") == SUMS
    assert go_sums.of(pins, "kind/v0.33.0") == other


def test_sums_that_are_written_again_are_the_same(releases):
    before = (releases / "modules" / go_sums.FILE).read_text()
    sums.write(releases / "modules", {"etcd/v3.6.4": go_sums.of(releases / "modules", "etcd/v3.6.4")})
    assert (releases / "modules" / go_sums.FILE).read_text() == before


def test_sums_of_a_pin_go_with_its_folder(releases):
    shutil.rmtree(releases / "modules/etcd/v3.6.4")
    sums.write(releases / "modules")
    assert go_sums.of(releases / "modules", "etcd/v3.6.4") == ""
    assert go_sums.of(releases / "modules", "etcd/v3.6.5")
