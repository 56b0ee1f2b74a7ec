"""``schedtest search`` finds what a broken scheduler does wrong, and nothing at a healthy one; each in a cluster."""

import subprocess
import sys
from pathlib import Path

import pytest

SCHEDULER = """
import sys

import pytest

sys.path.insert(0, {toys!r})

from toy_component import toy


@pytest.fixture
def mine(install):
    return install(toy("mine", {fault!r}))
"""

#: plans with nothing but node selectors and labels, the same ones every time
NARROW = ("--plans=20", "--seed=1", "--features=node-selector", "--max-nodes=2", "--max-pods=2", "--max-steps=0")


@pytest.mark.requires("processes")
@pytest.mark.parametrize(("fault", "status"), [("IgnoresSelectors", 1), ("Toy", 0)], ids=["broken", "healthy"])
def test_exit_status_says_whether_the_scheduler_breaks_a_law(fault, status, tmp_path, binary_options):
    toys = str(Path(__file__).parents[1] / "toys")
    (tmp_path / "schedulers.py").write_text(SCHEDULER.format(toys=toys, fault=fault))
    command = [str(Path(sys.executable).with_name("schedtest")), "search", "--scheduler=schedulers.py:mine"]
    argv = [*command, "--law=soundness", *NARROW, *binary_options]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert "20 plans and " in done.stdout
    if status == 0:
        assert "\nnew failures: none\n" in done.stdout
        return
    assert "node selector does not match" not in done.stdout, "it is exercised"
    assert "\n  soundness: after: the pods are created: p" in done.stdout
    (plan,) = tmp_path.glob(".schedtest/runs/*/plans/soundness-1.yaml")
    assert "nodeSelector:" in plan.read_text()
