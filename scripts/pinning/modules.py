"""Pins of a release: Go modules whose tools are its programs, with the checksums of all that they need."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
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

_ETCD = re.compile(r"^\s*go\.etcd\.io/etcd/client/v3 (v\S+)", re.MULTILINE)
_COREDNS = re.compile(r'CoreDNSVersion = "(v[^"]+)"')


def pin(go: Go, folder: Path, packages: Sequence[str], version: str) -> None:
    """Write go.mod and go.sum for programs of one module, in a version, into an empty folder.

    Versions of libraries are those that the release itself asks for.
    """
    header = f"module schedtest.dev/toolchain/{folder.parent.name}\n\ngo {OLDEST}\n"
    (folder / "go.mod").write_text(header)
    if packages[0].startswith(f"{KUBERNETES}/"):
        (folder / "go.mod").write_text(header + _requirements(go, folder, version) + _block("tool", packages))
    else:
        run(go, folder, "get", "-tool", *(f"{package}@{version}" for package in packages))
    run(go, folder, "mod", "tidy")


def source(go: Go, folder: Path, module: str, version: str) -> Path:
    """Return the folder of a module's source, which is fetched if it is not there."""
    return Path(_downloaded(go, folder, module, version)["Dir"])


def go_of(go: Go, folder: Path, version: str) -> golang.GoVersion:
    """Return the Go that a release of Kubernetes asks for; an older one downloads no more than that word."""
    try:
        return golang.required_version(source(go, folder, KUBERNETES, version))
    except CommandError as error:
        asked = _NEWER_GO.search(error.output)
        if asked is None:
            raise
        return numbers(asked[1])


def etcd_of(kubernetes: Path) -> str:
    """Return the version of etcd that a release of Kubernetes requires."""
    return _the(_ETCD, kubernetes / "go.mod")


def coredns_of(kubernetes: Path) -> str:
    """Return the version of CoreDNS that kubeadm of a release deploys."""
    return _the(_COREDNS, kubernetes / "cmd/kubeadm/app/constants/constants.go")


def refuse_unserved(go: Go, scratch: Path, version: str) -> None:
    """End the command if Go's proxy does not serve a release."""
    listed = run(go, scratch, "list", "-m", "-versions", KUBERNETES).split()[1:]
    if version not in listed:
        minor = Version.of(version).of_minor
        served = [each for each in listed if Version.of(each).of_minor == minor]
        raise click.BadParameter(
            f"{version}: Go's proxy does not list it; of {minor} it lists {', '.join(served) or 'none'}"
        )


def run(go: Go, folder: Path, *arguments: str) -> str:
    """Return what Go prints in a module, which it may complete."""
    environment = {**os.environ, **golang.environment(), "GOFLAGS": "-mod=mod"}
    return command.run([str(go.executable), *arguments], cwd=folder, env=environment)


def _requirements(go: Go, folder: Path, version: str) -> str:
    """Return what requires Kubernetes and its staging modules, which its own go.mod takes from its repository."""
    fetched = _downloaded(go, folder, KUBERNETES, version)
    upstream = json.loads(run(go, folder, "mod", "edit", "-json", fetched["GoMod"]))
    staging = [entry["Old"]["Path"] for entry in upstream["Replace"] if entry["New"]["Path"].startswith("./staging/")]
    released = version.replace("v1.", "v0.", 1)
    # -trimpath writes the required version into what is compiled, not what replaces it.
    required = [entry["Path"] for entry in upstream["Require"] if entry["Path"] in staging]
    language = ".".join(upstream["Go"].split(".")[:2])
    return (
        f"\ngodebug default=go{language}\n"
        + _block("require", [f"{KUBERNETES} {version}", *(f"{path} {released}" for path in required)])
        + _block("replace", [f"{path} => {path} {released}" for path in staging])
    )


def _downloaded(go: Go, folder: Path, module: str, version: str) -> dict[str, str]:
    download = ("mod", "download", "-json", f"{module}@{version}")
    run(go, folder, *download)
    described: dict[str, str] = json.loads(run(go, folder, *download))  # again: the first time tells of its progress
    return described


def _block(directive: str, lines: Sequence[str]) -> str:
    listed = "".join(f"\t{line}\n" for line in sorted(lines))
    return f"\n{directive} (\n{listed})\n"


def _the(pattern: re.Pattern[str], file: Path) -> str:
    found = pattern.search(file.read_text())
    if found is None:
        raise click.ClickException(f"{file} no longer has {pattern.pattern!r}: look how it says that now")
    return found[1]
