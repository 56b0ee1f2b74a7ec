"""From 1.35 on, kube-scheduler does not break ties by chance: of nodes with equal scores it nearly always takes one.

The random number that is to break the tie is drawn only where an extender scores; without one it is 0 for every node.
Before 1.35 each of the nodes is taken as often: see test_stock_scheduler_takes_either_of_equal_nodes.
"""

import pytest

from schedtest import ExpectationError, KubeScheduler

pytestmark = pytest.mark.requires("kubernetes>=1.35")

#: all nodes that fit have the same score
EVEN = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "schedulerName": "even",
            "plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "TaintToleration"}]}},
        }
    ],
}


def test_one_of_equal_nodes_is_taken_nearly_always(install, placements, nodes, expect):
    claimed = nodes.claim(2)
    scheduler = install(KubeScheduler("even", config=EVEN))
    with pytest.raises(ExpectationError, match=r"wanted: uniform over .*\n +seen: +\S+ was drawn \d+ times in \d+;"):
        expect(placements(scheduler=scheduler)).uniform_over(claimed)
