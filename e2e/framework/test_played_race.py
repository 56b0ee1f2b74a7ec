"""``schedtest play`` of a plan with moments plays it in the screen, and says so."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.requires("processes", "kubernetes>=1.34")

PLAN = "nodes: [{metadata: {name: n1}}]\npods: [{metadata: {name: p1}}]\nsteps:\n"


@pytest.mark.parametrize(
    ("step", "status", "said"),
    [
        ("{lose: answer, at: after bind}", 10, "shown in simulation only: known bug: kubernetes#139602"),
        ("{label: {pod: p1, labels: {a: b}}, at: after bind}", 0, "shown in simulation only: nothing"),
    ],
    ids=["race", "control"],
)
def test_race_is_played_in_the_screen(tmp_path, binary_options, step, status, said):
    (tmp_path / "race.yaml").write_text(f"{PLAN}- {step}\n")
    command = [str(Path(sys.executable).with_name("schedtest")), "play", "race.yaml", *binary_options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert "race.yaml: played in the screen alone, as no control plane can be stopped at its moments" in done.stdout
    assert said in done.stdout
