"""A separate scheduler by ``schedulerName``: each scheduler serves its own pods, and leaves all others alone."""

from schedtest import KubeScheduler


def test_pod_waits_for_its_scheduler(pods, nodes, install, expect):
    """Its scheduler is no other test's: one of the file's would be there already, in another order of tests."""
    pod = pods.create(scheduler="late-scheduler")
    # Control arm: the default scheduler is at work meanwhile, and could have taken the pod.
    expect(pods.create()).bound()
    expect(pod).left_alone()

    install(KubeScheduler("late-scheduler"))

    expect(pod).bound_to_one_of(nodes.all())
    expect(pod).scheduled_by("late-scheduler")


def test_both_schedulers_serve_their_own_pods(custom_scheduler, pods, expect):
    stranger = pods.create(scheduler="not-installed")
    mine = [pods.create(scheduler=custom_scheduler) for _ in range(5)]
    others = [pods.create() for _ in range(5)]
    for pod in mine:
        expect(pod).scheduled_by("custom-scheduler")
        expect(pod).running()
    for pod in others:
        expect(pod).scheduled_by(pod.scheduler)
        expect(pod).running()
    expect(stranger).left_alone()


def test_stopped_scheduler_leaves_its_next_pod_pending(pods, install, expect):
    short_lived = install(KubeScheduler("short-lived-scheduler"))
    expect(pods.create(scheduler="short-lived-scheduler")).scheduled_by("short-lived-scheduler")

    short_lived.uninstall()

    orphan = pods.create(scheduler="short-lived-scheduler")
    other = pods.create()
    expect(other).scheduled_by(other.scheduler)
    expect(orphan).left_alone()
