"""Check a release: ``scripts/release --check`` builds it, and says what would be uploaded. It uploads nothing."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from packaging.metadata import Metadata

ROOT = Path(__file__).parents[1]

#: where the files of the release are built
BUILT = ROOT / ".schedtest" / "release"

#: the groups of an entry of the changelog, as keepachangelog.com has them
GROUPS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")

#: lines that an entry may have, beside those of its groups
LINES = 10

#: the tests that find dead links, in the pages and in the README
LINKS = "fixtures/tests/test_docs.py::test_site_has_no_dead_link_and_loads_nothing_from_elsewhere"

_ENTRY = re.compile(r"^## (\S+) \((\d{4}-\d\d-\d\d|unreleased)\)$")


class CheckError(Exception):
    """A release that must not be uploaded."""


@click.command()
@click.option("--check", is_flag=True, required=True, help="Build and check the release; nothing is uploaded.")
def main(*, check: bool) -> None:
    """Build wheel and sdist, and check their metadata, the links of the documentation, and the changelog.

    Prints the name, size and SHA-256 of each file to upload. The exit status is 1 if one of the checks fails.
    """
    del check
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    files: list[Path] = []
    checks: dict[str, Callable[[], object]] = {
        "changelog": lambda: check_changelog((ROOT / "CHANGELOG.md").read_text(), project["version"]),
        "build": lambda: files.extend(build(BUILT)),
        "metadata": lambda: check_all_metadata(files, project),
        "links": check_links,
    }
    failed = [name for name, run in checks.items() if not _passes(name, run)]
    if failed:
        click.echo(f"not ready: {', '.join(failed)}")
        sys.exit(1)
    click.echo("would upload:")
    for line in listed(files):
        click.echo(f"  {line}")


def _passes(name: str, run: Callable[[], object]) -> bool:
    """Run a check, and print its result."""
    try:
        run()
    except (CheckError, OSError) as error:
        click.echo(f"{name}: {error}")
        return False
    click.echo(f"{name}: ok")
    return True


def check_changelog(text: str, version: str) -> None:
    """Refuse a changelog without an entry for the version at its top, and entries in another form."""
    entries = list(_entries(text))
    if not entries:
        raise CheckError("CHANGELOG.md has no entry; begin one with '## VERSION (YYYY-MM-DD)'")
    newest = entries[0][0]
    if newest != version:
        raise CheckError(
            f"the newest entry of CHANGELOG.md is of {newest}, and pyproject.toml has the version {version}; change "
            "one of them"
        )
    for entry, lines in entries:
        _check_entry(entry, lines)


def _entries(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the version and the lines of each entry, without empty ones."""
    head, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    if not head.startswith("# "):
        raise CheckError("CHANGELOG.md must begin with a title: '# Changelog'")
    for part in parts:
        title, *lines = filter(None, part.splitlines())
        found = _ENTRY.match(title)
        if found is None:
            raise CheckError(f"CHANGELOG.md: the title of an entry must be '## VERSION (YYYY-MM-DD)', got {title!r}")
        yield found[1], lines


def _check_entry(version: str, lines: list[str]) -> None:
    groups = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    unknown = next((group for group in groups if group not in GROUPS), None)
    if unknown is not None:
        raise CheckError(f"CHANGELOG.md: {version}: there is no group {unknown}; accepted: {', '.join(GROUPS)}")
    if not lines or not lines[0].startswith("### "):
        raise CheckError(f"CHANGELOG.md: {version}: each line must be below a group: {', '.join(GROUPS)}")
    count = len(lines) - len(groups)
    if count > LINES:
        raise CheckError(f"CHANGELOG.md: {version} has {count} lines, at most {LINES} are accepted: shorten it")


def build(folder: Path) -> list[Path]:
    """Build wheel and sdist into an empty folder; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckError(f"hatchling does not build it:\n{done.stderr}")
    return sorted(folder.iterdir())


def metadata_of(file: Path) -> bytes:
    """Return the metadata of a wheel or an sdist."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
            return wheel.read(name)
    with tarfile.open(file) as sdist:
        (member,) = (each for each in sdist if re.fullmatch(r"[^/]+/PKG-INFO", each.name))
        found = sdist.extractfile(member)
        return found.read() if found else b""


def check_all_metadata(files: list[Path], project: dict[str, object]) -> None:
    """Refuse a file whose metadata ``check_metadata`` refuses."""
    for file in files:
        check_metadata(metadata_of(file), project)


def check_metadata(text: bytes, project: dict[str, object]) -> None:
    """Refuse metadata that an index would refuse, or that are of another project."""
    try:
        metadata = Metadata.from_email(text)
    except ExceptionGroup as errors:
        raise CheckError(f"an index would refuse the metadata: {'; '.join(map(str, errors.exceptions))}") from errors
    found = {"name": metadata.name, "version": str(metadata.version)}
    wanted = {name: project[name] for name in found}
    if found != wanted:
        raise CheckError(f"the metadata are of {found}, and pyproject.toml of {wanted}")
    if not metadata.description or metadata.description_content_type != "text/markdown":
        raise CheckError("an index would show no page: the metadata have no description in Markdown")


def check_links() -> None:
    """Refuse pages with dead links: the unit test that builds the site finds them."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", LINKS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckError(f"the documentation has dead links:\n{done.stdout}")


def listed(files: list[Path]) -> Iterator[str]:
    """Yield the name, the size in bytes and the SHA-256 of each file."""
    for file in files:
        yield f"{file.name}  {file.stat().st_size:,} bytes  sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"


if __name__ == "__main__":
    main()
