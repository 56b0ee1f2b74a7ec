"""``schedtest gate --check`` says whether the description of a scheduler is right, and else why not."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TOYS = Path(__file__).parents[1] / "toys"


def rule(verbs, *resources):
    return {"Rule": {"groups": [""], "resources": [*resources], "verbs": [*verbs]}}


RULES = (
    rule(["list"], "pods", "nodes"),
    rule(["create"], "pods/binding", "events"),
    rule(["patch"], "pods/status"),
)


@pytest.fixture
def check(tmp_path, monkeypatch, binary_options):
    """Check the description of a toy scheduler; return the exit status, and what the command prints."""
    monkeypatch.setenv("PYTHONPATH", str(TOYS))

    def check(fault="Toy", serves="toy", rules=RULES, **fields):
        arguments = ["--kubeconfig={at.kubeconfig}", "--port={at.port}", f"--serves={serves}", f"--fault={fault}"]
        program = {"name": "toy", "module": "toy_faults", "health": "/healthz", "arguments": arguments}
        described = {
            "apiVersion": "schedtest.dev/v1",
            "implementation": {"organization": "me", "project": "toy", "version": "v1"},
            "schedulerName": "toy",
            "run": [{"Program": {**program, "rules": [*rules]}}],
            **fields,
        }
        (tmp_path / "schedtest.yaml").write_text(yaml.safe_dump(described))
        argv = [str(Path(sys.executable).with_name("schedtest")), "gate", "--check", *binary_options]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return check


OF_DEFAULT = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"schedulerName": "default-scheduler"}],
}

PAGE = Path(__file__).parents[2] / "docs/how-to/gate.md"
DOCUMENTED = yaml.safe_load(PAGE.read_text().partition("```yaml\n")[2].partition("```")[0])


@pytest.mark.requires("processes")
@pytest.mark.parametrize(
    "described",
    [
        {"schedulerName": "toy"},
        {"schedulerName": "default-scheduler", "run": [{"KubeScheduler": {"name": "mine", "config": OF_DEFAULT}}]},
        {"schedulerName": "toy", "fault": "ServesOnlyLabelled", "pods": {"labels": {"example.com/queue": "a"}}},
        DOCUMENTED,
    ],
    ids=["toy", "default scheduler", "labelled pods", "documentation"],
)
def test_description_is_right(check, described):
    status, printed = check(**described)
    assert status == 0, printed
    assert "schedtest.yaml is right: " in printed
    assert "has bound two pods, and left one of another scheduler alone" in printed


@pytest.mark.requires("processes")
@pytest.mark.parametrize(
    ("described", "status", "said"),
    [
        (
            {"fault": "DoesNothing"},
            4,
            "toy starts and serves nothing: a pod that fits was not bound within 10 s. It may",
        ),
        ({"fault": "ServesOnlyLabelled"}, 4, "It may want a label or an annotation (see pods)"),
        ({"rules": RULES[:1]}, 4, "toy was refused: create pods/binding of API group ''"),
        (
            {"fault": "ServesPrefix"},
            4,
            "toy serves pods of other schedulers: it has bound one with the schedulerName toy-",
        ),
        ({"fault": "NoSuchFault"}, 4, "toy ended by itself with exit code 2"),
        ({"run": [{"KubeScheduler": {"name": "mine"}}]}, 2, "schedulerName: mine serves mine, and not toy"),
        ({"run": [{"Program": {"name": "toy", "binary": "gone"}}]}, 2, "gone is not a file; build it first"),
    ],
    ids=["idle", "wants a label", "rights", "greedy", "crashes", "not served", "no program"],
)
def test_description_is_wrong(check, described, status, said):
    found, printed = check(**described)
    assert found == status, printed
    assert said in printed
    assert "Traceback" not in printed
    assert "is right" not in printed
