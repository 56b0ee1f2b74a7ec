"""A webhook as a component: its configuration names a Service, and the API server calls the program instead."""

import pytest
import yaml

from schedtest import Program, UsageError

CHECKED = {"example.com/checked": "yes"}

CONFIGURATION = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "pods-have-a-team"},
    "webhooks": [
        {
            "name": "pods.example.com",
            "clientConfig": {"service": {"name": "toy-webhook", "namespace": "toy-system", "path": "/validate"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
            "objectSelector": {"matchLabels": CHECKED},
            "failurePolicy": "Fail",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
    ],
}


@pytest.fixture
def webhook(tmp_path):
    """Describe the webhook of ``toy_webhook.py``, which is shipped with its configuration."""
    (tmp_path / "webhook.yaml").write_text(yaml.safe_dump(CONFIGURATION))

    def describe(**more):
        return Program(
            "toy-webhook",
            lambda at: [f"--port={at.port}", f"--certificate={at.certificate}", f"--key={at.key}"],
            module="toy_webhook",
            tls=True,
            health="/healthz",
            objects=tmp_path / "webhook.yaml",
            **more,
        )

    return describe


def test_api_server_calls_it_as_long_as_it_is_installed(install, webhook, pods, expect):
    # Control arm: nothing is called yet.
    expect(pods.create(labels=CHECKED)).bound()
    installed = install(webhook(service="toy-webhook"))
    assert installed.left_out == ()
    with pytest.raises(UsageError, match=r"admission webhook .*pods\.example\.com.* denied .*team is wanted"):
        pods.create(labels=CHECKED)
    expect(pods.create(labels=CHECKED, annotations={"example.com/team": "a"})).bound()
    expect(pods.create()).bound()
    log = installed.log()
    assert (log.count(b": denied"), log.count(b": allowed")) == (1, 1)
    installed.uninstall()
    expect(pods.create(labels=CHECKED)).bound()


def test_configuration_of_another_service_is_refused(install, webhook):
    with pytest.raises(UsageError, match=r"1 ValidatingWebhookConfiguration, of which none is made: .* needs service="):
        install(webhook(service="another"))
