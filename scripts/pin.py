"""Pin the source of a release: a Go module whose tools are its programs, with the checksums of all that they need."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import click

from schedtest._util import command
from schedtest.binaries import golang, kubernetes_release

KUBERNETES = "k8s.io/kubernetes"

#: the oldest Go whose go.mod may name tools; what is required may ask for a later one
OLDEST = "1.24.0"


@click.command()
@click.argument("module", metavar="MODULE")
@click.argument("version", metavar="VERSION")
def main(module: str, version: str) -> None:
    """Write go.mod and go.sum for a MODULE of programs.yaml, such as kubernetes or etcd, in a VERSION such as v1.37.2.

    What minors.yaml names has to be pinned once. Versions of libraries are those that the release itself asks for.
    """
    release = kubernetes_release.load()
    packages = [entry.build.package for entry in release.binaries.values() if entry.build.module == module]
    if not packages:
        known = sorted({entry.build.module for entry in release.binaries.values()})
        raise click.BadParameter(f"{module}: choose one of: {', '.join(known)}", param_hint="MODULE")
    folder = release.folder / module / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    header = f"module schedtest.dev/toolchain/{module}\n\ngo {OLDEST}\n"
    (folder / "go.mod").write_text(header)
    if packages[0].startswith(f"{KUBERNETES}/"):
        (folder / "go.mod").write_text(header + _requirements(folder, version) + _block("tool", packages))
    else:
        _go(folder, "get", "-tool", *(f"{package}@{version}" for package in packages))
    _go(folder, "mod", "tidy")
    click.echo(folder)


def _requirements(folder: Path, version: str) -> str:
    """Return what requires Kubernetes and its staging modules, which its own go.mod takes from its repository."""
    download = ("mod", "download", "-json", f"{KUBERNETES}@{version}")
    _go(folder, *download)
    fetched = json.loads(_go(folder, *download))  # again: the first time tells of its progress, too
    upstream = json.loads(_go(folder, "mod", "edit", "-json", fetched["GoMod"]))
    staging = [entry["Old"]["Path"] for entry in upstream["Replace"] if entry["New"]["Path"].startswith("./staging/")]
    released = version.replace("v1.", "v0.", 1)
    # -trimpath writes the required version into what is compiled, not what replaces it.
    required = [entry["Path"] for entry in upstream["Require"] if entry["Path"] in staging]
    go = ".".join(upstream["Go"].split(".")[:2])
    return (
        f"\ngodebug default=go{go}\n"
        + _block("require", [f"{KUBERNETES} {version}", *(f"{path} {released}" for path in required)])
        + _block("replace", [f"{path} => {path} {released}" for path in staging])
    )


def _block(directive: str, lines: Sequence[str]) -> str:
    listed = "".join(f"\t{line}\n" for line in sorted(lines))
    return f"\n{directive} (\n{listed})\n"


def _go(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, **golang.environment(), "GOFLAGS": "-mod=mod"}
    return command.run(["go", *arguments], cwd=folder, env=environment)


if __name__ == "__main__":
    main()
