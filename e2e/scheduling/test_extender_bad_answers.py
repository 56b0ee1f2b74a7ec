"""What a scheduler makes of wrong answers to filter; those to prioritize are in ``test_extender_prioritize``."""

import pytest

from schedtest import ExpectationError, Extender, KubeScheduler
from schedtest.extender import faults

pytestmark = pytest.mark.bound_only

OPINION = "the node is full of eels"

ERRORS = {"malformed": "unexpected EOF", "status-500": "code 500", "error": OPINION}


class Errs(Extender):
    """Answer filter as the pod's label ``answer`` says."""

    def filter(self, args):
        answers = {
            "right": args.reject(dict.fromkeys(args.names, OPINION)),
            "malformed": faults.MALFORMED,
            "status-500": faults.INTERNAL_ERROR,
            "error": faults.error(OPINION),
            "unknown-node": faults.unknown_node(args),
            "twice": faults.twice(args, args.names[:1]),
        }
        return answers[args.pod_labels["answer"]]


@pytest.fixture(scope="module")
def served(extenders):
    return extenders.serve(Errs())


@pytest.fixture(scope="module")
def strict(install, served):
    return install(KubeScheduler("strict", extenders=[served.configuration()]))


@pytest.fixture(scope="module")
def easy_going(install, served):
    return install(KubeScheduler("easy-going", extenders=[served.configuration(ignorable=True)]))


@pytest.fixture(scope="module")
def by_name(install, served):
    return install(KubeScheduler("by-name", extenders=[served.configuration(node_cache_capable=True)]))


@pytest.mark.parametrize("answer", ERRORS)
def test_error_fails_the_pod(answer, strict, pods, nodes, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=strict, labels={"answer": answer})
    assert expect(pod).pending(message=ERRORS[answer]).reason == "SchedulerError"


def test_errors_of_an_ignorable_extender_are_passed_over(easy_going, pods, nodes, expect):
    nodes.claim(1)
    for answer in ERRORS:
        expect(pods.create(scheduler=easy_going, labels={"answer": answer})).bound()
    # Control arm: it is asked, and a proper answer counts.
    expect(pods.create(scheduler=easy_going, labels={"answer": "right"})).pending(message=f"1 {OPINION}")


def test_node_that_is_named_twice_counts_once(strict, by_name, served, pods, nodes, expect):
    claimed = {node.name: node for node in nodes.claim(2)}
    for scheduler in (strict, by_name):
        pod = pods.create(scheduler=scheduler, labels={"answer": "twice"})
        node = expect(pod).bound()
        (call,) = served.calls.of("filter", pod)
        assert call.result.names == [claimed[node].name] * 2


def test_unknown_name_fails_the_pod(by_name, pods, nodes, expect):
    nodes.claim(1)
    pod = pods.create(scheduler=by_name, labels={"answer": "unknown-node"})
    message = f'claims a filtered node "{faults.NO_SUCH_NODE}" which is not found in the input node list'
    assert expect(pod).pending(message=message).reason == "SchedulerError"


def test_unknown_whole_node_is_believed(strict, pods, nodes, expect):
    """kube-scheduler does not check whole nodes, and binds the pod to a node that does not exist."""
    nodes.claim(1)
    pod = pods.create(scheduler=strict, labels={"answer": "unknown-node"})
    with pytest.raises(ExpectationError, match="bound to no-such-node, which is no node"):
        expect(pod).bound()
