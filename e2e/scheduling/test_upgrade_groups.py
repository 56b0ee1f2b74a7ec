"""Groups of pods are switched on, off and on again, as KEP-4671 describes it to be done by hand."""

import pytest

pytestmark = pytest.mark.requires("upgrade", "default-scheduler")

OTHER = "1.37"
API = "scheduling.k8s.io/v1beta1"
#: gates that a run may have on, and that may not be on without groups
NEED_IT = ("TopologyAwareWorkloadScheduling", "WorkloadWithJob")


@pytest.fixture
def switch(cluster):
    """Run Kubernetes 1.37 with groups of pods, or without: the group stays served, as it is in etcd."""

    def switching(*, on):
        gates = {"GenericWorkload": on, **dict.fromkeys(NEED_IT, False)}
        cluster.upgrade(OTHER, feature_gates=gates, runtime_config={API: on})

    return switching


def test_groups_are_switched_on_and_off_and_on(switch, pods, groups, expect):
    switch(on=False)
    alone = pods.create(spec={"schedulingGroup": {"podGroupName": "not-there"}})
    expect(alone).running()
    expect(alone).has({"spec": {"schedulingGroup": None}})  # the API server drops the field

    switch(on=True)
    first, second = (groups.create(minimum=2) for _ in range(2))
    (one,) = first.add()
    expect(first).waits_for_quorum()
    (two,) = first.add()
    expect(first).scheduled()
    bound = [alone, one, two]

    mark = expect.mark()
    switch(on=False)
    single = pods.create(spec={"schedulingGroup": {"podGroupName": second.name}})
    expect(single).running()
    bound.append(single)

    switch(on=True)
    expect(bound[:3]).undisturbed(since=mark)
    second.add()
    expect(second).waits_for_quorum()
    second.add()
    expect(second).scheduled()
    expect(bound).undisturbed()
