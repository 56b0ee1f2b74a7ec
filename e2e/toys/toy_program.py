"""A program that says what it was given, gets ready in the way that it is asked to, and does nothing else."""

import argparse
import http.server
import os
import sys
import time
from pathlib import Path

from toy_scheduler import Api, Healthy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--ca", type=Path, required=True)
    parser.add_argument("--rest", type=int, required=True)
    parser.add_argument("--lists", default="pods")
    parser.add_argument("--serves-nothing", action="store_true")
    options = parser.parse_args()
    Api(os.environ["KUBECONFIG"]).list(options.lists)
    greeting = (options.folder / "greeting.txt").read_text().strip()
    authority = options.ca.read_text().splitlines()[0]
    sys.stderr.write(f"it works: {greeting} {os.environ['WHOM']}, {authority}, port {options.rest}\n")
    if options.serves_nothing:
        time.sleep(3600)
    http.server.HTTPServer(("127.0.0.1", options.rest), Healthy).serve_forever()


if __name__ == "__main__":
    main()
