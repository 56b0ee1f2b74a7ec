#!/usr/bin/env python3
"""An extender: pods with the label example.com/disk run on nodes with the same label, and other pods anywhere.

kube-scheduler sends a POST with the pod and the nodes that have passed its own filters, and goes by the answer.
"""

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LABEL = "example.com/disk"


def filter_nodes(args):
    """Return the nodes that pass, and why the others do not. Change this, to what your extender decides."""
    wanted, passing, failed = label_of(args["Pod"]), [], {}
    for node in (args.get("Nodes") or {}).get("items") or []:
        if wanted in (None, label_of(node)):
            passing.append(node)
        else:
            failed[node["metadata"]["name"]] = f"its disk is not {wanted}"
    return {"Nodes": {"items": passing}, "FailedNodes": failed}


def label_of(item):
    return item["metadata"].get("labels", {}).get(LABEL)


#: the verbs, by their paths; kube-scheduler has also prioritize, preempt and bind
VERBS = {"/filter": filter_nodes}


class Handler(BaseHTTPRequestHandler):
    """Answers kube-scheduler, and health checks."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200 if self.path == "/healthz" else 404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        verb = VERBS.get(self.path)
        if verb is None:
            self.answer(404, {"Error": f"there is no {self.path}"})
            return
        try:
            answer = verb(json.loads(body))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.answer(400, {"Error": f"this is no request: {error!r}"})
        else:
            self.answer(200, answer)

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        """Log nothing of a request."""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", required=True, help="host and port")
    host, _, port = parser.parse_args().listen.rpartition(":")
    ThreadingHTTPServer((host, int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main()
