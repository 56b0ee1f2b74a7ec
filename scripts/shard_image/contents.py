"""What is in the image, beside Debian, and how containers of it run."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nodeimage import debian
from nodeimage.manifest import RECIPE_LABEL
from schedtest._util import command
from schedtest.binaries.cache import sha256
from schedtest.errors import InfrastructureError, UsageError

#: what Debian has to have: Python, and the authorities of TLS
PACKAGES = ("ca-certificates", "python3")

#: the Python of Debian's release, and where its packages are that Debian does not install
PYTHON = "3.11"
SITE = f"usr/local/lib/python{PYTHON}/dist-packages"

#: where the programs of the control plane are, and the one folder in which a container writes
PROGRAMS, WORK = "/opt/schedtest/bin", "/work"

#: the user nobody of Debian
USER = 65534

#: bytes of an image
LARGEST = 700_000_000

#: Python that schedtest never imports, and that is large: an asynchronous client of Kubernetes
_NOT_RUN = "/kubernetes/aio/"

#: the extras of schedtest in the image; with statistics it would be larger than it may be
EXTRAS = ("properties", "xdist")

_FILES = Path(__file__).parent / "files"

#: the tags of wheels that Debian's C library accepts, by an architecture in Go's spelling
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_MANYLINUX = ("manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014")

#: a pin of requirements.lock, without its hashes
_PIN = re.compile(r"^[\w.-]+==[^\s;\\]+(?: ; [^\\]+)?", re.MULTILINE)


def recipe(files: Iterable[Path]) -> str:
    """Return a digest of what decides the content of an image, but for Debian's versions on that day.

    Args:
        files: the wheel, the lock and the programs.
    """
    ours = (Path(__file__), *sorted(_FILES.iterdir()), Path(debian.__file__))
    digests = [sha256(file) for file in (*ours, *files)]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def is_of(labels: Mapping[str, str] | None, recipe: str) -> bool:
    """Return whether an image with these labels is of a recipe; ``None`` is for no image."""
    return labels is not None and labels.get(RECIPE_LABEL) == recipe


def pins(lock: str) -> str:
    """Return the pins of a lock as constraints of pip, which has no hash for the wheel of schedtest."""
    return "\n".join(found.strip() for found in _PIN.findall(lock)) + "\n"


def pip_options(arch: str) -> list[str]:
    """Return the options with which pip of any Python installs packages for the Python of the image.

    Args:
        arch: the architecture in Go's spelling.

    Raises:
        UsageError: there is no image for it.
    """
    if arch not in _MACHINES:
        raise UsageError(f"an image for {arch} cannot be built: choose a machine of {' or '.join(_MACHINES)}")
    platforms = [f"--platform={tag}_{_MACHINES[arch]}" for tag in _MANYLINUX]
    return ["--only-binary=:all:", "--no-compile", "--implementation=cp", f"--python-version={PYTHON}", *platforms]


def lay(root: Path, programs: Mapping[str, Path]) -> None:
    """Put the programs, the launchers and the folder for work into the file system of the image."""
    for name, program in programs.items():
        _copy(program, root / PROGRAMS.removeprefix("/") / name)
    for launcher in sorted(_FILES.iterdir()):
        _copy(launcher, root / "usr/local/bin" / launcher.name)
    # Launchers of pip name the Python that has run it.
    shutil.rmtree(root / SITE / "bin", ignore_errors=True)
    work = root / WORK.removeprefix("/")
    work.mkdir()
    work.chmod(0o1777)


def compile_python(root: Path) -> None:
    """Compile the Python packages with the Python of the image, as containers cannot write."""
    command.run(["chroot", str(root), "python3", "-m", "compileall", "-q", "-x", _NOT_RUN, f"/{SITE}"])


def config(arguments: Sequence[str], recipe: str) -> dict[str, object]:
    """Return how a container runs.

    Args:
        arguments: further options of every run of pytest.
        recipe: of the image, which a label names.
    """
    options = [f"--bin={PROGRAMS}", "-p", "no:cacheprovider", *arguments]
    variables = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": WORK,
        "TMPDIR": WORK,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": " ".join(options),
    }
    return {
        "Env": [f"{name}={value}" for name, value in variables.items()],
        "User": f"{USER}:{USER}",
        "WorkingDir": WORK,
        "Cmd": ["schedtest", "--help"],
        "Labels": {RECIPE_LABEL: recipe},
    }


def check_size(root: Path) -> int:
    """Return the bytes of the image.

    Raises:
        InfrastructureError: they are more than an image may have.
    """
    size = sum(path.lstat().st_size for path in _files(root))
    if size > LARGEST:
        largest = sorted(_files(root), key=lambda path: -path.lstat().st_size)[:3]
        listed = ", ".join(f"{path.relative_to(root)} ({path.lstat().st_size / 1e6:.0f} MB)" for path in largest)
        raise InfrastructureError(
            f"the image has {size / 1e6:.0f} MB, and may have {LARGEST / 1e6:.0f}; its largest files are {listed}"
        )
    return size


def _files(root: Path) -> Iterator[Path]:
    return (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    target.chmod(0o755)
