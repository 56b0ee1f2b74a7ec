"""A release is pinned as data, and the script lists what the release breaks here."""

import json
import shutil

import click
import pytest

from pinning import features, minors, modules, review, sources, sums
from schedtest._util.version import Version
from schedtest.binaries import go_sums, kubernetes_release
from schedtest.errors import CommandError
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


def test_value_that_a_message_no_longer_has_is_named():
    text = "Pod group moved to an internal scheduling queue"
    before = f'logger.V(3).Info("{text}", "podGroup", klog.KObj(pgInfo), "event", event,\n\t"queue", queue)\n'
    after = before.replace('"podGroup"', '"group"')
    (said,) = review.lost_keys("v1.38.0-beta.0", before, after)
    assert said == (
        f"the call that logs {text!r} no longer names 'podGroup', which its logger may add; on it rests: claims about "
        "groups of pods"
    )
    assert list(review.lost_keys("v1.38.0-beta.0", before, before)) == []
    assert list(review.lost_keys("v1.38.0-beta.0", before, "")) == [], "the message itself is missed"


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
    told = sources.told({name: tmp_path / name for name in sources.MODULES}, pins)
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
        assert before == newest
        kept = {"etcd": "v3.7.0", "coredns": "v1.14.6"}
        minors.write_entry(Version.of(version).of_minor, {**entry, **kept, "kubernetes": version, **others})
        return kubernetes_release.load(Version.of(version).of_minor)

    newest = list(kubernetes_release.supported().values())[-1]
    following = f"1.{Version.of(newest.kubernetes).minor + 1}"
    assert pinned(f"v{following}.0-beta.0").kubernetes == f"v{following}.0-beta.0"
    assert following not in kubernetes_release.released()
    assert kubernetes_release.supported()[following].kind == "v0.33.0"
    assert pinned(f"v{following}.0", ends="2028-02-28").kubernetes == f"v{following}.0"
    assert following in kubernetes_release.released()
    assert sorted(path.name for path in (releases / "modules/node").iterdir())[-1] == f"v{following}.0"
    assert (releases / "modules/etcd/v3.7.0").is_dir()


def described(module, version, folder=None, **others):
    """Return what Go prints about a module that it has fetched into a folder."""
    name = {"Path": module, "Version": version}
    fetched = {"Dir": str(folder), "GoMod": f"{folder}/go.mod", "Sum": "h1:s=", "GoModSum": "h1:m="} if folder else {}
    return json.dumps({**name, **fetched, **others}, indent="\t")


@pytest.fixture
def proxy(monkeypatch):
    """Answer for Go: what it prints, by the words that a command has; ``CommandError`` if that names an error."""

    def answer(printed):
        def run(_go, _folder, *arguments):
            said = next(text for words, text in printed.items() if set(words.split()) <= set(arguments))
            if "Error" in said:
                raise CommandError(["go"], 1, said)
            return said

        monkeypatch.setattr(modules, "run", run)

    return answer


def test_version_that_is_not_served_names_those_that_are(proxy, tmp_path):
    refusal = "k8s.io/kubernetes@v1.38.0-beta.9: invalid version: unknown revision v1.38.0-beta.9"
    listed = "k8s.io/kubernetes v1.37.0 v1.37.2 v1.38.0-beta.0"
    proxy({"download": described("k8s.io/kubernetes", "v1.38.0-beta.9", Error=refusal), "-versions": listed})
    with pytest.raises(
        click.BadParameter, match=r"v1\.38\.0-beta\.9: Go's proxy .*; of 1\.38 it lists v1\.38\.0-beta\.0$"
    ):
        modules.go_of(None, tmp_path, "v1.38.0-beta.9")
    with pytest.raises(click.BadParameter, match=r"v1\.39\.0: .*; of 1\.39 it lists none$"):
        modules.go_of(None, tmp_path, "v1.39.0")


def test_version_that_is_served_and_not_listed_is_taken(proxy, tmp_path):
    (tmp_path / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.25.0\n")
    proxy({"download": described("k8s.io/kubernetes", "v1.35.8", tmp_path)})
    assert modules.go_of(None, tmp_path, "v1.35.8") == (1, 25, 0)


def test_go_that_is_too_old_tells_which_is_needed(proxy, tmp_path):
    said = "k8s.io/kubernetes@v1.38.0-beta.0 requires go >= 1.27.0 (running go 1.26.8; GOTOOLCHAIN=local)"
    proxy({"download": described("k8s.io/kubernetes", "v1.38.0-beta.0", Error=said)})
    assert modules.go_of(None, tmp_path, "v1.38.0-beta.0") == (1, 27, 0)


UPSTREAM = {
    "Go": "1.27.0",
    "Require": [
        {"Path": "example.test/library", "Version": "v1.2.0"},
        {"Path": "k8s.io/api", "Version": "v0.0.0"},
        {"Path": "k8s.io/new", "Version": "v0.0.0"},
    ],
    "Replace": [
        {"Old": {"Path": f"k8s.io/{name}"}, "New": {"Path": f"./staging/src/k8s.io/{name}"}} for name in ("api", "new")
    ],
}
REFUSAL = (
    "k8s.io/new@v0.38.0-beta.0: reading https://proxy.test/k8s.io/new/@v/v0.38.0-beta.0.info: 403 Forbidden\n"
    "\tserver response: This module version is not available."
)


def pinned(proxy, tmp_path, tidied):
    """Pin a release of which the proxy refuses a module, or none."""
    folder = tmp_path / "kubernetes/v1.38.0-beta.0"
    for name in ("kubernetes/v1.38.0-beta.0", "source", "api", "library"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "source/go.sum").write_text("example.test/library v1.2.0 h1:l=\n")
    (tmp_path / "api/go.sum").write_text("k8s.io/new v0.38.0-beta.0 h1:n=\nk8s.io/new v0.38.0-beta.0/go.mod h1:o=\n")
    (tmp_path / "library/go.sum").write_text("example.test/of-its-tests v1.0.0 h1:x=\n")
    kubernetes = described("k8s.io/kubernetes", "v1.38.0-beta.0", tmp_path / "source")
    every = [
        kubernetes,
        described("k8s.io/api", "v0.38.0-beta.0", tmp_path / "api"),
        described("example.test/library", "v1.2.0", tmp_path / "library"),
        described("k8s.io/new", "v0.38.0-beta.0", Error=REFUSAL),
    ]
    proxy(
        {
            "tidy": tidied,
            "edit": json.dumps(UPSTREAM),
            "download example.test/library@v1.2.0": "\n".join(every),
            "download k8s.io/kubernetes@v1.38.0-beta.0": kubernetes,
        }
    )
    return folder, modules.pin(None, folder, ["k8s.io/kubernetes/cmd/kube-scheduler"], "v1.38.0-beta.0")


def test_release_of_which_the_proxy_refuses_a_module_is_pinned_as_its_own_files_say(proxy, tmp_path):
    folder, refused = pinned(proxy, tmp_path, f"Error: {REFUSAL}")
    assert [str(each) for each in refused] == [
        "k8s.io/new v0.38.0-beta.0: Go's proxy does not serve it (403 Forbidden)"
    ]
    written = (folder / "go.mod").read_text()
    assert "\ngo 1.27.0\n" in written
    for line in ("example.test/library v1.2.0", "k8s.io/new v0.38.0-beta.0", "k8s.io/kubernetes v1.38.0-beta.0"):
        assert f"\t{line}\n" in written
    assert (folder / "go.sum").read_text().splitlines() == [
        "example.test/library v1.2.0 h1:l=",
        "example.test/library v1.2.0 h1:s=",
        "example.test/library v1.2.0/go.mod h1:m=",
        "k8s.io/api v0.38.0-beta.0 h1:s=",
        "k8s.io/api v0.38.0-beta.0/go.mod h1:m=",
        "k8s.io/kubernetes v1.38.0-beta.0 h1:s=",
        "k8s.io/kubernetes v1.38.0-beta.0/go.mod h1:m=",
        "k8s.io/new v0.38.0-beta.0 h1:n=",
        "k8s.io/new v0.38.0-beta.0/go.mod h1:o=",
    ]


def test_release_that_is_served_whole_is_left_to_go(proxy, tmp_path):
    folder, refused = pinned(proxy, tmp_path, "")
    assert refused == []
    assert f"\ngo {modules.OLDEST}\n" in (folder / "go.mod").read_text()
    assert not (folder / "go.sum").exists()


def test_other_errors_of_go_are_no_refusal(proxy, tmp_path):
    with pytest.raises(CommandError):
        pinned(proxy, tmp_path, "Error: dial tcp: no route to host")


def test_release_that_names_no_etcd_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "go.mod").write_text("module k8s.io/kubernetes\n")
    with pytest.raises(click.ClickException, match=r"go\.mod no longer has .*etcd"):
        modules.others_of(tmp_path)


LISTED = """\
- name: LaterGate
  versionedSpecs:
  - {default: false, lockToDefault: false, preRelease: Alpha, version: "1.39"}
- name: Named
  versionedSpecs:
  - {default: false, lockToDefault: false, preRelease: Alpha, version: "1.9"}
  - {default: true, lockToDefault: true, preRelease: "", version: "1.38"}
  - {default: true, lockToDefault: true, preRelease: Deprecated, version: "1.39"}
- name: Needing
  versionedSpecs:
  - {default: false, lockToDefault: false, preRelease: Beta, version: "1.38"}
"""
FEATURES = {
    "kubernetes/test/compatibility_lifecycle/reference/versioned_feature_list.yaml": LISTED,
    "kubernetes/pkg/features/kube_features.go": (
        '\tNamed featuregate.Feature = "OtherName"\n\tNeeding featuregate.Feature = "Needing"\n'
        "var dependencies = map[featuregate.Feature][]featuregate.Feature{\n"
        "\tNamed: {},\n\n\tNeeding: {Named, featuregate.Feature(clientfeatures.OfClients)},\n}\n"
    ),
    "apiserver/pkg/features/kube_features.go": "",
    "client-go/features/known_features.go": (
        '\tOfClients Feature = "OfClients"\n'
        "var gates = map[Feature]VersionedSpecs{\n\tOfClients: {\n"
        '\t\t{Version: version.MustParse("1.33"), Default: false, PreRelease: Beta},\n'
        '\t\t{Version: version.MustParse("1.36"), Default: true, PreRelease: GA, LockToDefault: true},\n\t},\n}\n'
    ),
    "kubernetes/pkg/controlplane/instance.go": (
        '\tappsv1 "k8s.io/api/apps/v1"\n\tflowv1beta1 "k8s.io/kubernetes/pkg/apis/flow/v1beta1"\n'
        "\tstable = []schema.GroupVersion{\n\t\tappsv1.SchemeGroupVersion,\n\t}\n"
        "\tbeta = []schema.GroupVersion{\n\t\tflowv1beta1.SchemeGroupVersion,\n\t}\n"
        "\tret.EnableVersions(stable...)\n\tret.DisableVersions(beta...)\n"
    ),
    "api/apps/v1/register.go": 'const GroupName = "apps"\n',
    "kubernetes/pkg/apis/flow/v1beta1/register.go": 'const GroupName = "flow.k8s.io"\n',
}


def test_features_are_those_of_the_release(tmp_path):
    for name, text in FEATURES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    folders = {name: tmp_path / name for name in sources.MODULES}
    features.write(tmp_path, "v1.38.0-beta.0", folders)
    assert (tmp_path / "features.yaml").read_text().splitlines()[1:] == [
        "gates:",
        "  AllAlpha: {stage: alpha, default: false}",
        "  AllBeta: {stage: beta, default: false}",
        "  Needing: {stage: beta, default: false, needs: [OfClients, OtherName]}",
        "  OfClients: {stage: ga, default: true, locked: true}",
        "  OtherName: {stage: ga, default: true, locked: true}",
        "apis:",
        "  apps/v1: true",
        "  flow.k8s.io/v1beta1: false",
    ]
    with pytest.raises(click.ClickException, match=r"^Kubernetes 1\.34\.4: its source lists .* only 1\.35 and later"):
        features.write(tmp_path, "v1.34.4", folders)


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
