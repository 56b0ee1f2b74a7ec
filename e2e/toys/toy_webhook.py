"""A webhook that lets pods in which say whose they are, and no others; or one that is broken."""

import argparse
import base64
import http.server
import json
import ssl
import sys
import time
from pathlib import Path

TEAM = "example.com/team"


class Webhook(http.server.BaseHTTPRequestHandler):
    """Answers health checks, and reviews of pods."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        if "hang" in self.server.faults:
            time.sleep(60)
        while self.server.until and not self.server.until.exists():
            time.sleep(0.1)
        if "500" in self.server.faults:
            sys.stderr.write("ERROR the review fails: the database is away\n")
            self.send_error(500)
            return
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        pod = review["request"]["object"]
        allowed = TEAM in pod["metadata"].get("annotations", {})
        answer = {"uid": review["request"]["uid"], "allowed": allowed, "status": {"message": f"{TEAM} is wanted"}}
        sys.stderr.write(f"{self.path}: {'allowed' if allowed else 'denied'}\n")
        if "patch" in self.server.faults:
            patch = [{"op": "remove", "path": "/metadata/annotations/absent"}]
            answer |= {"allowed": True, "patchType": "JSONPatch"}
            answer["patch"] = base64.b64encode(json.dumps(patch).encode()).decode()
        self.do_GET()
        self.wfile.write(json.dumps({**review, "response": answer}).encode())


def main():
    parser = argparse.ArgumentParser()
    for name in ("port", "certificate", "key"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--fault", choices=["hang", "500", "patch"], action="append", default=[])
    parser.add_argument("--until", type=Path, help="answer once this file is there")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(options.port)), Webhook)
    server.faults, server.until = options.fault, options.until
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
