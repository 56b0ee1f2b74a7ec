"""The screen of ``schedtest search`` places pods as the real control plane does, but for choices that are legal.

Legal is what kube-scheduler decides by chance or by time: one of several nodes with the same, highest score, and one of
several waiting pods of the same priority. ``benchmarks.agreement`` judges that; every other difference fails.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.requires("processes", "more-nodes", "resize", "kubernetes>=1.34")


@pytest.fixture
def compared(binary_options):
    """Play drawn plans in both worlds, and return the exit status and what was printed."""

    def compared(*options):
        argv = [sys.executable, str(ROOT / "scripts/bench.py"), "simulation", *options, *binary_options]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return compared


def test_screen_agrees_with_the_control_plane(compared):
    status, said = compared("--plans=50")
    assert status == 0, said
    in_order, pinned, unexplained = map(
        int, re.search(r"in order in (\d+), with pins in (\d+); (\d+) un", said).groups()
    )
    assert unexplained == 0, said
    assert in_order >= 25, said  # the others end at a choice, and show less
    assert pinned >= 45, said


@pytest.mark.parametrize(
    ("plugin", "features"), [("NodeResourcesFit", "requests"), ("InterPodAffinity", "pod-anti-affinity")]
)
def test_screen_that_lacks_a_plugin_is_shown_to_differ(compared, tmp_path, plugin, features):
    """A comparison that calls everything legal would pass the test above."""
    profile = {"schedulerName": "default-scheduler", "plugins": {"multiPoint": {"disabled": [{"name": plugin}]}}}
    group = "kubescheduler.config.k8s.io/v1"
    config = tmp_path / "config.yaml"
    config.write_text(
        yaml.safe_dump({"apiVersion": group, "kind": "KubeSchedulerConfiguration", "profiles": [profile]})
    )
    status, said = compared("--plans=10", f"--features={features}", f"--screen-config={config}")
    assert status == 1, said
    assert "(no choice of kube-scheduler)" in said, said
