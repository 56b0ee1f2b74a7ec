"""A pod that is bound at the second try is reported as scheduled, however late the report of the first one comes."""

from contextlib import nullcontext

import pytest
import yaml

from schedtest import KubeScheduler, Program
from schedtest.extender import Binder, ExtenderBindingResult

pytestmark = pytest.mark.requires("processes", "whole-cluster")

CHECKED = {"example.com/checked": "yes"}

#: holds what schedulers report about pods that are not bound
WEBHOOK = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "slow-reports"},
    "webhooks": [
        {
            "name": "pods.example.com",
            "clientConfig": {"service": {"name": "toy-webhook", "namespace": "toy-system", "path": "/validate"}},
            "rules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["pods/status"]}
            ],
            "objectSelector": {"matchLabels": CHECKED},
            "matchConditions": [{"name": "not-bound", "expression": "!has(object.spec.nodeName)"}],
            "failurePolicy": "Ignore",
            "timeoutSeconds": 30,
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
    ],
}


class Moody(Binder):
    """Bind, but refuse a pod called refused once."""

    def __init__(self, kubeconfig):
        super().__init__(kubeconfig)
        self.refused = False

    def bind(self, args):
        if args.pod_name == "refused" and not self.refused:
            self.refused = True
            return ExtenderBindingResult(error="not the first time")
        return super().bind(args)


@pytest.fixture
def answer(tmp_path, install):
    """Return the file whose existence has the webhook answer."""
    answers = tmp_path / "answer"
    (tmp_path / "webhook.yaml").write_text(yaml.safe_dump(WEBHOOK))
    install(
        Program(
            "toy-webhook",
            lambda at: [
                f"--port={at.port}",
                f"--certificate={at.certificate}",
                f"--key={at.key}",
                f"--until={answers}",
            ],
            module="toy_webhook",
            tls=True,
            health="/healthz",
            objects=tmp_path / "webhook.yaml",
            service="toy-webhook",
        )
    )
    yield answers
    answers.touch()


@pytest.mark.parametrize("name", ["accepted", "refused"])
def test_report_of_the_first_try_comes_late(name, answer, cluster, extenders, install, nodes, pods, expect, known_bug):
    nodes.claim(1)
    served = extenders.serve(Moody(cluster.kubeconfig))
    delegating = install(KubeScheduler("delegating", extenders=[served.configuration()]))
    team = {"example.com/team": "a"}
    pod = pods.create(name, scheduler=delegating, labels=CHECKED, annotations=team, runs=False)
    expect(pod).bound()
    expect(pod).condition("PodScheduled", "True")
    mark = expect.mark()
    answer.touch()
    bug = known_bug(
        "kubernetes>=1.32",
        reason="kubernetes#139602: a report that the binding has failed overwrites that the pod is bound",
        match="PodScheduled",
    )
    with bug if name == "refused" else nullcontext():
        expect(pod).unchanged(since=mark)
