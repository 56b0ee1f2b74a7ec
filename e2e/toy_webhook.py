"""A webhook that lets pods in which say whose they are, and no others."""

import argparse
import http.server
import json
import ssl
import sys

TEAM = "example.com/team"


class Webhook(http.server.BaseHTTPRequestHandler):
    """Answers health checks, and reviews of pods."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        pod = review["request"]["object"]
        allowed = TEAM in pod["metadata"].get("annotations", {})
        answer = {"uid": review["request"]["uid"], "allowed": allowed, "status": {"message": f"{TEAM} is wanted"}}
        sys.stderr.write(f"{self.path}: {'allowed' if allowed else 'denied'}\n")
        self.do_GET()
        self.wfile.write(json.dumps({**review, "response": answer}).encode())


def main():
    parser = argparse.ArgumentParser()
    for name in ("port", "certificate", "key"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(options.port)), Webhook)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
