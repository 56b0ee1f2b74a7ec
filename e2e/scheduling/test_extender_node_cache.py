"""An extender that is ``nodeCacheCapable`` gets the names of nodes, any other gets the nodes themselves."""

import pytest

from schedtest import Extender, KubeScheduler
from schedtest.extender import HostPriorityList

pytestmark = pytest.mark.bound_only


class RejectsByName(Extender):
    """Reject the node that the pod's label ``avoid`` names, and score all others alike."""

    def filter(self, args):
        avoided = args.pod_labels.get("avoid")
        return args.reject({name: "is to be avoided" for name in args.names if name == avoided})

    def prioritize(self, args):
        return HostPriorityList.of(dict.fromkeys(args.names, 1))


@pytest.fixture(scope="module")
def served(extenders):
    return extenders.serve(RejectsByName())


@pytest.fixture(scope="module", params=[True, False], ids=["names", "whole nodes"])
def capable(request):
    return request.param


@pytest.fixture(scope="module")
def scheduler(install, served, capable):
    return install(KubeScheduler("cache-aware", extenders=[served.configuration(node_cache_capable=capable)]))


def test_nodes_come_in_the_form_that_was_asked_for(scheduler, capable, served, pods, nodes, expect):
    claimed = nodes.claim(3)
    pod = pods.create(scheduler=scheduler, labels={"avoid": claimed[0].name})
    expect(pod).bound_to_one_of(claimed[1:])
    filtered, prioritized = served.calls.of(pod=pod)
    assert sorted(filtered.nodes) == sorted(node.name for node in claimed)
    assert sorted(prioritized.nodes) == sorted(node.name for node in claimed[1:])
    for args in (filtered.args, prioritized.args):
        assert (args.node_names is None, args.nodes is None) == (not capable, capable)
    if not capable:
        uids = {node["metadata"]["name"]: node["metadata"]["uid"] for node in filtered.args.nodes.items}
        assert uids == {node.name: node.uid for node in claimed}
