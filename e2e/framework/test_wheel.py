"""The wheel works alone: its examples and the tutorial run in folders that know no clone."""

import html
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

ROOT = Path(__file__).parents[2]

#: how long a command may take that builds a plugin on a busy machine
LONGEST = 600

#: the clusters are of commands and of runs of pytest; the versions are those that the example of a plugin serves
pytestmark = pytest.mark.requires("processes", "kubernetes>=1.35,<1.37")

#: bytes that a wheel may have, as the tutorial says
LARGEST = 2_000_000


class User:
    """Someone who has installed the wheel, and works in a folder.

    Attributes:
        folder: the folder.
        options: those about the binaries of a run.
    """

    def __init__(self, programs, folder, options):
        self.folder, self.options = folder, options
        others = [each for each in os.environ["PATH"].split(os.pathsep) if not Path(each).is_relative_to(ROOT)]
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "COV"))},
            "PATH": os.pathsep.join([str(programs), *others]),
            "TMPDIR": str(folder / "tmp"),  # of its own: clusters of other tests are not listed, nor ended
            "PYTEST_ADDOPTS": shlex.join(options),
        }
        for name in ("VIRTUAL_ENV", "COLUMNS"):  # pytest-xdist names a width to its workers
            self._environment.pop(name, None)
        (folder / "tmp").mkdir(parents=True)

    def run(self, command, status=0, **variables):
        """Run a command with variables, which has to end with a status; return what it prints."""
        done = subprocess.run(
            shlex.split(command),
            cwd=self.folder,
            env={**self._environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST,
            check=False,
        )
        assert done.returncode == status, f"$ {command}\n{done.stdout}"
        return done.stdout

    def change(self, file, old, new):
        """Replace a text of a file."""
        text = (self.folder / file).read_text()
        assert old in text
        (self.folder / file).write_text(text.replace(old, new))


def build(*arguments):
    """Run the Python of this project, from its root."""
    subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=True, timeout=LONGEST)


@pytest.fixture(scope="session")
def installed(tmp_path_factory, worker_id):
    """Build wheel and sdist, and install the wheel into an empty environment; return the folder, once for all workers.

    The packages come from the machine's index. They are not compiled: Python does so with what is imported.
    """
    folder = tmp_path_factory.getbasetemp() / "wheel"
    if worker_id != "master":
        folder = tmp_path_factory.getbasetemp().parent / "wheel"
    with FileLock(f"{folder}.lock"):
        if not (folder / "installed").exists():
            build("hatchling", "build", "-d", str(folder / "dist"))
            (wheel,) = folder.glob("dist/*.whl")
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
            options = ["--quiet", "--no-compile", "--disable-pip-version-check"]
            build("pip", "--python", str(folder / "venv/bin/python"), "install", *options, f"{wheel}[xdist]")
            (folder / "installed").touch()
    return folder


@pytest.fixture
def user(installed, tmp_path, binary_options):
    return User(installed / "venv/bin", tmp_path / "mine", binary_options)


def test_wheel_is_small_and_the_sdist_makes_the_same(installed, tmp_path):
    (wheel,), (sdist,) = installed.glob("dist/*.whl"), installed.glob("dist/*.tar.gz")
    assert wheel.stat().st_size <= LARGEST
    build("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(sdist))
    (again,) = tmp_path.glob("*.whl")
    assert zipfile.ZipFile(again).namelist() == zipfile.ZipFile(wheel).namelist()


#: where a Python finds the packages of the wheel
WHERE = "import chaos_scheduler, nodeimage, schedtest, sys; print(chaos_scheduler, nodeimage, schedtest, sys.path)"


def test_nothing_is_from_a_clone(user):
    assert str(ROOT) not in user.run(f"python -c '{WHERE}'")
    assert "what-if" in user.run("schedtest --help")
    assert "--seed" in user.run("python -m chaos_scheduler --help")
    assert "pip install 'schedtest[kind]'" in user.run("python -m nodeimage", status=1)


#: what a failure says of a pod that a plugin or an extender has let pass
PASSED = "wanted: Pending after a scheduler tried it, rejected by {}\n  seen:   bound to node-"

#: for each example a fault: a file, a text of it, what the fault makes of it, and what the failure says
FAULTS = {
    "plugin": (
        "pool.go",
        "return pod.Labels[label] == node.Labels[label]",
        "return true",
        PASSED.format("Pool, message with 'node is in another pool'"),
    ),
    "extender": (
        "extender.py",
        "if wanted in (None, label_of(node)):",
        "if node:",
        PASSED.format("Extender, message with 'its disk is not fast'"),
    ),
    "scheduler": ("scheduler.yaml", "MostAllocated", "LeastAllocated", "wanted: bound to node-"),
    "workload": ("deploy/web.yaml", 'cpu: "3"', 'cpu: "5"', "Insufficient cpu"),
}

#: the options with which one test of the gate runs, and its name for an extender
ONE = "--only 'duties/serves: a pod that names it is bound'"
ONE_OF_EXTENDER = "--only 'extender/filter: filter answers for each node'"


@pytest.mark.parametrize("example", FAULTS)
def test_example_passes_and_finds_a_fault(user, example):
    user.run(f"schedtest init {example}")
    assert "passed" in user.run("pytest tests")
    printed = user.run(f"schedtest gate {ONE_OF_EXTENDER if example == 'extender' else ONE}")
    assert "schedtest.yaml is right" in printed, printed
    assert "conforms" in printed, printed

    file, right, wrong, failure = FAULTS[example]
    user.change(file, right, wrong)
    printed = user.run("schedtest ci pytest tests", status=1)
    assert failure in printed, printed
    page = html.unescape((user.folder / "schedtest-results/report.html").read_text())
    assert all(line.strip() in page for line in failure.splitlines())


def test_existing_module_gets_first_files_which_ci_runs(user):
    """A module of plugins without a test: what init writes is right as it is, and the action's step runs it."""
    user.run("schedtest init plugin")
    for name in ("tests", ".github"):
        shutil.rmtree(user.folder / name)
    (user.folder / "schedtest.yaml").unlink()
    assert "tests/test_pool_scheduler.py" in user.run("schedtest init").splitlines()
    assert "1 passed" in user.run("pytest tests")
    assert "schedtest.yaml is right" in user.run("schedtest gate --check")
    action = yaml.safe_load((user.folder / ".github/actions/schedtest/action.yml").read_text())
    (script,) = (step["run"] for step in action["runs"]["steps"] if step["name"] == "Run")
    page = user.folder / "summary.md"
    for command, arguments in (("pytest", "tests"), ("gate", ONE)):
        given = {"COMMAND": command, "ARGUMENTS": arguments, "KUBERNETES": "", "GITHUB_STEP_SUMMARY": str(page)}
        user.run(shlex.join(["bash", "-eo", "pipefail", "-c", script]), **given)
        (user.folder / "schedtest-results").rename(user.folder / command)
    assert {"junit.xml", "report.html", "evidence", "summary.md"} == {
        each.name for each in (user.folder / "pytest").iterdir()
    }
    assert {"junit.xml", "conformance.yaml", "table.md", "summary.md"} == {
        each.name for each in (user.folder / "gate").iterdir()
    }
    text = page.read_text()
    assert "## schedtest pytest: passed (exit status 0)" in text
    assert "## schedtest gate: passed (exit status 0)" in text


#: a test of the gate that needs a nodeSelector to be heeded
SELECTED = "--only 'placement/node-selector: a label with another value'"


def test_existing_module_of_python_gets_first_files(user):
    """A scheduler without a health check, whose package is not installed."""
    (user.folder / "src/asker").mkdir(parents=True)
    for name, place in (("toy_scheduler.py", "src"), ("toy_asker.py", "src/asker/__main__.py")):
        shutil.copy(ROOT / "e2e/toys" / name, user.folder / place)
    assert "tests/test_asker.py" in user.run("schedtest init --scheduler-name asker").splitlines()
    assert "1 passed" in user.run("pytest tests")
    user.change("schedtest.yaml", "claims: []", "claims: [node-selector]")
    assert "conforms" in user.run(f"schedtest gate {SELECTED}")

    user.change("src/asker/__main__.py", 'pod["spec"].get("nodeSelector", {})', "{}")
    assert "wanted:     it waits, as it fits no node" in user.run(f"schedtest gate {SELECTED}", status=1)
    user.change("src/asker/__main__.py", "KUBECONFIG", "NO_SUCH")
    printed = user.run("pytest tests", status=1)
    assert "asker ended by itself with exit code 1; its last lines:" in printed, printed
    assert "KeyError: 'NO_SUCH'" in printed


#: commands of the tutorial that the fixture of the environment stands for
PREPARED = ("python3 -m venv .venv", ". .venv/bin/activate", "pip install ")

#: the command of the tutorial before which its reader plants a fault, and the one before which that is mended
FAULTY, MENDED = "pytest tests --keep-cluster", "schedtest ci pytest tests -n 2"

#: the tests of the tutorial's scheduler, and the fault of one
TESTS = "tests/test_my_scheduler.py"
WISH = tuple(f'pod = pods.create(scheduler=mine, requests={{"cpu": "{cpus}"' for cpus in (1000, 1))


class Reader:
    """Someone who follows the tutorial."""

    def __init__(self, user):
        self.user, self.printed = user, {}
        #: for each block of Python in turn, the file that it becomes; the second is for programs of the reader's own
        self._files = iter(("tests/test_first.py", None, "tests/test_group.py"))

    def write(self, code):
        """Copy a block into its file."""
        name = next(self._files)
        if name:
            (self.user.folder / name).parent.mkdir(exist_ok=True)
            (self.user.folder / name).write_text(code)

    def call(self, command):
        """Run a command, with the changes that the text around it asks for."""
        if command.startswith(PREPARED):
            return
        if command in ("schedtest doctor", "schedtest toolchain"):
            command = shlex.join([*shlex.split(command), *self.user.options])
        if command == FAULTY:
            self.user.change(TESTS, *WISH)
        elif command.startswith(MENDED):
            self.user.change(TESTS, *reversed(WISH))
        self.printed[command] = self.user.run(command, status=int(command == FAULTY))


def test_tutorial_from_its_first_line_to_its_last(user):
    reader = Reader(user)
    page = (ROOT / "docs/tutorial.md").read_text()
    for kind, text in re.findall(r"^```(console|python)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        if kind == "python":
            reader.write(text)
        for command in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
            reader.call(command)
    results = {each.name for each in (user.folder / "schedtest-results").iterdir()}
    assert results == {"junit.xml", "report.html", "evidence", "summary.md"}
    faulty = reader.printed[FAULTY]
    assert "wanted: Pending after a scheduler tried it, rejected by NodeResourcesFit" in faulty, faulty
    user.change("scheduler.yaml", "MostAllocated", "LeastAllocated")
    printed = user.run(f"pytest {TESTS} tests/test_group.py", status=1)
    assert re.search(r"wanted: bound to (node-\d)\n  seen:   bound to (?!\1)node-\d", printed), printed
    assert "1 failed, 3 passed" in printed, printed
