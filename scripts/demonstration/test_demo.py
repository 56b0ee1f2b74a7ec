"""Each way to change scheduling: what is installed, a pod that is Pending, what is changed, the pod that runs."""

from collections import Counter

from chaos_scheduler.component import chaos_scheduler
from schedtest import ForkedScheduler, KubeScheduler, PluginScheduler
from schedtest.extender import ChaosExtender

PATCH = "manifests/forks/last-by-name.patch"
PRIORITY = "schedtest.dev/priority"

#: pods, one after the other; the stock scheduler puts so many on one of three nodes by chance once in 170 000 runs
DRAWS = 12
#: so many pods leave out one of five nodes by chance once in 130 000 seeds
BURST = 60
#: with two nodes, so many pods have a node each by chance once in 10 million seeds
UNTIL_UNLUCKY = 60
#: tries of one pod; with two nodes, all fail by chance once in 10 million seeds
TRIES = 12


def draw(stage, pods, **chosen):
    """Place pods one after the other, each on empty nodes; draw where, and return the counts."""
    counts = Counter(dict.fromkeys((node.name for node in stage.nodes.all()), 0))
    for _ in range(DRAWS):
        pod = pods.create(**chosen)
        counts[stage.expect(pod).bound()] += 1
        pod.delete()
    stage.tell.bars(counts)
    return counts


def test_fork(stage, nodes, pods, expect):
    """A patch over kube-scheduler's source, compiled, and run beside the stock one."""
    last = max(nodes.claim(3), key=lambda node: node.name)

    stage.tell.step(f"Of three equal nodes the stock kube-scheduler takes any: {DRAWS} pods, each alone in the cluster")
    stock = draw(stage, pods)
    assert len(+stock) > 1
    stage.tell.say("chance decides")

    stage.tell.step("A pod asks for the scheduler last-by-name, which does not run: it stays pending")
    waiting = pods.create("waiting", scheduler="last-by-name")
    expect(waiting).left_alone()
    stage.show(waiting)

    stage.tell.step(f"The fork differs from kube-scheduler by {PATCH}")
    stage.tell.patch((stage.base / PATCH).read_text())
    stage.tell.say("and in its configuration by the name that it serves:")
    fork = ForkedScheduler("last-by-name", patch=PATCH)
    stage.configure(fork, fork.name)
    installed = stage.install(fork)

    stage.tell.step("The pod gets the lexically last node, and runs")
    expect(waiting).bound_to(last)
    expect(waiting).running()
    stage.show(waiting, "Scheduled")
    waiting.delete()

    stage.tell.step(f"{DRAWS} more pods for the fork, one after the other")
    forked = draw(stage, pods, installed)
    assert set(+forked) == {last.name}
    stage.tell.say(f"always {last.name}")


def test_plugin(stage, nodes, deployments, expect):
    """A kube-scheduler with a plugin compiled in: Priority runs pods on labelled nodes only, best label first."""
    first, second = nodes.claim(2)

    config = "manifests/schedulers/priority.yaml"
    stage.tell.step(f"The Go module scheduler/ registers the plugin, and {config} puts it to work")
    priority = PluginScheduler("i-scheduler", module="scheduler", config=config)
    stage.configure(priority, config)
    stage.install(priority)

    stage.tell.step("No node has the label: the plugin's Filter rejects all of them, and the pod is Pending")
    web = deployments.create("web", scheduler="i-scheduler")
    (pod,) = web.pods(1)
    expect(pod).stays_pending(rejected_by="Priority", message=f"2 node does not have label {PRIORITY}")
    stage.show(pod, "FailedScheduling")

    stage.tell.step(f"{first.name} gets the label {PRIORITY}=10: the pod runs there")
    first.label({PRIORITY: "10"})
    expect(pod).bound_to(first)
    expect(pod).running()
    stage.show(pod, "Scheduled")

    stage.tell.step(f"{second.name} gets the label {PRIORITY}=20, which is better: the second replica goes there")
    second.label({PRIORITY: "20"})
    web.scale(2)
    _, added = web.pods(2)
    expect(added).bound_to(second)
    expect(added).running()
    stage.show(added, "Scheduled")

    stage.tell.step(f"{first.name} overtakes with {PRIORITY}=30, and the deployment is scaled to 10 and restarted")
    first.label({PRIORITY: "30"})
    web.scale(10)
    web.pods(10)
    web.restart()
    counts = stage.distribution(web.pods(10))
    assert set(+counts) == {first.name}
    stage.tell.say(f"all on {first.name}, whose label is the highest")


def test_second(stage, pods, expect):
    """A second scheduler beside the default one: each serves the pods whose schedulerName says so."""
    config = "manifests/schedulers/custom-scheduler.yaml"
    stage.tell.step("A pod asks for schedulerName: custom-scheduler, which does not run; another names none")
    mine, other = pods.create("mine", scheduler="custom-scheduler"), pods.create("other")
    expect(other).running()
    expect(mine).left_alone()
    stage.show(other, "Scheduled")
    stage.show(mine)
    stage.tell.say("The default scheduler leaves it alone: no node, no condition, no Event.")

    stage.tell.step(
        "A second stock kube-scheduler is installed, with a configuration, certificate and rights of its own"
    )
    custom = KubeScheduler("custom-scheduler", config=config)
    stage.configure(custom, config)
    stage.install(custom)

    stage.tell.step("The pod is bound by it, and runs")
    expect(mine).scheduled_by("custom-scheduler")
    expect(mine).running()
    stage.show(mine, "Scheduled")

    stage.tell.step("10 more pods for each of the two")
    bound = Counter()
    for scheduler in ("default-scheduler", "custom-scheduler"):
        for pod in [pods.create(scheduler=scheduler) for _ in range(10)]:
            expect(pod).scheduled_by(pod.scheduler)
            bound[pod.scheduler] += 1
    stage.tell.bars(bound)
    stage.tell.say("Each Scheduled Event is of the scheduler that the pod has asked for.")


def test_chaos(stage, nodes, pods, expect):
    """A separate scheduler written in Python: it binds each pod to a random node that is open."""
    (node,) = nodes.claim(1)

    stage.tell.step(
        "The chaos scheduler is installed: no KubeSchedulerConfiguration, but a program with its own arguments"
    )
    chaos = stage.install(chaos_scheduler())

    stage.tell.step(
        f"The only node that the pod may use, {node.name}, is cordoned: the pod is Pending, with the reason"
    )
    node.cordon()
    pod = pods.create("waiting", scheduler=chaos)
    expect(pod).stays_pending(message="1 node(s) were unschedulable")
    stage.show(pod, "FailedScheduling")

    stage.tell.step(f"{node.name} is uncordoned: the pod runs")
    node.uncordon()
    expect(pod).bound_to(node)
    expect(pod).running()
    stage.show(pod, "Scheduled")

    stage.tell.step(f"All nodes are opened, and {BURST} pods are created at once")
    nodes.claim(len(nodes.all()) - 1)
    counts = stage.distribution([pods.create(scheduler=chaos, runs=False) for _ in range(BURST)])
    assert all(counts.values())
    stage.tell.say("every node got some, in no particular order; the same --seed of the program gives the same result")


def test_extender(stage, nodes, pods, extenders, expect):
    """A webhook that kube-scheduler asks: its filter flips a coin for every node, its prioritize rolls from 0 to 10."""
    config = "manifests/extenders/chaos.yaml"
    claimed = nodes.claim(2)

    stage.tell.step("The extender is served, and a kube-scheduler installed that asks it")
    served = extenders.serve(ChaosExtender())
    scheduler = KubeScheduler("chaos-scheduler", config=config, extenders=[served.endpoint])
    stage.configure(scheduler, config)
    stage.install(scheduler)

    stage.tell.step("Two nodes are open. Pods are created until both coins of one are tails: it is Pending")
    unlucky = until_unlucky(pods, served, expect)
    # By now it may be bound: what happens to other pods may make kube-scheduler try it again at once.
    event = expect(unlucky).event("FailedScheduling", message="coin is tails")
    stage.tell.pod(unlucky.name, "Pending, not bound to a node", f"Event FailedScheduling: {event}")

    stage.tell.step(
        f"A label of {claimed[0].name} changes until a coin is heads, as kube-scheduler then tries again: it runs"
    )
    bring_to_run(unlucky, served, claimed[0], expect)
    stage.show(unlucky, "Scheduled")

    stage.tell.step("All nodes are opened, and 40 pods are created at once; the dice choose among the nodes left")
    nodes.claim(len(nodes.all()) - 2)
    many = [pods.create(scheduler="chaos-scheduler") for _ in range(40)]
    for pod in many:
        bring_to_run(pod, served, claimed[0], expect)
    stage.distribution(many)
    stage.tell.say("and this is how the coins of all calls fell:")
    flipped = served.calls.of("filter")
    heads = sum(len(call.result.names) for call in flipped)
    stage.tell.bars({"heads": heads, "tails": sum(len(call.nodes) for call in flipped) - heads})


def until_unlucky(pods, served, expect):
    """Create pods, one after the other, until the extender leaves one no node."""
    for _ in range(UNTIL_UNLUCKY):
        pod = pods.create(scheduler="chaos-scheduler")
        if not served.calls.wait("filter", pod)[-1].result.names:
            return pod
        expect(pod).running()
    raise AssertionError(f"{UNTIL_UNLUCKY} pods in a row had a node whose coin was heads")


def bring_to_run(pod, served, node, expect):
    """Have the scheduler try a pod again until it runs; by itself it would do that after minutes only."""
    for _ in range(TRIES):
        calls = served.calls.wait("filter", pod)
        if calls[-1].result.names:
            expect(pod).running()
            return
        # It may have been tried again already, because of what happened to other pods.
        node.label({"schedtest.dev/demo": f"{pod.name}-{len(calls)}"})
        served.calls.wait("filter", pod, count=len(calls) + 1)
    raise AssertionError(f"all coins of {pod} were tails {TRIES} times")
