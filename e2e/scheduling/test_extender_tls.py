"""An extender over TLS: both sides must show a certificate that the other side trusts."""

import pytest

from schedtest import KubeScheduler

pytestmark = pytest.mark.bound_only


@pytest.fixture(scope="module")
def secured(extenders, accepts_all):
    return extenders.serve(accepts_all, tls=True)


@pytest.fixture(scope="module")
def stranger(extenders, accepts_all):
    """Serve another extender, whose certificates are worth nothing here."""
    served = extenders.serve(accepts_all, tls=True)
    yield served
    assert not served.calls


@pytest.fixture
def scheduled_with(install, secured, pods, nodes):
    """Create a pod of a scheduler that has this ``tlsConfig``."""

    def create(tls_config):
        nodes.claim(1)
        entry = {**secured.configuration(), "tlsConfig": tls_config}
        return pods.create(scheduler=install(KubeScheduler("secured", extenders=[entry])))

    return create


def part(served, *keys):
    return {key: served.endpoint["tlsConfig"][key] for key in keys}


def test_both_certificates_are_right(scheduled_with, secured, expect):
    pod = scheduled_with(secured.endpoint["tlsConfig"])
    expect(pod).bound()
    assert len(secured.calls.of("filter", pod)) == 1


def test_extender_of_another_authority_is_refused(scheduled_with, secured, stranger, expect):
    pod = scheduled_with({**part(secured, "certData", "keyData"), **part(stranger, "caData")})
    rejection = expect(pod).pending(message="x509: certificate signed by unknown authority")
    assert rejection.reason == "SchedulerError"
    assert secured.calls.of(pod=pod) == []


@pytest.mark.parametrize("client", ["none", "of another authority"])
def test_scheduler_without_the_right_certificate_is_refused(client, scheduled_with, secured, stranger, expect):
    certificate = {} if client == "none" else part(stranger, "certData", "keyData")
    pod = scheduled_with({**part(secured, "caData"), **certificate})
    # In TLS 1.3 the refusal comes after the handshake, and reaches the scheduler as an alert or a broken connection.
    rejection = expect(pod).pending(message=f'Post "{secured.url}/filter": ')
    assert rejection.reason == "SchedulerError"
    assert secured.calls.of(pod=pod) == []


def test_without_an_authority_the_scheduler_trusts_anybody(scheduled_with, secured, expect):
    """``enableHTTPS`` without a CA does not verify the extender, and nothing says so."""
    pod = scheduled_with(part(secured, "certData", "keyData"))
    expect(pod).bound()
    assert len(secured.calls.of("filter", pod)) == 1
