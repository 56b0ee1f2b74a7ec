"""A small scheduler in plain Python, which works; ``toy_faults.py`` has broken ones.

In each round it lists all pods and nodes, and tries the pods that name it: those of the highest priority first, and of
those the ones first that it has met first.
"""

import http.client
import http.server
import json
import socketserver
import ssl
import sys
import threading
import time
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import yaml

#: seconds between two rounds
PAUSE = 0.05

#: the taint that the controller manager makes of a cordon
CORDON = "node.kubernetes.io/unschedulable"

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

#: the Leases of a namespace, and for how many seconds one is valid
LEASES, LEASE = "/apis/coordination.k8s.io/v1/namespaces/{}/leases", 4

STRATEGIC, MERGE = "application/strategic-merge-patch+json", "application/merge-patch+json"


class Api:
    """One connection to the API server."""

    def __init__(self, kubeconfig):
        config = yaml.safe_load(Path(kubeconfig).read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self._kubeconfig = kubeconfig
        context = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._headers = {}
        if "token" in user or "tokenFile" in user:
            token = user.get("token") or Path(user["tokenFile"]).read_text()
            self._headers["Authorization"] = f"Bearer {token}"
        else:
            context.load_cert_chain(user["client-certificate"], user["client-key"])
        self._connection = http.client.HTTPSConnection(urlsplit(cluster["server"]).netloc, context=context, timeout=10)

    def call(self, method, path, body=None, content="application/json"):
        """Send a request, and return the answer; what is refused is logged, and has no answer."""
        text = None if body is None else json.dumps(body)
        whole = path if path.startswith("/") else f"/api/v1/{path}"
        self._connection.request(method, whole, text, {"Content-Type": content, **self._headers})
        answer = self._connection.getresponse()
        got = json.loads(answer.read())
        if answer.status >= 300:
            sys.stderr.write(f"{method} {path}: {answer.status} {got.get('message')}\n")
            return None
        return got

    def close(self):
        """End the connection; the next request makes a new one."""
        self._connection.close()

    def list(self, kind):
        """Return all objects of a kind."""
        return self.call("GET", kind)["items"]

    def watch(self, kind):
        """Yield what happens to objects of a kind, over a connection of its own; those that are there come first."""
        connection = Api(self._kubeconfig)._connection  # noqa: SLF001 - one of the same class
        connection.timeout = None
        connection.request("GET", f"/api/v1/{kind}?watch=true", headers=self._headers)
        answer = connection.getresponse()
        while line := answer.readline():
            yield json.loads(line)


class Toy:
    """The healthy scheduler.

    A pod needs a node that is not cordoned, has the labels of its ``nodeSelector`` and of its node affinity (with
    ``In`` alone), no taint that it does not tolerate, and enough CPU. The one with the highest label ``rank`` is taken.
    Pods of the same label ``gang`` are bound once there are ``gang-size`` of them, and one pod of lower priority is
    evicted if that makes room.
    """

    def __init__(self, api, serves):
        self.api = api
        self.serves = serves
        #: namespace and name of the Lease by which replicas elect a leader, and who this replica is
        self.lease, self.identity = None, str(uuid.uuid4())
        self.nodes, self.pods = [], []
        #: when each pod was tried first, by its uid; and what was said about it last
        self.first_tried, self.said = {}, {}

    def leads(self):
        """Hold the Lease, and return whether that worked; without a Lease, each works."""
        if self.lease is None:
            return True
        namespace, name = self.lease.split("/")
        path, now = LEASES.format(namespace), datetime.now(UTC)
        spec = {"holderIdentity": self.identity, "leaseDurationSeconds": LEASE, "renewTime": micro_time(now)}
        found = self.api.call("GET", f"{path}/{name}")
        if found is None:
            return self.api.call("POST", path, {"metadata": {"name": name}, "spec": spec}) is not None
        held = found["spec"]
        ends = datetime.fromisoformat(held["renewTime"]) + timedelta(seconds=held["leaseDurationSeconds"])
        if held["holderIdentity"] != self.identity and now < ends:
            return False
        return self.api.call("PUT", f"{path}/{name}", {**found, "spec": spec}) is not None

    def round(self):
        """Try every pod that waits."""
        self.pods, self.nodes = self.api.list("pods"), self.api.list("nodes")
        mine = [pod for pod in self.pods if is_waiting(pod) and self.is_mine(pod)]
        for pod in mine:
            self.first_tried.setdefault(uid_of(pod), time.monotonic())
        for pod in sorted(mine, key=self.turn):
            self.attempt(pod)

    def turn(self, pod):
        """Return what the order of pods goes by."""
        return -priority_of(pod), self.first_tried[uid_of(pod)]

    def is_mine(self, pod):
        return pod["spec"]["schedulerName"] == self.serves

    def attempt(self, pod):
        missing = self.missing_of_gang(pod)
        if missing:
            self.reject(pod, f"waits for {missing} more of its gang")
            return
        nodes = self.candidates(pod)
        whys = {name_of(node): self.objection(pod, node) for node in nodes}
        fitting = [node for node in nodes if not whys[name_of(node)]]
        if fitting:
            self.bind(pod, name_of(self.best(pod, fitting)))
        elif not self.make_room(pod, [node for node, why in whys.items() if why == "Insufficient cpu"]):
            counts = ", ".join(f"{count} {why}" for why, count in sorted(Counter(whys.values()).items()))
            self.reject(pod, f"0/{len(whys)} nodes are available: {counts}.")

    def missing_of_gang(self, pod):
        labels = pod["metadata"].get("labels", {})
        gang = [each for each in self.pods if each["metadata"].get("labels", {}).get("gang") == labels.get("gang")]
        return int(labels["gang-size"]) - len(gang) if "gang" in labels else 0

    def candidates(self, pod):
        """Return the nodes that a pod may be on at all: those that its node affinity names, if it names any."""
        fields = [field for term in terms_of(pod) for field in term.get("matchFields", [])]
        named = {name for field in fields for name in field["values"]}
        return [node for node in self.nodes if not named or name_of(node) in named]

    def objection(self, pod, node):
        """Say what is wrong with a node; empty if it fits."""
        checks = {
            "node(s) were unschedulable": self.is_open(node),
            "node(s) didn't match Pod's node affinity/selector": self.is_selected(pod, node),
            "node(s) had untolerated taint(s)": self.is_tolerated(pod, node),
            "Insufficient cpu": self.has_room(pod, node),
        }
        return next((why for why, fine in checks.items() if not fine), "")

    def is_open(self, node):
        return not node["spec"].get("unschedulable")

    def is_selected(self, pod, node):
        labels = node["metadata"]["labels"]
        terms = terms_of(pod) or [{}]
        return pod["spec"].get("nodeSelector", {}).items() <= labels.items() and any(
            all(labels.get(each["key"]) in each["values"] for each in term.get("matchExpressions", []))
            for term in terms
        )

    def is_tolerated(self, pod, node):
        tolerated = {CORDON, *(each.get("key") for each in pod["spec"].get("tolerations", []))}
        taints = node["spec"].get("taints", [])
        return all(taint["key"] in tolerated for taint in taints if taint["effect"] == "NoSchedule")

    def has_room(self, pod, node):
        used = sum(cpu_of(other) for other in self.pods_on(name_of(node)))
        return used + cpu_of(pod) <= millis(node["status"]["allocatable"]["cpu"])

    def best(self, pod, nodes):  # noqa: ARG002 - others heed the pod
        return max(nodes, key=rank_of)

    def make_room(self, pod, nodes):
        """Evict one pod of lower priority; tell whether there was one."""
        for victim in (other for node in nodes for other in self.pods_on(node)):
            if self.may_evict(victim, pod):
                self.evict(victim, pod)
                return True
        return False

    def may_evict(self, victim, pod):
        never = pod["spec"].get("preemptionPolicy") == "Never"
        return not never and cpu_of(victim) >= cpu_of(pod) and priority_of(victim) < priority_of(pod)

    def evict(self, victim, pod):
        why = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
        self.set_condition(victim, why)
        self.report(victim, "Preempted", f"Preempted by pod {uid_of(pod)}")
        self.api.call("DELETE", path_of(victim), {"gracePeriodSeconds": 0})

    def pods_on(self, node):
        return [pod for pod in self.pods if pod["spec"].get("nodeName") == node and not is_finished(pod)]

    def bind(self, pod, node):
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"metadata": {"name": name_of(pod), "uid": uid_of(pod)}, "target": target}
        if self.api.call("POST", f"{path_of(pod)}/binding", body) is not None:
            pod["spec"]["nodeName"] = node  # takes room in this round
            self.report(pod, "Scheduled", f"Successfully assigned {name_of(pod)} to {node}")

    def reject(self, pod, message):
        """Say why a pod waits, once for each reason."""
        if self.said.get(uid_of(pod)) != message:
            self.said[uid_of(pod)] = message
            said = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
            self.set_condition(pod, said)
            self.report(pod, "FailedScheduling", message)

    def set_condition(self, pod, condition):
        condition = {**condition, "lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        self.api.call("PATCH", f"{path_of(pod)}/status", {"status": {"conditions": [condition]}}, STRATEGIC)

    def report(self, pod, reason, message, by=None):
        metadata = pod["metadata"]
        about = {"kind": "Pod", "apiVersion": "v1", **{key: metadata[key] for key in ("name", "namespace", "uid")}}
        event = {
            "metadata": {"generateName": f"{name_of(pod)}."},
            "involvedObject": about,
            "reason": reason,
            "message": message,
            "type": "Normal",
            "source": {"component": by or self.serves},
        }
        self.api.call("POST", f"namespaces/{metadata['namespace']}/events", event)

    def age(self, pod):
        """Return for how many seconds it has been tried."""
        return time.monotonic() - self.first_tried[uid_of(pod)]


def micro_time(moment):
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def name_of(item):
    return item["metadata"]["name"]


def uid_of(item):
    return item["metadata"]["uid"]


def path_of(pod):
    return f"namespaces/{pod['metadata']['namespace']}/pods/{name_of(pod)}"


def terms_of(pod):
    """Return the terms of a pod's required node affinity."""
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    return affinity.get(REQUIRED, {}).get("nodeSelectorTerms", [])


def is_waiting(pod):
    spec = pod["spec"]
    return not spec.get("nodeName") and not spec.get("schedulingGates") and "deletionTimestamp" not in pod["metadata"]


def is_finished(pod):
    return pod["status"].get("phase") in ("Succeeded", "Failed")


def rank_of(node):
    return int(node["metadata"]["labels"].get("rank", 0))


def priority_of(pod):
    return pod["spec"].get("priority", 0)


def cpu_of(pod):
    requests = (container.get("resources", {}).get("requests", {}) for container in pod["spec"]["containers"])
    return sum(millis(each.get("cpu", "0")) for each in requests)


def millis(quantity):
    return int(quantity[:-1]) if quantity.endswith("m") else int(float(quantity) * 1000)


class Healthy(http.server.BaseHTTPRequestHandler):
    """Answers a health check."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def run(make, kubeconfig, serves, port, lease=None):
    """Run a scheduler until it is killed, with a health check at ``port``."""
    toy = make(Api(kubeconfig), serves)
    toy.lease = lease
    turn(toy)
    server = socketserver.TCPServer(("127.0.0.1", port), Healthy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        turn(toy)
        time.sleep(PAUSE)


def turn(toy):
    """Let a scheduler work, if it leads."""
    if toy.leads():
        toy.round()
