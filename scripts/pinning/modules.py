"""Pins of a release: Go modules whose tools are its programs, with the checksums of all that they need."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from schedtest._util import command
from schedtest._util.command import numbers
from schedtest._util.version import Version
from schedtest.binaries import golang
from schedtest.binaries.golang import Go
from schedtest.errors import CommandError

KUBERNETES = "k8s.io/kubernetes"

#: the oldest Go whose go.mod may name tools; what is required may ask for a later one
OLDEST = "1.24.0"

#: how Go says that a module is for a later Go
_NEWER_GO = re.compile(r"requires go (?:>=|\\u003e=) (\d+\.\d+(?:\.\d+)?)")

#: how Go says that a proxy does not serve a module
_REFUSAL = re.compile(r"@v\S+: reading https?://\S+: (4\d\d [A-Za-z ]+)")

#: an object of JSON, as Go prints it
_OBJECT = re.compile(r"^\{$.*?^\}$", re.MULTILINE | re.DOTALL)

_ETCD = re.compile(r"^\s*go\.etcd\.io/etcd/client/v3 (v\S+)", re.MULTILINE)
_COREDNS = re.compile(r'CoreDNSVersion = "(v[^"]+)"')


@dataclass(frozen=True)
class Refused:
    """A module that Go's proxy does not serve, and why."""

    module: str
    version: str
    why: str

    def __str__(self) -> str:
        return f"{self.module} {self.version}: Go's proxy does not serve it ({self.why})"


def pin(go: Go, folder: Path, packages: Sequence[str], version: str) -> list[Refused]:
    """Write go.mod and go.sum for programs of one module, in a version, into an empty folder.

    Versions of libraries are those that the release itself asks for. Without all modules of Kubernetes, Go cannot tell
    which of these the programs need: the files have all of them, and what is refused is returned.
    """
    if not packages[0].startswith(f"{KUBERNETES}/"):
        (folder / "go.mod").write_text(_header(folder, OLDEST))
        run(go, folder, "get", "-tool", *(f"{package}@{version}" for package in packages))
        run(go, folder, "mod", "tidy")
        return []
    (folder / "go.mod").write_text(_header(folder, OLDEST))
    asked = _asked(go, folder, version)
    tools = _block("tool", packages)
    (folder / "go.mod").write_text(_header(folder, OLDEST) + asked.written(asked.staging) + tools)
    try:
        run(go, folder, "mod", "tidy")
    except CommandError as error:
        if _REFUSAL.search(error.output) is None:
            raise
        found = _downloaded(go, folder, asked.required)
        (folder / "go.mod").write_text(_header(folder, asked.go) + asked.written(asked.required) + tools)
        (folder / "go.sum").write_text("".join(sorted(_published_sums(found))))
        refused = ((each, _REFUSAL.search(each.get("Error", ""))) for each in found)
        return [Refused(each["Path"], each["Version"], match[1]) for each, match in refused if match is not None]
    return []


def sources(go: Go, folder: Path, version: str, modules: Sequence[str]) -> dict[str, Path]:
    """Return the folders with the source of modules of a release, such as ``kubernetes`` and ``client-go``."""
    released = version.replace("v1.", "v0.", 1)
    asked = {f"k8s.io/{name}": version if name == "kubernetes" else released for name in modules}
    found = {each["Path"].removeprefix("k8s.io/"): each for each in _downloaded(go, folder, asked)}
    for each in found.values():
        if "Dir" not in each:
            raise click.ClickException(f"{each['Path']} {each['Version']} cannot be fetched: {each['Error']}")
    return {name: Path(each["Dir"]) for name, each in found.items()}


def go_of(go: Go, folder: Path, version: str) -> golang.GoVersion:
    """Return the Go that a release of Kubernetes asks for; end the command if Go's proxy does not serve it."""
    (found,) = _downloaded(go, folder, {KUBERNETES: version})
    newer = _NEWER_GO.search(found.get("Error", ""))
    if newer is not None:
        return numbers(newer[1])
    if "Dir" in found:
        return golang.required_version(Path(found["Dir"]))
    listed = run(go, folder, "list", "-m", "-versions", KUBERNETES).split()[1:]
    minor = Version.of(version).of_minor
    served = [each for each in listed if Version.of(each).of_minor == minor]
    raise click.BadParameter(
        f"{version}: Go's proxy does not serve it; of {minor} it lists {', '.join(served) or 'none'}"
    )


def others_of(kubernetes: Path) -> dict[str, str]:
    """Return the versions of etcd that a release of Kubernetes requires, and of CoreDNS that its kubeadm deploys."""
    return {
        "etcd": _the(_ETCD, kubernetes / "go.mod"),
        "coredns": _the(_COREDNS, kubernetes / "cmd/kubeadm/app/constants/constants.go"),
    }


def run(go: Go, folder: Path, *arguments: str) -> str:
    """Return what Go prints in a module, which it may complete."""
    environment = {**os.environ, **golang.environment(), "GOFLAGS": "-mod=mod"}
    return command.run([str(go.executable), *arguments], cwd=folder, env=environment)


@dataclass(frozen=True)
class _Asked:
    """What a release of Kubernetes asks for in its own go.mod.

    Attributes:
        go: the version of Go.
        required: the versions of modules, by path.
        staging: those of them that are in its repository.
        replaced: all modules that are in its repository.
        version: the version of these.
    """

    go: str
    required: Mapping[str, str]
    staging: Mapping[str, str]
    replaced: Sequence[str]
    version: str

    def written(self, required: Mapping[str, str]) -> str:
        """Return the lines of a go.mod that requires the given modules."""
        # -trimpath writes the required version into what is compiled, not what replaces it.
        return (
            f"\ngodebug default=go{'.'.join(self.go.split('.')[:2])}\n"
            + _block("require", [f"{path} {version}" for path, version in required.items()])
            + _block("replace", [f"{path} => {path} {self.version}" for path in self.replaced])
        )


def _asked(go: Go, folder: Path, version: str) -> _Asked:
    (fetched,) = _downloaded(go, folder, {KUBERNETES: version})
    described = json.loads(run(go, folder, "mod", "edit", "-json", fetched["GoMod"]))
    replaced = [each["Old"]["Path"] for each in described["Replace"] if each["New"]["Path"].startswith("./staging/")]
    released = version.replace("v1.", "v0.", 1)
    required = {each["Path"]: each["Version"] for each in described["Require"]}
    staging = {KUBERNETES: version} | {path: released for path in required if path in replaced}
    return _Asked(described["Go"], required | staging, staging, replaced, released)


def _downloaded(go: Go, folder: Path, versions: Mapping[str, str]) -> list[dict[str, str]]:
    """Return Go's descriptions of modules, which are fetched if they are not there."""
    asked = ("mod", "download", "-json", *(f"{module}@{version}" for module, version in versions.items()))
    for _ in range(2):  # the first time, Go tells of its progress as well
        try:
            printed = run(go, folder, *asked)
        except CommandError as error:
            printed = error.output
    return [json.loads(each) for each in _OBJECT.findall(printed)]


def _published_sums(described: Iterable[Mapping[str, str]]) -> set[str]:
    """Return the lines for a go.sum: of what was fetched, and what that has published of the rest."""
    lines = set()
    for each in described:
        if "Sum" in each:
            name = f"{each['Path']} {each['Version']}"
            lines |= {f"{name} {each['Sum']}\n", f"{name}/go.mod {each['GoModSum']}\n"}
            published = Path(each["Dir"], "go.sum")
            lines |= (
                set(published.read_text().splitlines(keepends=True))
                if "k8s.io/" in name and published.is_file()
                else set()
            )
    return lines


def _header(folder: Path, go: str) -> str:
    return f"module schedtest.dev/toolchain/{folder.parent.name}\n\ngo {go}\n"


def _block(directive: str, lines: Sequence[str]) -> str:
    listed = "".join(f"\t{line}\n" for line in sorted(lines))
    return f"\n{directive} (\n{listed})\n"


def _the(pattern: re.Pattern[str], file: Path) -> str:
    found = pattern.search(file.read_text())
    if found is None:
        raise click.ClickException(f"{file} no longer has {pattern.pattern!r}: look how it says that now")
    return found[1]
