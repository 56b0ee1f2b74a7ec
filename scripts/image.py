"""Build the container image of a shard, and write it as an archive, or load it into Docker."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from nodeimage import build, debian
from schedtest._util import command
from schedtest._util.progress import Reporter
from schedtest.binaries import kubernetes_release
from schedtest.binaries.binary_options import ToolchainSettings
from schedtest.binaries.kubernetes_release import Platform
from schedtest.binaries.toolchain import Toolchain
from schedtest.cli.shared_options import WritableFile
from schedtest.errors import SchedtestError, UsageError
from schedtest.provider.kind.docker import Daemon
from schedtest.provider.kind.oci_archive import Image, write_images
from schedtest.provider.selection import needed
from schedtest.timeouts import Timeouts
from shard_image import contents

_ROOT = Path(__file__).parents[1]
_LOCK = _ROOT / "requirements.lock"

_PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


@click.command()
@click.option("--kubernetes", "version", metavar="VERSION", help="A minor or a patch of Kubernetes.")
@click.option("--debian-mirror", "mirror", metavar="URL", help="Install Debian from there, not from where apt does.")
@click.option("--save", "file", metavar="FILE", type=WritableFile(), help="Write an archive, without Docker.")
def main(*, version: str | None, mirror: str | None, file: Path | None) -> None:
    """Build an image with schedtest, the control plane of one minor, and nothing else, and print its name.

    A container of it is not root, needs no privileges, and writes into /work alone. --save writes an archive for
    'docker load'; without it, the image goes into Docker, unless Docker has it. Building takes root, debootstrap, and
    pip's index.
    """
    try:
        click.echo(_provide(version, mirror, file))
    except SchedtestError as error:
        click.echo(f"schedtest: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)


def _provide(version: str | None, mirror: str | None, file: Path | None) -> str:
    build.check_installer("run scripts/image as root")
    daemon, reporter, platform = Daemon() if file is None else None, Reporter(), Platform.current()
    release = kubernetes_release.load(version)
    programs = Toolchain(release, ToolchainSettings(), Timeouts(), reporter).provide(needed("local"))
    name = f"schedtest/shard:{release.kubernetes}"
    with tempfile.TemporaryDirectory(prefix="schedtest-image-") as created:
        scratch = Path(created)
        with reporter.task("building the wheel"):
            wheel = _wheel(scratch)
        laid = {name: program.path for name, program in programs.items()}
        recipe = contents.recipe([wheel, _LOCK, *laid.values()])
        if daemon is not None and contents.is_of(daemon.labels(name), recipe):
            reporter.say(f"{name} is in Docker, and nothing in it has changed")
            return name
        root, layer = scratch / "root", scratch / "layer.tar"
        with reporter.task(f"installing Debian {debian.SUITE}") as task:
            debian.install(root, platform.arch, mirror or debian.mirror(), task, contents.PACKAGES)
        with reporter.task("installing Python packages"):
            _install_packages(root, platform.arch, wheel)
        contents.lay(root, laid)
        contents.compile_python(root)
        size = contents.check_size(root)
        debian.archive(root, layer)
        archive = file or scratch / "image.tar"
        config = contents.config([f"--kubernetes={release.kubernetes}"], recipe)
        write_images(archive, [Image([layer], config, [name])], platform.arch)
        if daemon is not None:
            with archive.open("rb") as opened:
                daemon.load(opened)
    reporter.say(f"{name} has {size / 1e6:.0f} MB")
    return name


def _wheel(folder: Path) -> Path:
    """Build the wheel of this clone into a folder, and return its path."""
    command.run([*_PIP, "wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={folder}", str(_ROOT)])
    (wheel,) = folder.glob("schedtest-*.whl")
    return wheel


def _install_packages(root: Path, arch: str, wheel: Path) -> None:
    """Install a wheel and what it depends on, as requirements.lock pins it."""
    pins = wheel.with_name("pins.txt")
    pins.write_text(contents.pins(_LOCK.read_text()))
    wanted = f"{wheel}[{','.join(contents.EXTRAS)}]"
    target = ["install", f"--target={root / contents.SITE}", f"--constraint={pins}", *contents.pip_options(arch)]
    command.run([*_PIP, *target, wanted])


if __name__ == "__main__":
    main()
