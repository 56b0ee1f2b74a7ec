"""``schedtest search`` and ``play`` find what a broken scheduler does wrong, and nothing at a healthy one."""

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
        assert done.stdout.startswith("new failures: none\n")
        return
    assert "node selector does not match" not in done.stdout, "it is exercised"
    assert "\n  soundness: after: the pods are created: p" in done.stdout
    (plan,) = tmp_path.glob(".schedtest/runs/*/plans/soundness-1.yaml")
    assert "nodeSelector:" in plan.read_text()


TWO = """
import pytest

from schedtest import KubeScheduler


def scheduler(name, **plugins):
    configuration = {{
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{{"schedulerName": name, "plugins": plugins}}],
    }}
    return KubeScheduler(name, config=configuration, verbosity=10)


@pytest.fixture
def stock(install):
    return install(scheduler("stock"))


@pytest.fixture
def mine(install):
    return install(scheduler("mine", **{plugins!r}))
"""

#: the pod fits only for a scheduler that ignores the taint
TAINTED = """
nodes: [{metadata: {name: n1}, spec: {taints: [{key: t, effect: NoSchedule}]}}]
pods: [{metadata: {name: p1}}]
"""

BLIND = {"filter": {"disabled": [{"name": "TaintToleration"}]}}


@pytest.mark.requires("processes")
@pytest.mark.parametrize(("plugins", "status"), [(BLIND, 1), ({}, 0)], ids=["another", "equal"])
def test_plan_shows_whether_two_schedulers_agree(plugins, status, tmp_path, binary_options):
    (tmp_path / "schedulers.py").write_text(TWO.format(plugins=plugins))
    (tmp_path / "plan.yaml").write_text(TAINTED)
    command = [str(Path(sys.executable).with_name("schedtest")), "play", "plan.yaml", "--law=agreement"]
    argv = [*command, "--scheduler=schedulers.py:mine", "--against=schedulers.py:stock", *binary_options]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert ("1 passed" in done.stdout) is (status == 0)
    if status:
        assert "mine breaks a law: agreement: p1: " in done.stdout
        assert "TaintToleration" in done.stdout
        assert "confirmed 3 of 3 times" in done.stdout
