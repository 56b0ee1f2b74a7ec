"""Three shards as the documentation starts them on each engine: as plain processes, with the variables of each."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

EXAMPLES = Path(__file__).parents[2] / "docs/how-to/shards"

#: one file with a cluster, and two without
TESTS = {
    "test_bound.py": "def test_bound(nodes, pods, expect):\n    nodes.claim(1)\n    expect(pods.create()).bound()\n",
    "test_one.py": "def test_one(): pass\n",
    "test_two.py": "def test_two(): pass\n",
}

#: runs of shards have clusters of their own
IN_SHARDS = pytest.mark.requires("processes")


def github():
    """Yield the command and the variables of each shard, and at last those of the join."""
    jobs = yaml.safe_load((EXAMPLES / "github.yaml").read_text())["jobs"]
    for index in jobs["tests"]["strategy"]["matrix"]["shard"]:
        yield step(jobs["tests"]).replace("${{ matrix.shard }}", str(index)), {}
    yield step(jobs["report"]), {}


def step(job):
    """Return the one command of a job that installs nothing."""
    (run,) = [each["run"] for each in job["steps"] if "run" in each and not each["run"].startswith("pip ")]
    return run


def gitlab():
    """As ``github``."""
    jobs = yaml.safe_load((EXAMPLES / "gitlab.yaml").read_text())
    count = jobs["tests"]["parallel"]
    for index in range(1, count + 1):
        (script,) = jobs["tests"]["script"]
        yield script, {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(count)}
    (script,) = jobs["report"]["script"]
    yield script, {}


def indexed_job():
    """As ``github``, with folders in place of the pods' volumes."""
    spec = yaml.safe_load((EXAMPLES / "job.yaml").read_text())["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    for index in range(spec["completions"]):
        command = shlex.join(container["command"]).replace("/tests", "tests").replace("/results/", "")
        variables = {each["name"]: each["value"] for each in container["env"]}
        yield command.replace("$(JOB_COMPLETION_INDEX)", str(index)), {**variables, "JOB_COMPLETION_INDEX": str(index)}
    yield "schedtest report shard-* -o report.html --junit junit.xml", {}


@pytest.fixture
def start(tmp_path, binary_options):
    """Return a function that starts a command in a shell, in a folder with the tests."""
    (tmp_path / "tests").mkdir()
    for name, text in TESTS.items():
        (tmp_path / "tests" / name).write_text(text)
    programs = str(Path(sys.executable).parent)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COLUMNS"))}
    environment |= {
        "PATH": os.pathsep.join([programs, os.environ["PATH"]]),
        "PYTEST_ADDOPTS": shlex.join(binary_options),
    }

    def start(command, variables):
        return subprocess.Popen(
            ["/bin/bash", "-ec", command],
            cwd=tmp_path,
            env={**environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    return start


def ended(process):
    printed, _ = process.communicate(timeout=600)
    return process.returncode, printed


@IN_SHARDS
@pytest.mark.parametrize("engine", [github, gitlab, indexed_job])
def test_join_of_three_shards_has_every_test(engine, start, tmp_path):
    *shards, join = engine()
    assert len(shards) == 3
    for process in [start(*shard) for shard in shards]:
        status, printed = ended(process)
        assert status == 0, printed
    status, printed = ended(start(*join))
    assert status == 0, printed
    assert "3 shards: 3 passed" in printed
    cases = ElementTree.parse(tmp_path / "junit.xml").getroot().findall("testcase")  # noqa: S314 - it is ours
    assert sorted(case.get("name") for case in cases) == ["test_bound", "test_one", "test_two"]
    assert (tmp_path / "report.html").exists()


@IN_SHARDS
def test_shard_that_has_not_run_is_missed(start):
    *shards, join = gitlab()
    for process in [start(*shard) for shard in shards[1:]]:
        assert ended(process)[0] == 0
    status, printed = ended(start(*join))
    assert status == 12, printed
    assert "partial: shard 1/3 is missing" in printed
