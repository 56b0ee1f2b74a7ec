"""``schedtest search`` screens a fork of kube-scheduler, and the real control plane confirms what the screen finds."""

import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from schedtest import ForkedScheduler
from schedtest.features.properties.plan import MOMENTS
from schedtest.features.screen.build import screen_for
from schedtest.plugin.run_state import RUN
from schedtest.properties import ACTIONS, drawn

MUTANTS = Path(__file__).parents[2] / "manifests/forks/mutants"
MUTANT, RACE = MUTANTS / "uncordon-is-not-noticed.patch", MUTANTS / "event-during-attempt-is-dropped.patch"

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


#: what is drawn shows no known bug of kube-scheduler
PLAIN = {"features": ("requests", "pod-count"), "max_steps": 4}


@pytest.fixture
def screens(request):
    """Return the screens of the fork with the race, and of the stock scheduler."""
    run = request.config.stash[RUN]
    with ExitStack() as closing:
        components = ForkedScheduler("mine", patch=RACE), None
        yield [closing.enter_context(screen_for(each, run, Path(), asked=True)) for each in components]


def finds(screen, moments, seed):
    """Return the kinds and moments of what a screen finds in drawn plans and their variants."""
    asked = [
        screen.ask(plan.as_mapping(), variants=15, seed=seed + number, actions=ACTIONS, moments=moments)
        for number, plan in enumerate(drawn(20, **PLAIN))
    ]
    return {(find.kind, find.moment) for each in asked for find in each.result().finds}


@pytest.mark.requires("processes")
def test_planted_race_is_found_at_its_moment_alone(screens):
    racing, stock = screens
    for seed in (1000, 2000, 3000):
        assert ("missed requeue", "decided") in finds(racing, MOMENTS, seed)
        assert finds(racing, (), seed) == finds(stock, (), seed) == set()
        assert finds(stock, MOMENTS, seed) <= {("wrong report", "after bind")}
