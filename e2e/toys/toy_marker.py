"""A program that does something to every node when it starts, as device schedulers do with locks, and leaves it so."""

import argparse
import http.server

from toy_scheduler import Api, Healthy, name_of

#: its deeds: the part of a node, and a merge patch
DEEDS = {
    "label": ("", {"metadata": {"labels": {"example.com/mark": "it"}}}),
    "annotation": ("", {"metadata": {"annotations": {"example.com/lock": "taken"}}}),
    "taint": ("", {"spec": {"taints": [{"key": "example.com/mark", "effect": "NoSchedule"}]}}),
    "cordon": ("", {"spec": {"unschedulable": True}}),
    "resource": ("/status", {"status": {"capacity": {"example.com/gpu": "4"}}}),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--deed", choices=DEEDS, required=True)
    options = parser.parse_args()
    api = Api(options.kubeconfig)
    part, patch = DEEDS[options.deed]
    for node in api.list("nodes"):
        api.call("PATCH", f"nodes/{name_of(node)}{part}", patch, "application/merge-patch+json")
    http.server.HTTPServer(("127.0.0.1", options.port), Healthy).serve_forever()


if __name__ == "__main__":
    main()
