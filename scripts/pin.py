"""Pin a release of Kubernetes: its programs' source, and what it tells; list what a person has to look at."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from pinning import features, minors, modules, review, sources, sums
from pinning.modules import Refused
from schedtest._util.progress import Reporter
from schedtest._util.version import Version
from schedtest.binaries import golang, kubernetes_release
from schedtest.binaries.binary_options import ToolchainSettings
from schedtest.binaries.golang import Go
from schedtest.errors import CommandError, SchedtestError, last_lines

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "fixtures/tests/scheduler_log/samples"


@click.command()
@click.argument("version", metavar="VERSION")
@click.option("--module", metavar="MODULE", help="Pin only this module of programs.yaml, such as kwok, in VERSION.")
def main(version: str, module: str | None) -> None:
    """Pin a VERSION of Kubernetes, such as 1.37.2 or 1.38.0-beta.0, in place of what is pinned of its minor.

    Writes the pins of its programs, of etcd and CoreDNS, its feature gates and API versions, its entry in minors.yaml,
    and docs/reference/minors/MINOR.md: what differs from the minor before. The exit status is 1 if a person has to
    look at something; each such thing is listed, a module that Go's proxy refuses among them.
    """
    version = f"v{version.removeprefix('v')}"
    try:
        if module is not None:
            _Pinning().module(module, version)
            return
        listed = list(_pinned(version))
    except SchedtestError as error:
        raise click.ClickException(str(error)) from error
    heading = "a person has to look at:" if listed else f"{version} is pinned"
    click.echo("\n".join([heading, *(f"- {each}" for each in listed)]))
    sys.exit(1 if listed else 0)


class _Pinning:
    """Pins modules of programs.yaml: each takes the place of the present pins once it is whole."""

    def __init__(self) -> None:
        self.reporter = Reporter()
        self.cache = ToolchainSettings().cache / "go"
        self._packages: dict[str, list[str]] = {}
        for entry in kubernetes_release.load().binaries.values():
            self._packages.setdefault(entry.build.module, []).append(entry.build.package)

    def go(self, needed: golang.GoVersion) -> Go:
        """Return a Go that is new enough."""
        return golang.provide(needed, self.cache, self.reporter)

    def module(self, name: str, version: str, go: Go | None = None) -> list[Refused]:
        """Pin a module in a version; return what Go's proxy refuses of it."""
        if name not in self._packages:
            known = ", ".join(sorted(self._packages))
            raise click.BadParameter(f"{name}: choose one of: {known}", param_hint="--module")
        place = minors.RELEASES / "modules" / name / version
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / name / version
            folder.mkdir(parents=True)
            with self.reporter.task(f"looking up the modules of {name} {version}"):
                go = go or self.go(golang.required_version(_empty(Path(temporary))))
                refused = self._tried(go, folder, name, version)
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "go.mod", place)
            sums.write(minors.RELEASES / "modules", {f"{name}/{version}": (folder / "go.sum").read_text()})
        return refused

    def _tried(self, go: Go, folder: Path, name: str, version: str) -> list[Refused]:
        try:
            return modules.pin(go, folder, self._packages[name], version)
        except CommandError as error:
            raise click.ClickException(f"{name} {version} cannot be pinned:\n{last_lines(error.output)}") from error


def _pinned(version: str) -> Iterator[str]:
    """Pin a release of Kubernetes; yield what a person has to look at."""
    told, work = Version.of(version), _Pinning()
    entry, before = minors.entry_of(told)
    is_new = entry.get("kubernetes") != version
    with tempfile.TemporaryDirectory() as temporary:
        scratch = _empty(Path(temporary))
        go = work.go(golang.required_version(scratch))
        go = work.go(max(go.version, modules.go_of(go, scratch, version)))
        new, old = (modules.sources(go, scratch, each, sources.MODULES) for each in (version, before.kubernetes))
        entry |= {"kubernetes": version, **modules.others_of(new["kubernetes"])}
        refused: dict[Refused, None] = {}
        for name in ("kubernetes", "node", "etcd", "coredns"):
            place = minors.RELEASES / "modules" / name / entry.get(name, version)
            if name in ("kubernetes", "node") or not place.is_dir():
                refused |= dict.fromkeys(work.module(name, place.name, go))
        pins = minors.RELEASES / "modules/kubernetes"
        features.write(pins / version, version, new)
        minors.write_entry(told.of_minor, entry)
        tells = sources.told(old, pins / before.kubernetes), sources.told(new, pins / version)
        differences = ROOT / f"docs/reference/minors/{told.of_minor}.md"
        differences.parent.mkdir(exist_ok=True)
        differences.write_text(review.page(before.kubernetes, version, *tells))
        yield from (f"{each}; pin {version} again once it does" for each in refused)
        before_it, it = (sources.of_scheduler(each["kubernetes"]) for each in (old, new))
        yield from review.lost_phrases(version, it)
        if is_new:
            yield from review.lost_keys(version, before_it, it)
            yield from review.used_names(ROOT, *tells)
    if not (SAMPLES / f"{told.of_minor}.txt").is_file():
        samples = SAMPLES.relative_to(ROOT) / f"{told.of_minor}.txt"
        yield f"{samples}: write it with scripts/log-samples from a run of the suite"
    if not told.prerelease:
        lacking = [name for name in ("node_image", "ends") if name not in entry]
        yield from (f"minors.yaml, {told.of_minor}: write {name}" for name in lacking)


def _empty(folder: Path) -> Path:
    """Return a folder with a module that requires nothing."""
    (folder / "go.mod").write_text(f"module schedtest.dev/pin\n\ngo {modules.OLDEST}\n")
    return folder


if __name__ == "__main__":
    main()
