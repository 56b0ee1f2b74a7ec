"""Every Python block of ``README.md`` and ``docs/`` is a file of tests: what a reader copies is what CI runs.

The programs that the blocks name, such as ``bin/my-scheduler``, are a reader's own; here they are stand-ins.
"""

import io
import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

#: a block of code, as Markdown has it
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

#: what is a reader's own begins so
_OWN = re.compile(r'"(bin/|config/|deploy/|path/to/)')

_FOLDER = pytest.StashKey[Path]()

#: a scheduler in Python, started as a component that is no kube-scheduler would be
_TOY = """#!{python}
import sys
sys.path.insert(0, {toys!r})
from toy_scheduler import Toy, run
given = dict(argument.split("=", 1) for argument in sys.argv[1:])
run(Toy, given["--kubeconfig"], "my-scheduler", int(given["--health"].rpartition(":")[2]))
"""

#: its rights
_RBAC = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: my-scheduler}
rules:
- {apiGroups: [""], resources: [pods, nodes], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [pods/binding, events], verbs: [create]}
- {apiGroups: [""], resources: [pods/status], verbs: [patch]}
"""

#: a captured cluster in which one of two nodes has room for the pod that waits
_SNAPSHOT = {
    "snapshot.yaml": """
format: schedtest.snapshot/1
taken: "2026-01-02T03:04:05Z"
kubernetes: v1.32.0
names: kept
kinds:
- {apiVersion: v1, kind: Node, count: 2, file: nodes.yaml}
- {apiVersion: v1, kind: Pod, count: 2, file: pods.yaml}
leftOut: []
""",
    "nodes.yaml": """
{apiVersion: v1, kind: Node, metadata: {name: first}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: second}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}}
""",
    "pods.yaml": """
apiVersion: v1
kind: Pod
metadata: {name: runs, namespace: shop}
spec: {nodeName: first, containers: [{name: web, image: web, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waits, namespace: shop}
spec: {containers: [{name: web, image: web, resources: {requests: {cpu: "2"}}}]}
""",
}


def pytest_collect_file(file_path, parent):
    return Document.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None


class Document(pytest.File):
    """A page, whose blocks of Python are files of tests."""

    def collect(self):
        text = self.path.read_text()
        for number, block in enumerate(_BLOCK.finditer(text), 1):
            line = text.count("\n", 0, block.start(1))
            yield pytest.Module.from_parent(
                self, path=self._write(number, line, block[1]), nodeid=f"{self.nodeid}::{number}"
            )

    def _write(self, number, line, code):
        """Write a file of tests whose lines have the numbers that they have in the page."""
        # What runs containers is for real nodes. All else is as on local there, and takes programs of this machine.
        needs = "" if '"kubelet"' in code else ', _pytest.mark.requires("processes")'
        head = (
            f'"""The examples of {self.nodeid}."""; import pytest as _pytest; '
            f'pytestmark = [_pytest.mark.usefixtures("programs_of_examples"){needs}]'
        )
        own = _OWN.sub(lambda name: f'"{folder_of(self.config)}/{name[1]}', code)
        page = re.sub(r"\W", "_", self.nodeid.removesuffix(".md")).lower()
        file = folder_of(self.config) / f"test_{page}_{number}.py"
        file.write_text(head + "\n" * line + own)
        return file


def folder_of(config):
    """Return the folder of the examples and of the programs that they name."""
    if _FOLDER not in config.stash:
        config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="schedtest-documents-"))
        config.add_cleanup(lambda: shutil.rmtree(config.stash[_FOLDER]))
    return config.stash[_FOLDER]


@pytest.fixture(scope="session")
def programs_of_examples(pytestconfig, kube_scheduler_image):
    """Make what a reader of the documentation has: a scheduler and its configuration, an image, a snapshot."""
    folder, toys = folder_of(pytestconfig), pytestconfig.rootpath / "e2e/toys"
    shutil.copytree(kube_scheduler_image, folder / "path/to/a/folder/with/a/Dockerfile")
    examples = pytestconfig.rootpath / "docs/examples"
    (folder / "bin").mkdir()
    script = folder / "bin/my-own-scheduler"
    script.write_text(_TOY.format(python=sys.executable, toys=str(toys)))
    script.chmod(0o755)
    shutil.copy(examples / "extender/extender.py", folder / "bin/my-extender")
    shutil.copytree(examples / "workload/deploy", folder / "deploy")
    for name in ("my-scheduler", "kube-scheduler-v1.35.8"):
        shutil.copy(kube_scheduler_image / "kube-scheduler", folder / "bin" / name)
    configuration = (pytestconfig.rootpath / "manifests/schedulers/custom-scheduler.yaml").read_text()
    (folder / "config").mkdir()
    (folder / "config/rbac.yaml").write_text(_RBAC)
    (folder / "config/my-scheduler.yaml").write_text(configuration.replace("custom-scheduler", "my-scheduler"))
    with tarfile.open(folder / "path/to/cluster.tar.gz", "w:gz") as archive:
        for name, text in _SNAPSHOT.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
