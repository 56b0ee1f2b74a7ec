"""A healthy extender, and its faults: ``--fault`` for each."""

import argparse
import itertools
import json
import os
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

from toy_scheduler import Api


class ToyExtender:
    """It lets every node pass, gives each the same score, and allows each preemption."""

    def __init__(self, kubeconfig, faults):
        self.kubeconfig = kubeconfig
        self.faults = frozenset(faults)
        self.turns = itertools.count(1)
        #: what an extender that mixes up requests has of the last one
        self.latest = None

    def filter(self, args):
        nodes = self.read(args)
        failed = {}
        if "strangers" in self.faults:
            nodes = [*nodes, {"metadata": {"name": "stranger"}}]
        if "forgets" in self.faults:
            nodes = nodes[1:]
        if "both" in self.faults:
            failed = {node["metadata"]["name"]: "taken" for node in nodes}
        if "changes-its-mind" in self.faults and nodes:
            failed = {nodes.pop(0)["metadata"]["name"]: f"in turn {next(self.turns)}"}
        if "names" in self.faults:
            return {"NodeNames": [node["metadata"]["name"] for node in nodes]}
        if "fails-on-none" in self.faults and not nodes:
            return {"Error": "there is no node"}
        return {"Nodes": {"items": nodes}, "FailedNodes": failed}

    def prioritize(self, args):
        nodes = self.read(args)
        if "scores-by-size" in self.faults:  # it is in range for usual nodes
            return [{"Host": node["metadata"]["name"], "Score": cores(node)} for node in nodes]
        names = [node["metadata"]["name"] for node in nodes]
        if "scores-strangers" in self.faults and names:
            names[0] = "stranger"
        if "scores-without-nodes" in self.faults and not names:
            names = ["stranger"]
        return [{"Host": name, "Score": 100 if "out-of-range" in self.faults else 5} for name in names]

    def preempt(self, args):
        meta = {
            node: {"Pods": [{"UID": pod["metadata"]["uid"]} for pod in victims["Pods"]], "NumPDBViolations": 0}
            for node, victims in args["NodeNameToVictims"].items()
        }
        for victims in meta.values() if "more-victims" in self.faults else ():
            victims["Pods"].append({"UID": "another"})
        return {"NodeNameToMetaVictims": meta}

    def bind(self, args):
        if "binds-nothing" in self.faults:
            return {}
        target = {"apiVersion": "v1", "kind": "Node", "name": args["Node"]}
        body = {"metadata": {"name": args["PodName"], "uid": args["PodUID"]}, "target": target}
        path = f"namespaces/{args['PodNamespace']}/pods/{args['PodName']}/binding"
        done = Api(self.kubeconfig).call("POST", path, body) is not None
        return {} if done or "hides-errors" in self.faults else {"Error": "the API server refused it"}

    def read(self, args):
        """Return the nodes of a request."""
        nodes = (args["Nodes"] or {}).get("items") or []
        if "strict" in self.faults and "fieldOfALaterVersion" in args["Pod"]["spec"]:
            raise ValueError("unknown field")
        if "slow" in self.faults:
            time.sleep(0.002 * len(nodes))
        if "mixes-up" in self.faults:
            self.latest = nodes
            time.sleep(0.05)
            return self.latest
        return nodes


def cores(node):
    """Return how many whole cores a node has."""
    cpu = node["status"]["allocatable"]["cpu"]
    return 0 if cpu.endswith("m") else int(cpu)


class Handler(BaseHTTPRequestHandler):
    """Answers kube-scheduler."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path != "/" and "dies-of-get" in self.server.extender.faults:
            os._exit(1)
        self.answer(200 if self.path == "/" else 405, {})

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:  # its client is gone
            self.close_connection = True
            return
        extender = self.server.extender
        verbs = {
            f"/{verb.__name__}": verb
            for verb in (extender.filter, extender.prioritize, extender.preempt, extender.bind)
        }
        try:
            answer = verbs[self.path](json.loads(body))
        except Exception as error:  # noqa: BLE001 - it is the caller's
            if "dies-of-garbage" in extender.faults:
                os._exit(1)
            self.answer(400, str(error))
        else:
            self.answer(200, answer)

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--fault", action="append", default=[])
    given = parser.parse_args()
    serve = HTTPServer if "one-at-a-time" in given.fault else ThreadingHTTPServer
    serve.request_queue_size = 50  # connections that wait; a test opens 20 at the same time
    server = serve((given.host, given.port), Handler)
    server.extender = ToyExtender(given.kubeconfig, given.fault)
    if given.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(given.certificate, given.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
