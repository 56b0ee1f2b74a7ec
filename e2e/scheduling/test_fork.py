"""A fork: kube-scheduler with a patch applied, beside the stock one.

The patch makes one difference: of several nodes with the same score, the lexically last one is taken.
"""

import pytest

from schedtest import BuildError, ExpectationError, ForkedScheduler, UsageError

pytestmark = pytest.mark.bound_only

DRAWS = 12


@pytest.fixture(scope="module")
def fork(install):
    patch = "manifests/forks/last-by-name.patch"
    return install(ForkedScheduler("last-by-name", patch=patch, verbosity=10))


def test_fork_takes_the_last_of_equal_nodes(fork, pods, nodes, expect):
    claimed = nodes.claim(3)
    last = max(claimed, key=lambda node: node.name)
    for _ in range(DRAWS):
        pod = pods.create(scheduler=fork)
        expect(pod).bound_to(last)
        expect(pod).scheduled_by("last-by-name")
        pod.delete()  # so that the nodes stay equal


def test_scores_do_not_tell_the_nodes_apart(fork, pods, nodes, expect):
    """Control arm: without the patch it would be chance which node a pod goes to, as all of them score the same."""
    *others, last = sorted(nodes.claim(3), key=lambda node: node.name)
    pod = pods.create(scheduler=fork)
    expect(pod).bound_to(last)
    for other in others:
        with pytest.raises(ExpectationError, match=r"both scored \d+: neither is preferred"):
            expect(pod).prefers(last, over=other)


def test_fork_still_filters(fork, pods, nodes, expect):
    first, *_ = sorted(nodes.claim(3), key=lambda node: node.name)
    first.label({"disk": "ssd"})
    expect(pods.create(scheduler=fork, node_selector={"disk": "ssd"})).bound_to(first)


def test_patch_that_does_not_apply_is_refused_with_the_reason(install):
    with pytest.raises(
        BuildError, match=r"does-not-apply.patch does not apply to k8s.io/kubernetes:\n(.*\n)*.*patch failed"
    ):
        install(ForkedScheduler("broken", patch="manifests/forks/broken/does-not-apply.patch"))


def test_patch_that_does_not_compile_is_refused_with_the_compilers_lines(install):
    with pytest.raises(BuildError, match=r"does not compile:\n(.*\n)*.*scheduler.go:\d+:\d+: undefined: noSuchThing"):
        install(ForkedScheduler("broken", patch="manifests/forks/broken/does-not-compile.patch"))


def test_fork_whose_log_cannot_be_read_is_refused(install):
    with pytest.raises(
        UsageError,
        match=r"^reworded: its log cannot be read: \S+ has no message \"Calculated node's final score for pod\",",
    ):
        install(ForkedScheduler("reworded", patch="manifests/forks/broken/rewords-its-log.patch", verbosity=10))
