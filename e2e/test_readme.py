"""The examples of the README do what it says when they are copied."""

import re
from pathlib import Path

import pytest


@pytest.fixture
def examples(pytestconfig):
    """Return the examples that are whole tests, but for those of programs that are not of this repository."""
    readme = (pytestconfig.rootpath / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    return [block for block in blocks if "def test_" in block and "bin/" not in block and "Dockerfile" not in block]


@pytest.fixture(scope="session")
def home():
    """Return the user's folder, which pytester hides: Go's caches and ours are there."""
    return str(Path.home())


@pytest.mark.requires("processes")
def test_examples_run(examples, home, pytester, monkeypatch, pytestconfig, schedtest_session):
    monkeypatch.setenv("HOME", home)
    for name in ("manifests", "scheduler"):
        pytester.path.joinpath(name).symlink_to(pytestconfig.rootpath / name)
    pytester.makeconftest("")
    for number, example in enumerate(examples):
        pytester.path.joinpath(f"test_example_{number}.py").write_text(example)
    binaries = [f"--bin={name}={binary.path}" for name, binary in schedtest_session.binaries.items()]
    outcomes = pytester.runpytest_subprocess(*binaries).parseoutcomes()
    on_real_nodes = sum('requires("kubelet"' in example for example in examples)
    assert outcomes == {"passed": len(examples) - on_real_nodes, "skipped": on_real_nodes}
