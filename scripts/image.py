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
from schedtest.settings import Timeouts
from shard_image import contents

_ROOT = Path(__file__).parents[1]


@click.command()
@click.option("--kubernetes", "version", metavar="VERSION", help="A minor or a patch of Kubernetes.")
@click.option("--debian-mirror", "mirror", metavar="URL", help="Install Debian from there, not from where apt does.")
@click.option("--save", "file", metavar="FILE", type=WritableFile(), help="Write an archive, without Docker.")
def main(*, version: str | None, mirror: str | None, file: Path | None) -> None:
    """Build an image with schedtest, the control plane of one minor, and nothing else, and print its name.

    A container of it is not root, needs no privileges, and writes into /work alone. --save writes an archive for
    'docker load'; without it, the image goes into Docker. Building takes root, debootstrap, and pip's index.
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
    with tempfile.TemporaryDirectory(prefix="schedtest-image-") as scratch:
        root, layer = Path(scratch, "root"), Path(scratch, "layer.tar")
        with reporter.task(f"installing Debian {debian.SUITE}") as task:
            debian.install(root, platform.arch, mirror or debian.mirror(), task, contents.PACKAGES)
        with reporter.task("installing Python packages"):
            _install_packages(root, platform.arch, Path(scratch))
        contents.lay(root, {name: program.path for name, program in programs.items()})
        contents.compile_python(root)
        size = contents.check_size(root)
        debian.archive(root, layer)
        archive = file or Path(scratch, "image.tar")
        image = Image([layer], contents.config([f"--kubernetes={release.kubernetes}"]), [name])
        write_images(archive, [image], platform.arch)
        if daemon is not None:
            with archive.open("rb") as opened:
                daemon.load(opened)
    reporter.say(f"{name} has {size / 1e6:.0f} MB")
    return name


def _install_packages(root: Path, arch: str, scratch: Path) -> None:
    """Install the wheel of this clone and what it depends on, as requirements.lock pins it."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    command.run([*pip, "wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={scratch}", str(_ROOT)])
    (wheel,) = scratch.glob("schedtest-*.whl")
    pins = scratch / "pins.txt"
    pins.write_text(contents.pins((_ROOT / "requirements.lock").read_text()))
    wanted = f"{wheel}[{','.join(contents.EXTRAS)}]"
    target = ["install", f"--target={root / contents.SITE}", f"--constraint={pins}", *contents.pip_options(arch)]
    command.run([*pip, *target, wanted])


if __name__ == "__main__":
    main()
