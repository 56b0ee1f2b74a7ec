# ruff: noqa: ARG002, D101, S311 - the names of the broken ones say what is wrong with them, and they ignore what they are given
"""Schedulers that are broken, each in one way: ``test_broken_schedulers.py`` runs them as programs of their own."""

import argparse
import http.client
import json
import random
import re
import signal
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

from toy_scheduler import (
    MERGE,
    PAUSE,
    Toy,
    cpu_of,
    is_finished,
    is_waiting,
    millis,
    name_of,
    path_of,
    priority_of,
    rank_of,
    run,
    uid_of,
)


class IgnoresCordons(Toy):
    def is_open(self, node):
        return True


class IgnoresSelectors(Toy):
    def is_selected(self, pod, node):
        return True


class IgnoresNodeAffinity(Toy):
    def is_selected(self, pod, node):
        return pod["spec"].get("nodeSelector", {}).items() <= node["metadata"]["labels"].items()


class IgnoresTaints(Toy):
    def is_tolerated(self, pod, node):
        return True


class IgnoresTaintsOnRetry(Toy):
    def is_tolerated(self, pod, node):
        return self.age(pod) > 1 or super().is_tolerated(pod, node)


class IgnoresRequests(Toy):
    def has_room(self, pod, node):
        return True


class NeedsRoomToSpare(Toy):
    def has_room(self, pod, node):
        used = sum(cpu_of(other) for other in self.pods_on(name_of(node)))
        return used + cpu_of(pod) < millis(node["status"]["allocatable"]["cpu"])


class IgnoresGangs(Toy):
    def missing_of_gang(self, pod):
        return 0


class IgnoresPriorities(Toy):
    def turn(self, pod):
        return self.first_tried[uid_of(pod)]


class TakesWorst(Toy):
    def best(self, pod, nodes):
        return min(nodes, key=rank_of)


class RejectsAll(Toy):
    def objection(self, pod, node):
        return super().objection(pod, node) or "node(s) were not to its taste"


class NeverRetries(Toy):
    def attempt(self, pod):
        if uid_of(pod) not in self.said:
            super().attempt(pod)


class DoesNothing(Toy):
    def attempt(self, pod):
        pass


class StopsAfterOne(Toy):
    def attempt(self, pod):
        if len(self.first_tried) == 1:
            super().attempt(pod)


class NewcomersOnly(Toy):
    """It takes the pods that were there before it for done."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.before = {uid_of(pod) for pod in api.list("pods")}

    def attempt(self, pod):
        if uid_of(pod) not in self.before:
            super().attempt(pod)


class ReportsNothing(Toy):
    def reject(self, pod, message):
        pass


class WritesEventsOnly(Toy):
    """Healthy, but for the conditions that kube-scheduler would set."""

    def set_condition(self, pod, condition):
        pass


class BacksOff(WritesEventsOnly):
    """It is healthy, and lets a pod that it has rejected wait for a minute: longer than a test of it takes."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.again = {}

    def attempt(self, pod):
        if self.again.get(uid_of(pod), 0) <= time.monotonic():
            self.again[uid_of(pod)] = time.monotonic() + 60
            super().attempt(pod)


class NewestFirst(ReportsNothing):
    """It is healthy, and handles the newest pod in each round, one in a second."""

    def round(self):
        self.pods, self.nodes = self.api.list("pods"), self.api.list("nodes")
        mine = [pod for pod in self.pods if is_waiting(pod) and self.is_mine(pod)]
        for pod in sorted(mine, key=lambda pod: int(pod["metadata"]["resourceVersion"]))[-1:]:
            self.attempt(pod)
        time.sleep(1)


class WorksInRounds(Toy):
    """It is healthy, and looks at all pods once in a second."""

    def round(self):
        super().round()
        time.sleep(1)


class WorksInRoundsSilently(WorksInRounds, ReportsNothing):
    """It says nothing of the pods that it rejects."""


class HoldsPodsBack(ReportsNothing):
    """It is healthy, and binds a pod with the label ``hold`` three seconds later than it could."""

    def attempt(self, pod):
        if "hold" not in pod["metadata"].get("labels", {}) or self.age(pod) > 3:
            super().attempt(pod)


class LogsOnly(Toy):
    """It says only in its log why a pod waits; and asks for a kind that is not served."""

    def reject(self, pod, message):
        if self.said.get(uid_of(pod)) != message:
            self.said[uid_of(pod)] = message
            self.api.call("GET", "podgangs")
            name = f"{pod['metadata']['namespace']}/{name_of(pod)}"
            sys.stderr.write(f"level=info no room for <{name}>: {message}\nlevel=error the queue is a mess\n")


class LogsAttempts(Toy):
    """It is healthy, and logs what it rejects for the first time as kube-scheduler does."""

    times = 1

    def reject(self, pod, message):
        name = f"{pod['metadata']['namespace']}/{name_of(pod)}"
        for _ in range(self.times if self.said.get(uid_of(pod)) != message else 0):
            for said in ("Attempting to schedule pod", "Pod moved to an internal scheduling queue"):
                head = f'{datetime.now():I%m%d %H:%M:%S.%f} 1 toy.py:1] "{said}"'
                sys.stderr.write(f'{head} pod="{name}" event="ScheduleAttemptFailure" queue="Unschedulable"\n')
        super().reject(pod, message)


class TriesWithoutPause(LogsAttempts):
    """It says that it has tried a pod a hundred times by then."""

    times = 100


class TriesWithoutPauseAndSaysSo(LogsAttempts):
    """It writes a condition of the pod for each of the hundred times."""

    def reject(self, pod, message):
        for number in range(100 if uid_of(pod) not in self.said else 0):
            super().reject(pod, f"{message} (attempt {number})")


class RejectsAllByEvent(WritesEventsOnly):
    def objection(self, pod, node):
        return super().objection(pod, node) or "node(s) were not to its taste"


class StopsAfterOneRejection(WritesEventsOnly):
    """It rejects one pod, and tries none after that."""

    def attempt(self, pod):
        if not self.said:
            super().attempt(pod)


class BindsRejected(Toy):
    """It says that a pod fits no node, and binds it to one a moment later."""

    def reject(self, pod, message):
        self.set_condition(pod, {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"})
        time.sleep(0.05)
        for node in [each for each in self.nodes if each["status"]["allocatable"]["pods"] != "0"][:1]:
            self.bind(pod, name_of(node))


class SaysOtherwise(Toy):
    def reject(self, pod, message):
        super().reject(pod, "no nodes available to schedule pods")


class KeepsFirstMessage(Toy):
    def reject(self, pod, message):
        super().reject(pod, self.said.get(uid_of(pod), message))


class ReportsFailureAtOnce(Toy):
    def bind(self, pod, node):
        super().bind(pod, node)
        self.report(pod, "FailedScheduling", "it did not work out")


class ReportsFailureLate(Toy):
    """A second after it has bound a pod it says that it could not."""

    def round(self):
        super().round()
        bound = [pod for pod in self.pods if pod["spec"].get("nodeName") and uid_of(pod) in self.first_tried]
        for pod in bound:
            if self.age(pod) > 1 and self.said.get(uid_of(pod)) != "late":
                self.said[uid_of(pod)] = "late"
                self.report(pod, "FailedScheduling", "it did not work out")


class ReportsAsAnother(Toy):
    def report(self, pod, reason, message, by=None):
        super().report(pod, reason, message, by="some-scheduler")


class ReportsAnotherNode(Toy):
    def report(self, pod, reason, message, by=None):
        super().report(pod, reason, re.sub(r" to \S+-(\d+)$", r" to some-other-\1", message), by)


class BindsNowhere(Toy):
    def bind(self, pod, node):
        super().bind(pod, "node-77")


class SaysScheduledOnly(Toy):
    def bind(self, pod, node):
        if self.said.setdefault(uid_of(pod), node) == node:
            self.said[uid_of(pod)] = "done"
            self.report(pod, "Scheduled", f"Successfully assigned {name_of(pod)} to {node}")


class ServesOnlyLabelled(Toy):
    """It is healthy, and serves only pods of a queue, as queueing schedulers do."""

    def is_mine(self, pod):
        return super().is_mine(pod) and "example.com/queue" in pod["metadata"].get("labels", {})


class ServesOneNamespace(Toy):
    """It is healthy, and serves only pods of one namespace."""

    def is_mine(self, pod):
        return super().is_mine(pod) and pod["metadata"]["namespace"] == "served"


class BindsPodsOfOthers(Toy):
    def is_mine(self, pod):
        first = self.first_tried.setdefault(uid_of(pod), time.monotonic())
        return super().is_mine(pod) or time.monotonic() - first > 1


class ServesPrefix(Toy):
    def is_mine(self, pod):
        return pod["spec"]["schedulerName"].startswith(self.serves)


class DeletesUnplaceable(Toy):
    def reject(self, pod, message):
        super().reject(pod, message)
        self.api.call("DELETE", path_of(pod), {"gracePeriodSeconds": 0})


class EvictsEquals(Toy):
    """What is more, it does not use the room that it has made."""

    def may_evict(self, victim, pod):
        return cpu_of(victim) >= cpu_of(pod) and priority_of(victim) <= priority_of(pod)

    def make_room(self, pod, nodes):
        super().make_room(pod, nodes)
        return False

    def attempt(self, pod):
        if uid_of(pod) not in self.said:
            super().attempt(pod)


class EvictsMoreImportant(Toy):
    def may_evict(self, victim, pod):
        return cpu_of(victim) >= cpu_of(pod)


class EvictsInVain(Toy):
    """It evicts a pod whose place is too small as well."""

    def may_evict(self, victim, pod):
        return priority_of(victim) < priority_of(pod)


class EvictsOneMore(Toy):
    """It evicts the next pod as well."""

    def make_room(self, pod, nodes):
        made = super().make_room(pod, nodes)
        return made and super().make_room(pod, nodes)

    def evict(self, victim, pod):
        super().evict(victim, pod)
        self.pods.remove(victim)


class SaysEvictedOnly(Toy):
    """It binds a pod beside those that it says it has evicted for it."""

    def evict(self, victim, pod):
        self.report(victim, "Preempted", f"Preempted by pod {uid_of(pod)}")
        self.bind(pod, victim["spec"]["nodeName"])


class Nominates(Toy):
    """It is healthy, and says on a pod where it has evicted another one for it."""

    def evict(self, victim, pod):
        self.nominate(pod, victim["spec"]["nodeName"])
        super().evict(victim, pod)

    def nominate(self, pod, node):
        self.api.call("PATCH", f"{path_of(pod)}/status", {"status": {"nominatedNodeName": node}}, MERGE)


class NominatesToAnotherNode(Nominates):
    def nominate(self, pod, node):
        super().nominate(pod, next(name_of(each) for each in self.nodes if name_of(each) != node))


class EvictsWithoutReport(Toy):
    def evict(self, victim, pod):
        self.api.call("DELETE", path_of(victim), {"gracePeriodSeconds": 0})


class EvictsEqualsWithoutReport(EvictsWithoutReport):
    def may_evict(self, victim, pod):
        # Else the two would take turns.
        newer = pod["metadata"]["labels"].get("order") == "second"
        return newer and cpu_of(victim) >= cpu_of(pod) and priority_of(victim) <= priority_of(pod)


class Crashes(Toy):
    def attempt(self, pod):
        if "gang" in pod["metadata"].get("labels", {}):
            raise KeyError("gang")
        super().attempt(pod)


class ThinksFirst(Toy):
    """As one that asks a solver about all pods: it binds none before it has thought about each."""

    def round(self):
        waiting = [pod for pod in self.api.list("pods") if is_waiting(pod) and self.is_mine(pod)]
        time.sleep(0.15 * len(waiting))
        super().round()


class LeavesLastPod(Toy):
    """It comes back to the last pod of a round later."""

    def attempt(self, pod):
        if not any(is_waiting(each) and self.is_mine(each) and each is not pod for each in self.pods):
            time.sleep(3)
        super().attempt(pod)


class KeepsTenantsApart(Toy):
    """It is healthy, and wants no node with a pod of the same label ``tenant``; these are a set for each node.

    Where another scheduler has put two of them on one node, the first that goes takes the label with it.
    """

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.there = set()
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        """Keep the labels of the pods on nodes, as they come and go."""
        for event in self.api.watch("pods"):
            pod = event["object"]
            if pod["spec"].get("nodeName"):
                change = self.there.discard if event["type"] == "DELETED" else self.there.add
                change((pod["spec"]["nodeName"], tenant_of(pod)))

    def objection(self, pod, node):
        beside = tenant_of(pod) and (name_of(node), tenant_of(pod)) in self.there
        return "node(s) had a pod of the same tenant" if beside else super().objection(pod, node)


def tenant_of(pod):
    return pod["metadata"].get("labels", {}).get("tenant")


class Random(Toy):
    """It is healthy, and takes any node that fits."""

    def best(self, pod, nodes):
        return random.choice(sorted(nodes, key=name_of))


class PilesUpLongQueue(Random):
    def best(self, pod, nodes):
        waiting = [each for each in self.pods if is_waiting(each) and self.is_mine(each)]
        return super().best(pod, nodes[:1] if len(waiting) > 100 else nodes)


class SeedsByName(Random):
    def best(self, pod, nodes):
        random.seed(name_of(pod))
        return super().best(pod, nodes)


class TiresAfter240(Random):
    def best(self, pod, nodes):
        return super().best(pod, nodes[:1] if len(self.first_tried) > 240 else nodes)


class OutlivesOutage(Toy):
    """It is healthy, and goes on once the API server is back after it was away; others do harm then."""

    away = False

    def round(self):
        try:
            super().round()
        except (OSError, http.client.HTTPException, TypeError):  # no answer, or the refusal of a young API server
            self.api.close()
            self.away = True
            return
        bound = [pod for pod in self.pods if self.is_mine(pod) and pod["spec"].get("nodeName")]
        if self.away and bound:
            self.away = not self.harm(bound[0])

    def harm(self, pod):
        """Return whether it is done: a young API server may refuse it."""
        return True


class EvictsAfterOutage(OutlivesOutage):
    def harm(self, pod):
        return self.api.call("POST", f"{path_of(pod)}/eviction", {"metadata": {"name": name_of(pod)}}) is not None


class IsDeafAfterOutage(OutlivesOutage):
    def round(self):
        if not self.away:
            super().round()


class RemakesAfterOutage(OutlivesOutage):
    """It makes a bound pod again under its name, on the same node.

    On another one it would end kube-scheduler, if that lists pods again after the outage: it takes both for one pod.
    """

    def harm(self, pod):
        if self.api.call("DELETE", path_of(pod), {"gracePeriodSeconds": 0}) is None:
            return False
        metadata = {key: pod["metadata"][key] for key in ("name", "labels")}
        body = {"metadata": metadata, "spec": pod["spec"]}
        return self.api.call("POST", f"namespaces/{pod['metadata']['namespace']}/pods", body) is not None


class Meddles(Toy):
    """It is healthy, and writes what no scheduler may, once for each pod that it tries."""

    def attempt(self, pod):
        if uid_of(pod) not in self.said:
            self.meddle(pod)
        super().attempt(pod)

    def meddle(self, pod):
        """Write something."""

    def patch(self, path, change):
        self.api.call("PATCH", path, change, MERGE)

    def patch_nodes(self, change):
        for node in self.nodes:
            self.patch(f"nodes/{name_of(node)}", change)


class OpensNodes(Meddles):
    def meddle(self, pod):
        self.patch_nodes({"spec": {"unschedulable": None, "taints": None}})


class LabelsNodes(Meddles):
    def meddle(self, pod):
        self.patch_nodes({"metadata": {"labels": pod["spec"].get("nodeSelector", {})}})


class AnnotatesNodesForAMoment(Meddles):
    def meddle(self, pod):
        for value in ("mine", None):
            self.patch_nodes({"metadata": {"annotations": {"example.com/lock": value}}})


class EnlargesNodes(Meddles):
    def meddle(self, pod):
        for node in self.nodes:
            self.patch(f"nodes/{name_of(node)}/status", {"status": {"allocatable": {"cpu": "64"}}})


class DeletesNodes(Meddles):
    def meddle(self, pod):
        for node in self.nodes:
            self.api.call("DELETE", f"nodes/{name_of(node)}")


class RelabelsPods(Meddles):
    def meddle(self, pod):
        self.patch(path_of(pod), {"metadata": {"labels": {"seen-by": self.serves}}})


class RelabelsWhatItBinds(Toy):
    def bind(self, pod, node):
        super().bind(pod, node)
        self.api.call("PATCH", path_of(pod), {"metadata": {"labels": {"app": None}}}, MERGE)


class AnnotatesByItsBinding(Toy):
    def bind(self, pod, node):
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        metadata = {"name": name_of(pod), "uid": uid_of(pod), "annotations": {"example.com/by": self.serves}}
        self.api.call("POST", f"{path_of(pod)}/binding", {"metadata": metadata, "target": target})


class ToleratesEverything(Meddles):
    """It gives a pod the tolerations that the pod lacks."""

    def meddle(self, pod):
        self.patch(path_of(pod), {"spec": {"tolerations": [*pod["spec"]["tolerations"], {"operator": "Exists"}]}})


class LiftsGates(Toy):
    def round(self):
        for pod in self.api.list("pods"):
            if self.is_mine(pod) and pod["spec"].get("schedulingGates"):
                self.api.call("PATCH", path_of(pod), {"spec": {"schedulingGates": []}}, MERGE)
        super().round()


class HoldsRoomByPods(Meddles):
    """It makes a pod that holds the room of each one that it tries."""

    def meddle(self, pod):
        body = {"metadata": {"generateName": "holder-"}, "spec": {"containers": pod["spec"]["containers"]}}
        body["spec"]["nodeName"] = name_of(self.nodes[0])
        self.api.call("POST", f"namespaces/{pod['metadata']['namespace']}/pods", body)


class LabelsNamespaces(Meddles):
    def meddle(self, pod):
        self.patch(f"namespaces/{pod['metadata']['namespace']}", {"metadata": {"labels": {"used-by": self.serves}}})


class SetsOwnCondition(Meddles):
    def meddle(self, pod):
        self.set_condition(pod, {"type": "example.com/Queued", "status": "True", "reason": "Waits"})


class RejectsPodsOfOthers(Toy):
    """It says of pods that another scheduler is to serve that they fit nowhere."""

    def round(self):
        for pod in self.api.list("pods"):
            if is_waiting(pod) and not self.is_mine(pod):
                self.reject(pod, "not here")
        super().round()


class EndsInOrder(Toy):
    """It ends with exit code 0 when it is asked to."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


class IgnoresTermination(Toy):
    def __init__(self, api, serves):
        super().__init__(api, serves)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class BindsTwice(Toy):
    """It sends each binding a second time, which the API server answers with a conflict."""

    def bind(self, pod, node):
        super().bind(pod, node)
        super().bind(pod, node)


class AsksForSecrets(Toy):
    def attempt(self, pod):
        self.api.call("GET", "secrets")
        super().attempt(pod)


class CrashesAtRefusedBinding(Toy):
    """It ends when the API server refuses a binding, such as that of a pod that is gone."""

    def bind(self, pod, node):
        super().bind(pod, node)
        if "nodeName" not in pod["spec"]:
            raise KeyError(node)


class IgnoresTheLease(Toy):
    def leads(self):
        super().leads()
        return True


class LeadsForEver(Toy):
    """Once it has led, it works on, even while another replica holds the Lease."""

    led = False

    def leads(self):
        self.led = super().leads() or self.led
        return self.led


class NeverTakesOver(Toy):
    """It takes a Lease that is free, and none that another replica has held."""

    waits = False

    def leads(self):
        leads = not self.waits and super().leads()
        self.waits = not leads
        return leads


class RepeatsRefusedBinding(Toy):
    """It sends a binding until the API server accepts it or the pod is gone, and does nothing else meanwhile."""

    def bind(self, pod, node):
        super().bind(pod, node)
        while "nodeName" not in pod["spec"] and uid_of(pod) in map(uid_of, self.api.list("pods")):
            time.sleep(PAUSE)
            super().bind(pod, node)


class KeepsRoomOfRefusedBinding(Toy):
    """It counts a pod on the node that it has chosen, though the API server refuses the binding."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.refused = []

    def bind(self, pod, node):
        super().bind(pod, node)
        if "nodeName" not in pod["spec"]:
            self.refused.append({**pod, "spec": {**pod["spec"], "nodeName": node}})

    def pods_on(self, node):
        return [*super().pods_on(node), *(pod for pod in self.refused if pod["spec"]["nodeName"] == node)]


class DeletesPodsThatOthersBind(Toy):
    """It deletes a pod whose binding is refused, to bind the next one of its controller."""

    def bind(self, pod, node):
        super().bind(pod, node)
        if "nodeName" not in pod["spec"]:
            self.api.call("DELETE", path_of(pod), {"gracePeriodSeconds": 0})


class NeedsTheNodesOfPods(Toy):
    """It ends when a pod is bound to a node that is gone."""

    def attempt(self, pod):
        known = {name_of(node): node for node in self.nodes}
        for other in self.pods:
            if "nodeName" in other["spec"]:
                known[other["spec"]["nodeName"]]
        super().attempt(pod)


class RemembersNodes(Toy):
    """It keeps deleted nodes as ``KeepsNodes`` does, and in a file, so that it knows them after a crash."""

    def candidates(self, pod):
        file = Path("nodes.json")
        kept = json.loads(file.read_text()) if file.exists() else {}
        known = kept.setdefault(pod["metadata"]["namespace"], {})
        known |= {name_of(node): node for node in self.nodes}
        file.write_text(json.dumps(kept))
        return list(known.values())


class KeepsNodes(Toy):
    """It keeps deleted nodes for as long as pods of the same namespace come."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.known = {}

    def candidates(self, pod):
        known = self.known.setdefault(pod["metadata"]["namespace"], {})
        known |= {name_of(node): node for node in super().candidates(pod)}
        return [*known.values()]


class ServesNameOnce(Toy):
    """It takes a new pod under a used name for the old one."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.done = set()

    def attempt(self, pod):
        if path_of(pod) not in self.done:
            super().attempt(pod)

    def bind(self, pod, node):
        self.done.add(path_of(pod))
        super().bind(pod, node)


class ForgetsPodsOfOthers(Toy):
    def pods_on(self, node):
        return [pod for pod in super().pods_on(node) if self.is_mine(pod)]


class ForgetsPodsOfBefore(Toy):
    """It counts the pods that it has bound itself since its start."""

    def pods_on(self, node):
        return [pod for pod in super().pods_on(node) if uid_of(pod) in self.first_tried]


class CountsFinishedPods(Toy):
    def pods_on(self, node):
        return [pod for pod in self.pods if pod["spec"].get("nodeName") == node]


class CountsDeletedPods(Toy):
    """It never forgets a pod."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.ever = {}

    def pods_on(self, node):
        self.ever |= {uid_of(pod): pod for pod in self.pods}
        return [pod for pod in self.ever.values() if pod["spec"].get("nodeName") == node and not is_finished(pod)]


class ServesBeginnings(Toy):
    """It serves pods of the names that its own name begins with as well."""

    def is_mine(self, pod):
        return self.serves.startswith(pod["spec"]["schedulerName"])


class ServesAnyCase(Toy):
    def is_mine(self, pod):
        return pod["spec"]["schedulerName"].lower() == self.serves


class ReportsPodsOfOthers(Toy):
    """It writes an Event about each pod of another scheduler, once."""

    def round(self):
        super().round()
        for pod in self.pods:
            if not self.is_mine(pod) and self.said.setdefault(uid_of(pod), "") == "":
                self.said[uid_of(pod)] = "seen"
                self.report(pod, "Seen", "it is for another scheduler")


class AnnotatesPodsOfOthers(Toy):
    """It writes to each waiting pod of another scheduler."""

    def round(self):
        for pod in self.api.list("pods"):
            if is_waiting(pod) and not self.is_mine(pod):
                self.api.call("PATCH", path_of(pod), {"metadata": {"annotations": {"seen-by": self.serves}}}, MERGE)
        super().round()


class RejectsGatedPods(Toy):
    def round(self):
        for pod in self.api.list("pods"):
            if self.is_mine(pod) and pod["spec"].get("schedulingGates"):
                self.reject(pod, "has gates")
        super().round()


class ForgetsGatedPods(Toy):
    """It never looks at a pod again that had gates."""

    def __init__(self, api, serves):
        super().__init__(api, serves)
        self.gated = set()

    def round(self):
        self.gated |= {uid_of(pod) for pod in self.api.list("pods") if pod["spec"].get("schedulingGates")}
        super().round()

    def attempt(self, pod):
        if uid_of(pod) not in self.gated:
            super().attempt(pod)


class NeedsOneLabel(Toy):
    """One label of a node selector is enough for it."""

    def is_selected(self, pod, node):
        wanted = pod["spec"].get("nodeSelector", {}).items()
        return not wanted or bool(wanted & node["metadata"]["labels"].items())


class IgnoresValues(Toy):
    """It wants the keys of a node selector, whatever their values."""

    def is_selected(self, pod, node):
        return pod["spec"].get("nodeSelector", {}).keys() <= node["metadata"]["labels"].keys()


class DeletesPodsOfOthers(Toy):
    """It deletes pods of other schedulers, however important they are."""

    def attempt(self, pod):
        for other in self.pods:
            if not self.is_mine(other) and "deletionTimestamp" not in other["metadata"]:
                self.api.call("DELETE", path_of(other), {"gracePeriodSeconds": 0})
        super().attempt(pod)


def with_heirs(kind):
    """Return a class, and all that are made of it."""
    return [kind, *(heir for child in kind.__subclasses__() for heir in with_heirs(child))]


FAULTS = {each.__name__: each for each in with_heirs(Toy)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--serves", required=True)
    parser.add_argument("--fault", choices=FAULTS, required=True)
    parser.add_argument("--lease", help="namespace/name of the Lease by which replicas elect a leader")
    options = parser.parse_args()
    run(FAULTS[options.fault], options.kubeconfig, options.serves, options.port, options.lease)


if __name__ == "__main__":
    main()
