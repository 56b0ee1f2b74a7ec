"""What is in the image of a shard, and how containers of it run."""

import re
import stat
from pathlib import Path

import pytest

from schedtest.errors import InfrastructureError, UsageError
from shard_image import contents

ROOT = Path(__file__).parents[3]


@pytest.fixture
def root(tmp_path):
    """The file system of an image with Debian and a Python package."""
    (tmp_path / "root" / contents.SITE / "bin").mkdir(parents=True)
    (tmp_path / "root" / contents.SITE / "bin/pytest").write_text("#!/of/this/machine/python\n")
    (tmp_path / "etcd").write_bytes(b"program")
    return tmp_path / "root"


def test_programs_launchers_and_a_folder_for_work_are_laid(root, tmp_path):
    contents.lay(root, {"etcd": tmp_path / "etcd"})
    program = root / "opt/schedtest/bin/etcd"
    assert program.read_bytes() == b"program"
    assert stat.S_IMODE(program.stat().st_mode) == 0o755
    assert stat.S_IMODE((root / "work").stat().st_mode) == 0o1777
    assert {path.name for path in (root / "usr/local/bin").iterdir()} == {"pytest", "schedtest"}


def test_nothing_names_the_machine_that_has_built_the_image(root, tmp_path):
    contents.lay(root, {"etcd": tmp_path / "etcd"})
    texts = [path.read_text() for path in root.rglob("*") if path.is_file()]
    assert not [text for text in texts if "/of/this/machine" in text or str(ROOT) in text]


def test_container_is_not_root_and_writes_into_one_folder():
    found = contents.config(["--kubernetes=v1.35.8"], "abc")
    variables = dict(each.split("=", 1) for each in found["Env"])
    assert found["User"] == "65534:65534"
    assert {variables["HOME"], variables["TMPDIR"], found["WorkingDir"]} == {"/work"}
    assert variables["PYTEST_ADDOPTS"].split() == [
        *("--bin=/opt/schedtest/bin", "-p", "no:cacheprovider", "--kubernetes=v1.35.8")
    ]


def test_image_is_of_a_recipe_until_a_file_changes(tmp_path):
    wheel = tmp_path / "wheel"
    wheel.write_bytes(b"first")
    before = contents.recipe([wheel])
    labels = contents.config([], before)["Labels"]
    assert contents.is_of(labels, contents.recipe([wheel]))
    wheel.write_bytes(b"second")
    assert not contents.is_of(labels, contents.recipe([wheel]))
    assert not contents.is_of({}, before)
    assert not contents.is_of(None, before)


def test_image_that_is_too_large_names_its_largest_files(root, monkeypatch):
    (root / "large").write_bytes(b"x" * 5_000_000)
    assert contents.check_size(root) > 5_000_000
    monkeypatch.setattr(contents, "LARGEST", 4_000_000)
    with pytest.raises(InfrastructureError, match=r"the image has 5 MB, and may have 4; .* are large \(5 MB\)"):
        contents.check_size(root)


def test_pins_are_those_of_the_lock_without_hashes():
    lock = "click==8.5.1 \\\n    --hash=sha256:aa\n    # via schedtest\ncolorama==0.4.6 ; sys_platform == 'win32' \\\n"
    assert contents.pins(lock) == "click==8.5.1\ncolorama==0.4.6 ; sys_platform == 'win32'\n"
    found = contents.pins((ROOT / "requirements.lock").read_text())
    assert "hash" not in found
    assert re.search("^pytest==", found, re.MULTILINE)


def test_packages_are_for_the_python_of_the_image():
    options = contents.pip_options("arm64")
    assert "--python-version=3.11" in options
    assert "--platform=manylinux_2_28_aarch64" in options
    assert not [each for each in options if "x86_64" in each]
    with pytest.raises(UsageError, match="an image for s390x cannot be built: choose a machine of amd64 or arm64"):
        contents.pip_options("s390x")
