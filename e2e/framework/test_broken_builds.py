"""Plugins that are configured wrongly, and forks that are broken, are caught; a healthy build is not."""

import pytest

from broken import Broken, Stage
from schedtest import ExpectationError, ForkedScheduler, InconclusiveError, KubeScheduler, PluginScheduler, Taint

LABEL = "schedtest.dev/priority"
CLOSED = Taint("example.com/closed")
SLOW = Taint("example.com/slow", effect="PreferNoSchedule")

PRIORITY = [{"name": "Priority"}]
ALL = [{"name": "*"}]


def unranked_node_is_not_taken(stage):
    stage.nodes.claim(1)
    stage.soon(stage.create()).stays_pending(rejected_by="Priority", message=f"1 node does not have label {LABEL}")


def better_node_is_preferred(stage):
    worse, better = stage.nodes.claim(2)
    worse.label({LABEL: "10"})
    better.label({LABEL: "20"})
    better.taint(SLOW)
    stage.expect(stage.create()).prefers(better, over=worse)


def free_node_is_taken(stage):
    (node,) = stage.nodes.claim(1)
    stage.soon(stage.create()).bound_to(node)


def pod_that_is_let_in_is_bound(stage):
    (node,) = stage.nodes.claim(1)
    pod = stage.create()
    stage.expect(pod).traced("PreEnqueue")
    stage.soon(pod).bound_to(node)


def permitted_pod_is_bound(stage):
    (node,) = stage.nodes.claim(1)
    pod = stage.create()
    stage.expect(pod).traced("Permit")
    stage.soon(pod).bound_to(node)


def tainted_node_is_not_taken(stage):
    stage.nodes.claim(1, taints=[CLOSED])
    stage.expect(stage.create()).stays_pending(rejected_by="TaintToleration", message="untolerated taint")


def priority(filter_=PRIORITY, score=PRIORITY, **args):
    """Return a profile with the plugin Priority; ``args`` are the plugin's."""
    scoring = {"disabled": ALL, "enabled": score}
    return {
        "plugins": {"filter": {"enabled": filter_}, "score": scoring},
        "pluginConfig": [{"name": "Priority", "args": args}] if args else [],
    }


def tracer(**outcome):
    """Return a profile with the plugin Tracer, which answers every pod alike."""
    outcomes = [{**outcome, "podSelector": {}}] if outcome else []
    points = {point: {"enabled": [{"name": "Tracer"}]} for point in ("preEnqueue", "filter", "permit", "preBind")}
    return {"plugins": points, "pluginConfig": [{"name": "Tracer", "args": {"outcomes": outcomes}}]}


#: the profiles of plugins, by what is wrong with them
PROFILES = {
    "Priority": priority(),
    "Priority does not filter": priority(filter_=[]),
    "Priority looks at another label": priority(labelKey="example.com/rank"),
    "Priority does not score": priority(score=[]),
    "Priority is outweighed": priority(score=[*PRIORITY, {"name": "TaintToleration", "weight": 100}]),
    "Tracer": tracer(),
    "Tracer does not let in": tracer(point="PreEnqueue", status="Unschedulable"),
    "Tracer rejects": tracer(point="Filter", status="Unschedulable"),
    "Tracer waits": tracer(point="Permit", status="Wait", timeout="60s"),
    "Tracer fails": tracer(point="PreBind", status="Error"),
}
FORKS = {"Stock": None, "Ignores taints": "manifests/forks/ignores-taints.patch"}

BOUND = r"wanted: Pending after a scheduler tried it, rejected by {}.*\n +seen: +bound to \S+, \w+(?:; container .*)?\n"
WAITS = r"timed out after 0.5 s\n +wanted: bound to \S+\n +seen: +Pending"
FAILED = "FailedScheduling"

BROKEN = [
    Broken("Priority does not filter", unranked_node_is_not_taken, (BOUND.format("Priority"),)),
    Broken(
        "Priority looks at another label",
        unranked_node_is_not_taken,
        (f"wanted: .*message with '1 node does not have label {LABEL}'", "seen: .*not have label example.com/rank"),
        evidence=FAILED,
    ),
    Broken(
        "Priority does not score",
        better_node_is_preferred,
        (": inconclusive\n", "nothing was scored"),
        InconclusiveError,
    ),
    Broken("Priority is outweighed", better_node_is_preferred, (r"seen: +\S+ scored \d+, \S+ only \d+\n",)),
    Broken(
        "Tracer does not let in",
        pod_that_is_let_in_is_bound,
        (f"{WAITS}; kept out of the queue at PreEnqueue by Tracer",),
        silent=True,
    ),
    Broken(
        "Tracer rejects",
        free_node_is_taken,
        (f"{WAITS}; Unschedulable: .* 1 Tracer returns Unschedulable at Filter",),
        evidence=FAILED,
    ),
    Broken(
        "Tracer waits",
        permitted_pod_is_bound,
        (f"{WAITS}; its attempt of .* has found [a-z0-9-]+, and waits at Permit .plugin Tracer. since",),
        silent=True,
    ),
    Broken(
        "Tracer fails",
        free_node_is_taken,
        (f'{WAITS}; SchedulerError: running PreBind plugin "Tracer": Tracer returns Error at PreBind',),
        evidence=FAILED,
    ),
    Broken("Ignores taints", tainted_node_is_not_taken, (BOUND.format("TaintToleration"),)),
]
#: the healthy one for each claim
HEALTHY = {broken.claim: broken.what.split()[0] for broken in BROKEN} | {tainted_node_is_not_taken: "Stock"}


def configured(name, profile):
    """Return the configuration with one profile."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": name, **profile}],
    }


@pytest.fixture(scope="module")
def run(install):
    """Install a scheduler by what is wrong with it, or by the name of a healthy one."""

    def running(what):
        name = what.lower().replace(" ", "-")[:30]
        if what in FORKS:
            patch = FORKS[what]
            return install(ForkedScheduler(name, patch=patch) if patch else KubeScheduler(name))
        config = configured(name, PROFILES[what])
        return install(PluginScheduler(name, module="scheduler", follow_kubernetes=True, config=config, verbosity=10))

    return running


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_broken_build_is_caught(broken, run, pods, nodes, expect):
    broken.is_caught(Stage(run(broken.what), pods, nodes, expect))


@pytest.mark.parametrize("claim", HEALTHY, ids=lambda claim: claim.__name__)
def test_healthy_build_is_not(claim, run, pods, nodes, expect):
    """The control arm of all others."""
    claim(Stage(run(HEALTHY[claim]), pods, nodes, expect))


@pytest.fixture(scope="module")
def even():
    """Return a configuration by which all nodes that fit have the same score."""
    scoring = {"disabled": ALL, "enabled": [{"name": "TaintToleration"}]}
    return configured("even", {"plugins": {"score": scoring}})


def test_fork_that_takes_the_last_of_equal_nodes_is_caught(even, install, placements, nodes, expect):
    """Its control arm is upstream/test_ties.py."""
    claimed = nodes.claim(2)
    fork = install(ForkedScheduler("even", patch="manifests/forks/last-by-name.patch", config=even))
    with pytest.raises(ExpectationError, match=r"wanted: uniform over .*\n +seen: +\S+ was drawn 0 times in \d+;"):
        expect(placements(scheduler=fork)).uniform_over(claimed, sequential=True)
