"""A scheduler that its user has as a container image, or as the Dockerfile of one."""

import json
import shutil
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schedtest import BuildError, InfrastructureError, KubeScheduler, UsageError

pytestmark = pytest.mark.requires("node-machines")


def test_image_is_built_and_is_then_known_by_its_name(kube_scheduler_image, install, pods, expect):
    pod = pods.create(scheduler="dockered")
    expect(pod).left_alone()
    built = install(KubeScheduler("dockered", image=kube_scheduler_image))
    expect(pod).scheduled_by("dockered")
    expect(pod).running()
    built.uninstall()

    pod = pods.create(scheduler="named")
    expect(pod).left_alone()
    install(KubeScheduler("named", image="schedtest.dev/dockered:built"))
    expect(pod).scheduled_by("named")


@pytest.fixture
def reworded(kube_scheduler_image, tmp_path):
    """Return a folder with the Dockerfile of a kube-scheduler that words a line of its log differently."""
    folder = tmp_path / "reworded"
    shutil.copytree(kube_scheduler_image, folder)
    program = (folder / "kube-scheduler").read_bytes()
    assert b"Attempting to schedule pod" in program
    (folder / "kube-scheduler").write_bytes(
        program.replace(b"Attempting to schedule pod", b"Trying now to schedule pod")
    )
    return folder


@pytest.mark.requires("whole-cluster")  # what manifests deploy has roles for all of it
def test_image_whose_log_cannot_be_read_is_refused(reworded, shipped, install):
    message = "{}: its log cannot be read: kube-scheduler has no message 'Attempting to schedule pod', "
    with pytest.raises(UsageError, match=message.format("mine")):
        install(KubeScheduler("mine", image=reworded))
    other = shipped("other", verbosity=5)
    with pytest.raises(UsageError, match=message.format("other")):
        install(replace(other, images=dict.fromkeys(other.images, reworded)))


class Empty(BaseHTTPRequestHandler):
    """A registry that has no images."""

    #: gives a status line to what is no request: Docker 29 tries TLS first, and tells by it that this is plain HTTP
    default_request_version = "HTTP/1.1"

    def do_GET(self):
        """Answer as the API of registries demands it."""
        error = {"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}
        body = b"{}" if self.path == "/v2/" else json.dumps({"errors": [error]}).encode()
        self.send_response(200 if self.path == "/v2/" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - so it is called

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def registry():
    """Return where a registry is that has no images."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Empty) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_image_that_is_nowhere(install, registry):
    """An image that was not built is the user's mistake; a registry that does not answer is not."""
    with pytest.raises(UsageError, match=r"mine: image .*/mine:1: Docker does not have it, and its registry has no"):
        install(KubeScheduler("mine", image=f"{registry}/mine:1"))
    with pytest.raises(InfrastructureError, match=r"mine: image registry.invalid/mine:1: Docker does not have it, and"):
        install(KubeScheduler("mine", image="registry.invalid/mine:1"))


def test_dockerfile_that_does_not_build(kube_scheduler_image, install, tmp_path):
    (tmp_path / "Dockerfile").write_text((kube_scheduler_image / "Dockerfile").read_text())
    with pytest.raises(BuildError, match=r"(?s)does not build:.*COPY failed: .*kube-scheduler"):
        install(KubeScheduler("mine", image=tmp_path))


def test_folder_without_a_dockerfile(install, tmp_path):
    with pytest.raises(UsageError, match=r"mine: image: there is no .*Dockerfile"):
        install(KubeScheduler("mine", image=tmp_path))
