"""A test that fails leaves what it takes to understand it, and no secrets."""

import base64
import json
import re

import pytest
import yaml

#: how the base64 of a private key in PEM begins, whatever its algorithm
ENCODED = (base64.b64encode(f"-----BEGIN {kind}".encode()).decode()[:18] for kind in ("RSA", "EC ", "PRIVATE"))

#: a private key in any mode, a token, an identity of a kubeconfig, and what the test below has hidden
SECRET = re.compile(rf"PRIVATE KEY|{'|'.join(ENCODED)}|45 45 45 45 45 66 69|eyJ\w{{10,}}\.\w|key-data: *\w|hunter2")

FAILS = """
    import pytest
    from schedtest import Extender, KubeScheduler

    class Accepts(Extender):
        def filter(self, args): return args.reject({})

    @pytest.fixture(scope="module")  # it ends with the test that fails, as that is the last one
    def picky(install, extenders):
        served = extenders.serve(Accepts(), tls=True)
        return install(KubeScheduler("picky", extenders=[served.configuration()], verbosity=10))

    @pytest.fixture
    def hidden(request):
        return request.config.getini  # pytest shows arguments, so not the secret itself

    def test_passes(pods, expect):
        expect(pods.create()).bound()

    def test_fails(picky, nodes, pods, objects, deployments, expect, hidden):
        secret = {"stringData": {"note": hidden("hidden")}}
        objects.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}, secret)
        deployments.create("web", scheduler=picky)
        here, elsewhere = nodes.claim(2)
        here.label({"disk": "ssd"})
        pod = pods.create(scheduler=picky, node_selector={"disk": "ssd"})
        expect(pod).bound_to(elsewhere)
"""


@pytest.fixture
def run(pytester, binary_options):
    """Run tests with the binaries of this run, but another cluster; return the folder that they leave."""

    def running(source):
        pytester.makeconftest("def pytest_addoption(parser): parser.addini('hidden', 'a secret', default='hunter2')")
        pytester.makepyfile(source)
        pytester.runpytest_subprocess("--evidence-dir=left", *binary_options).assert_outcomes(passed=1, failed=1)
        return pytester.path / "left"

    return running


@pytest.mark.requires("processes")
def test_failure_leaves_its_evidence_without_secrets(run):
    folder = run(FAILS)
    lines = [json.loads(line) for line in (folder / "tests.jsonl").read_text().splitlines()]
    assert [(line["outcome"], line["method"]) for line in lines] == [("passed", []), ("failed", ["extender"])]
    passed, failed = (line["evidence"] for line in lines)
    assert passed is None

    timeline = (folder / failed / "timeline.txt").read_text()
    assert re.search(r"pod .*/pod-1 +created, for the scheduler picky", timeline)
    assert re.search(r"pod .*/pod-1 +bound to node-", timeline)
    assert re.search(r"scheduler .*/pod-1 +attempt begins", timeline)
    assert re.search(r"extender .*/pod-1 +Accepts\.filter\(", timeline)

    documents = list(yaml.safe_load_all((folder / failed / "objects.yaml").read_text()))
    assert {"Pod", "Node", "Event", "Secret", "Deployment"} <= {each["kind"] for each in documents}
    assert any(each["spec"].get("nodeName") for each in documents if each["kind"] == "Pod")

    assert "/pod-1" in (folder / failed / "logs" / "picky.log").read_text()
    configuration = yaml.safe_load((folder / failed / "configuration" / "picky" / "configuration.yaml").read_text())
    assert configuration["kind"] == "KubeSchedulerConfiguration"
    # The key was there, and so was what the Secret says.
    assert configuration["extenders"][0]["tlsConfig"]["keyData"] == "(removed)"
    assert [each["data"] for each in documents if each["kind"] == "Secret"] == [{"note": "(removed)"}]

    files = [path for path in folder.rglob("*") if path.is_file()]
    assert "kube-apiserver.log" in {path.name for path in files}
    assert [(str(path), found.group()) for path in files if (found := SECRET.search(path.read_text()))] == []
