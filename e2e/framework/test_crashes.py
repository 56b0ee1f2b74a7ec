"""A scheduler that crashes fails the test that made it crash, and works again for the next test."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

#: the toy knows no operator but In, and ends by a KeyError
TESTS = """
import sys

import psutil
import pytest

sys.path.insert(0, TOYS)
from toy_component import toy

TERM = {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}
EXISTS = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}}}

@pytest.fixture(scope="session")
def mine(install):
    return install(toy("mine"))

@pytest.fixture
def make(mine, nodes, pods):
    nodes.claim(1)
    return lambda **spec: pods.create(scheduler=mine, **spec)

def process():
    return next(each for each in psutil.Process().children(recursive=True) if "--serves=mine" in each.cmdline())

def test_before(make, expect):
    expect(make()).bound()

def test_crash(make, expect):
    expect(make(affinity=EXISTS)).bound()

def test_between(make, expect):
    expect(make()).bound()

def test_crash_again(make, expect):
    expect(make(affinity=EXISTS)).bound()

def test_crash_that_no_claim_meets(make):
    running = process()
    make(affinity=EXISTS)
    running.wait(30)

def test_crash_that_is_wanted(make, expect):
    with pytest.raises(Exception, match="mine ended by itself"):
        expect(make(affinity=EXISTS)).bound()

def test_after(make, expect, mine):
    expect(make()).bound()
    assert mine.log().count(b"KeyError: 'values'") == 4
"""

#: the outcomes of these tests
OUTCOMES = {
    "test_before": "PASSED",
    "test_crash": "FAILED",
    "test_between": "PASSED",
    "test_crash_again": "FAILED",
    "test_crash_that_no_claim_meets": "ERROR",
    "test_crash_that_is_wanted": "PASSED",
    "test_after": "PASSED",
}


@pytest.mark.parametrize("workers", [0, 1], ids=["alone", "as a worker"])
def test_each_crash_is_its_tests_and_the_next_test_meets_a_scheduler_that_works(binary_options, tmp_path, workers):
    toys = str(Path(__file__).parents[1] / "toys")
    (tmp_path / "test_toy.py").write_text(TESTS.replace("TOYS", repr(toys)))
    options = ["-p", "no:cacheprovider", "--rootdir=.", "--nodes=2", "-v", f"--numprocesses={workers}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *binary_options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": toys},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    for test, outcome in OUTCOMES.items():
        assert re.search(rf"::{test}\b.* {outcome}|{outcome} .*::{test}\b", printed), f"{test}: {printed}"
    assert re.search(r"\b2 failed, 5 passed, 1 error in ", printed), printed
    assert len(re.findall(r"mine ended by itself with exit code 1; its last lines:", printed)) == 3, printed
    assert printed.count("KeyError: 'values'") >= 3
