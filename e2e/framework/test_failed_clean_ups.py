"""A clean-up that fails leaves pods, labels and a size: no later test takes them for its scheduler's failure."""

import os
import re
import subprocess
import sys

import pytest

#: the runs within the tests have clusters of their own
pytestmark = pytest.mark.requires("processes", "default-scheduler")

#: Two tests that take all of one node. The pod of the first one cannot be removed in time if it has a finalizer; the
#: label tells whether the node was put back as well.
RUN = """
def test_first(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "2"}, labels={"disk": "ssd"})
    pod = pods.create("held", requests={"cpu": "2"})
    expect(pod).bound_to(node)
    pod.patch({"metadata": {"finalizers": FINALIZERS}})

def test_second(nodes, pods, expect):
    (node,) = nodes.claim(1, capacity={"cpu": "2"})
    assert "disk" not in node.labels
    expect(pods.create(requests={"cpu": "2"})).bound_to(node)
    assert [pod for pod in pods.select({}, namespace=None) if pod.name == "held"] == []

def test_third(nodes, pods, expect):
    expect(pods.create()).bound()
"""

#: has the API server refuse to remove the pod of the first test, or its finalizers, from its end on
REFUSED = """
import pytest
from kubernetes import client, config

@pytest.fixture(autouse=True)
def refuse(request, cluster, namespace, pods):
    yield
    if request.node.name == "test_first":
        config.load_kube_config(str(cluster.kubeconfig))
        api, name = client.AdmissionregistrationV1Api(), {"metadata": {"name": "keep.example.com"}}
        rules = [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["UPDATE", "DELETE"]}]
        spec = {"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "false"}]}
        api.create_validating_admission_policy({**name, "spec": spec})
        spec = {"policyName": "keep.example.com", "validationActions": ["Deny"]}
        api.create_validating_admission_policy_binding({**name, "spec": spec})
        with pytest.raises(client.ApiException, match="keep.example.com"):
            while True:  # until it is in effect
                client.CoreV1Api().delete_namespaced_pod("held", namespace, dry_run="All")
"""

#: Two tests of a component, of which the first one has it replaced. Each of its starts takes a line of a file, and
#: fails unless it says so.
REPLACED = """
from pathlib import Path

import pytest
from schedtest import LogLine, Program

STARTS = Path(__file__).with_name("starts")
SCRIPT = f'''#!/bin/sh
said=$(head -n 1 {STARTS}) && sed -i 1d {STARTS} && echo "$said" && [ "$said" = works ] && exec sleep 1000
'''

def program(name):
    binary = Path(__file__).with_name(name)
    binary.write_text(SCRIPT)
    binary.chmod(0o755)
    return Program(name, [], binary=str(binary), rules=(), health=LogLine("works"), serves="mine")

@pytest.fixture(scope="module")
def mine(install):
    return install(program("mine"))

def test_first(mine, install):
    install(program("successor"), replace=True)

def test_second(mine, pods, expect):
    assert mine.log() == b"works\\nworks\\n"

def test_third(pods, expect):
    expect(pods.create()).bound()
"""


@pytest.fixture
def run(binary_options, tmp_path):
    """Run the tests of ``RUN`` or others, and return the exit status and the output."""

    def running(finalizers=(), conftest="", tests=RUN):
        (tmp_path / "test_leaving.py").write_text(tests.replace("FINALIZERS", repr(finalizers)))
        (tmp_path / "conftest.py").write_text(conftest)
        options = ["-p", "no:cacheprovider", "--rootdir=.", "--nodes=2", "--timeout-factor=0.3", *binary_options]
        argv = [sys.executable, "-m", "pytest", *options]
        # A width, which GNU readline gives to children of the process that it is in, would have lines fitted to it.
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return running


def test_what_a_test_leaves_is_removed_before_the_next_one(run):
    status, printed = run(["example.com/held"])
    assert status == 1, printed
    assert re.search(r"3 passed, 1 error in ", printed), printed
    assert "held by the finalizer example.com/held" in printed


def test_tests_do_not_run_while_something_is_left(run):
    status, printed = run([], REFUSED)
    assert status == 1, printed
    assert re.search(r"1 passed, 1 error, 2 infrastructure in ", printed), printed
    said = "infrastructure failure: not run, because of leftovers of earlier tests: "
    assert len(re.findall(rf"^{said}test_leaving.py::test_first: .*keep\.example\.com", printed, re.MULTILINE)) == 2


def test_clean_up_that_works_leaves_nothing(run):
    status, printed = run([])
    assert (status, "3 passed in " in printed) == (0, True), printed


def test_component_that_does_not_come_back_is_started_again_for_the_next_test(run, tmp_path):
    (tmp_path / "starts").write_text("works\nworks\nfails\nworks\n")
    status, printed = run(tests=REPLACED)
    assert status == 1, printed
    assert re.search(r"3 passed, 1 error in ", printed), printed
    assert re.search(r"\nmine ended by itself with exit code 1; its last lines:\n +fails\n", printed), printed


def test_tests_do_not_wait_for_a_component_that_does_not_come_back(run, tmp_path):
    (tmp_path / "starts").write_text("works\nworks\nfails\nfails\nfails\n")
    status, printed = run(tests=REPLACED)
    assert status == 1, printed
    assert re.search(r"1 passed, 3 errors in ", printed), printed
    assert "timed out" not in printed


def test_component_that_comes_back_serves_the_next_test(run, tmp_path):
    (tmp_path / "starts").write_text("works\nworks\nworks\n")
    status, printed = run(tests=REPLACED)
    assert (status, "3 passed in " in printed) == (0, True), printed


#: has a boot fail after the cluster is up, and tells which processes are left at the end
UNSAID = """
from importlib import metadata

import psutil

find = metadata.Distribution.from_name

def find_all_but_pytest(name):
    return find("removed" if name == "pytest" else name)

metadata.Distribution.from_name = find_all_but_pytest

def pytest_sessionfinish():
    print("left:", [child.name() for child in psutil.Process().children(recursive=True)])
"""


def test_cluster_that_is_up_goes_if_that_cannot_be_said(run):
    """As after its packages have been replaced meanwhile."""
    status, printed = run(conftest=UNSAID)
    assert status != 0, printed
    assert "No package metadata was found for removed" in printed
    assert "left: []" in printed
