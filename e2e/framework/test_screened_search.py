"""``schedtest search`` screens a fork of kube-scheduler, and the real control plane confirms what the screen finds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from schedtest import ForkedScheduler

MUTANT = Path(__file__).parents[2] / "manifests/forks/mutants/uncordon-is-not-noticed.patch"

#: few features and laws, so that few plans are enough
NARROW = ("--features=cordon,requests", "--law=liveness", "--seed=3", "--plans=5")


@pytest.fixture
def mine(install):
    return install(ForkedScheduler("mine", patch=MUTANT))


@pytest.mark.requires("processes", "more-nodes", "resize")
@pytest.mark.parametrize(
    ("scheduler", "status"), [([f"--scheduler={__file__}:mine"], 1), ([], 0)], ids=["fork", "stock"]
)
def test_missed_uncordon_is_found_in_the_fork_alone(tmp_path, binary_options, scheduler, status):
    command = [str(Path(sys.executable).with_name("schedtest")), "search", *scheduler, *NARROW, *binary_options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert bool(re.search(r"liveness: after: uncordon n\d: p\w+ fits n\d", done.stdout)) == bool(status), done.stdout
    screened, replayed = re.search(
        r"screen: (\d+) plans screened .* (\d+) of them replayed on the real control plane", done.stdout
    ).groups()
    assert int(screened) > 50
    assert bool(int(replayed)) == bool(status)
    assert "which the real control plane does not show" not in done.stdout
