"""A webhook as a component: its configuration names a Service, and the API server calls the program instead."""

import pytest
import yaml

from schedtest import ComponentError, DeniedError, Program, UsageError

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

    def describe(*options, sort="Validating", seconds=10, **more):
        (call,) = CONFIGURATION["webhooks"]
        webhook = {**call, "timeoutSeconds": seconds}
        kind = f"{sort}WebhookConfiguration"
        (tmp_path / "webhook.yaml").write_text(yaml.safe_dump({**CONFIGURATION, "kind": kind, "webhooks": [webhook]}))
        return Program(
            "toy-webhook",
            lambda at: [f"--port={at.port}", f"--certificate={at.certificate}", f"--key={at.key}", *options],
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
    with pytest.raises(DeniedError, match=r"admission webhook .*pods\.example\.com.* denied .*team is wanted"):
        pods.create(labels=CHECKED)
    expect(pods.create(labels=CHECKED, annotations={"example.com/team": "a"})).bound()
    expect(pods.create()).bound()
    log = installed.log()
    assert (log.count(b": denied"), log.count(b": allowed")) == (1, 1)
    installed.uninstall()
    expect(pods.create(labels=CHECKED)).bound()


def test_configuration_of_another_service_is_refused(install, webhook):
    with pytest.raises(
        UsageError, match=r"1 ValidatingWebhookConfiguration, of which none is made: .* a Program with service="
    ):
        install(webhook(service="another"))


@pytest.mark.parametrize(
    ("fault", "sort", "seconds", "said"),
    [
        ("500", "Mutating", 2, "failed calling webhook"),
        ("hang", "Validating", 1, "failed calling webhook"),
        # The run gives up before the API server does, which then names no webhook.
        ("hang", "Validating", 30, "no answer"),
    ],
)
def test_one_that_does_not_answer_is_to_blame(install, webhook, pods, expect, sort, fault, seconds, said):
    install(webhook(f"--fault={fault}", sort=sort, seconds=seconds, service="toy-webhook"))
    expect(pods.create()).bound()
    with pytest.raises(ComponentError, match=rf"(?s)^Pod pod-2: .*{said}.*pods\.example\.com.* is of toy-webhook"):
        pods.create(labels=CHECKED)


def test_one_that_breaks_what_it_is_to_change_is_to_blame(install, webhook, pods):
    """The API server says what is wrong with its patch, and not whose that is."""
    install(webhook("--fault=patch", sort="Mutating", service="toy-webhook"))
    with pytest.raises(ComponentError, match=r"(?s)^Pod pod-1: 500 .*pods\.example\.com.* is of toy-webhook"):
        pods.create(labels=CHECKED)


def test_one_that_the_test_has_killed_is_the_tests(install, webhook, pods):
    installed = install(webhook(service="toy-webhook"))
    installed.kill()
    with pytest.raises(UsageError, match=r"is of toy-webhook, which was killed by the test$"):
        pods.create(labels=CHECKED)


def test_one_that_the_test_has_made_is_the_tests(objects, pods):
    call = {**CONFIGURATION["webhooks"][0], "clientConfig": {"url": "https://127.0.0.1:1/validate"}}
    objects.create({**CONFIGURATION, "webhooks": [call]})
    with pytest.raises(UsageError, match=r"webhook pods\.example\.com .* was made by the test$") as caught:
        pods.create(labels=CHECKED)
    assert not isinstance(caught.value, ComponentError)


def test_policy_of_the_test_is_applied_at_once(objects, pods, expect):
    """The API server learns of policies a moment after it has stored them."""
    expect(pods.create(labels=CHECKED)).bound()
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    matched = {"resourceRules": [rule], "objectSelector": {"matchLabels": CHECKED}}
    api = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": "no-checked-pods"}}
    policy = {"matchConstraints": matched, "validations": [{"expression": "false", "message": "not today"}]}
    objects.create({**api, "kind": "ValidatingAdmissionPolicy", "spec": policy})
    binding = {"policyName": "no-checked-pods", "validationActions": ["Deny"]}
    objects.create({**api, "kind": "ValidatingAdmissionPolicyBinding", "spec": binding})
    with pytest.raises(UsageError, match="not today"):
        pods.create(labels=CHECKED)
    expect(pods.create()).bound()
