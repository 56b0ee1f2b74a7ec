"""A component may do what it declares and nothing else: without any one of its rights, the chaos scheduler says so."""

import re
from dataclasses import replace

import pytest

from chaos_scheduler.component import Election, chaos_scheduler
from schedtest import ComponentError, Taint

ELECTING = Election(duration=4, renew_deadline=3, retry_period=0.2)
CLOSED = Taint("example.com/closed")

#: without these it cannot begin
STARTING = [
    ("list", "pods"),
    ("watch", "pods"),
    ("list", "nodes"),
    ("watch", "nodes"),
    ("get", "leases"),
    ("create", "leases"),
]
#: and without this neither, once the lease exists
RENEWING = ("patch", "leases")
#: without these it begins, but a part of its work fails
WORKING = [("create", "pods/binding"), ("patch", "pods/status"), ("create", "events")]


def single_rights(scheduler):
    """Return every right that a scheduler needs as a rule of its own, by verb and resource."""
    return {
        (verb, resource): replace(rule, resources=(resource,), verbs=(verb,))
        for rule in scheduler.rules
        for resource in rule.resources
        for verb in rule.verbs
    }


def without(right):
    """Return a scheduler that lacks one right, and how the API server words its absence."""
    verb, resource = right
    scheduler = chaos_scheduler(f"no-{verb}-{resource.replace('/', '-')}", election=ELECTING)
    rights = single_rights(scheduler)
    del rights[right]
    return replace(scheduler, rules=tuple(rights.values())), f'cannot {verb} resource "{resource}"'


def test_with_every_right_it_works_and_has_no_complaint(install, pods, nodes, expect):
    """The control arm of all others."""
    nodes.claim(1, taints=[CLOSED])
    entitled = install(chaos_scheduler("entitled", election=ELECTING))
    expect(pods.create(scheduler=entitled)).pending(message="node(s) had untolerated taint(s)")
    expect(pods.create(scheduler=entitled, tolerates=[CLOSED])).scheduled_by("entitled")
    entitled.uninstall()
    log = entitled.log().decode()
    assert "bound pod" in log
    # As the API server says; on a busy machine it may be unable to renew its Lease in time, and says so, too.
    assert not re.search(r"cannot \w+ resource", log)


def test_every_right_that_it_has_is_taken_away_below():
    assert {*STARTING, RENEWING, *WORKING} == set(single_rights(chaos_scheduler(election=ELECTING)))


@pytest.mark.parametrize("right", STARTING, ids=" ".join)
def test_it_does_not_start_without(right, install):
    deprived, refusal = without(right)
    with pytest.raises(ComponentError, match=refusal):
        install(deprived)


def test_it_does_not_start_if_it_may_not_take_the_lease(install):
    deprived, refusal = without(RENEWING)
    install(chaos_scheduler(deprived.name, election=ELECTING)).uninstall()
    with pytest.raises(ComponentError, match=refusal):
        install(deprived)


@pytest.mark.parametrize("right", WORKING, ids=" ".join)
def test_it_complains_without(right, install, pods, nodes, expect):
    nodes.claim(1, taints=[CLOSED])
    deprived, refusal = without(right)
    scheduler = install(deprived)
    pods.create("fits-nowhere", scheduler=scheduler)
    fits = pods.create("fits", scheduler=scheduler, tolerates=[CLOSED])
    if right == ("create", "pods/binding"):
        expect(fits).stays_pending(message=refusal)
    else:
        expect(fits).bound()
    # It ends in order: what it has begun to say, it says.
    scheduler.uninstall()
    assert refusal in scheduler.log().decode()
