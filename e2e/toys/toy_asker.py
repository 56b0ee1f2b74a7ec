"""A scheduler that answers at no port: it asks for the pods now and then, each time over a new connection."""

import os
import time

from toy_scheduler import Api

NAME = "asker"


def is_selected(pod, node):
    return pod["spec"].get("nodeSelector", {}).items() <= node["metadata"]["labels"].items()


def bind(api, pod):
    """Bind a pod to the first node that its selector accepts, if any."""
    found = next((node for node in api.list("nodes") if is_selected(pod, node)), None)
    if found is not None:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        target = {"apiVersion": "v1", "kind": "Node", "name": found["metadata"]["name"]}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
        api.call("POST", f"namespaces/{namespace}/pods/{name}/binding", body)


def main():
    api = Api(os.environ["KUBECONFIG"])
    while True:
        for pod in api.list("pods"):
            if pod["spec"].get("schedulerName") == NAME and "nodeName" not in pod["spec"]:
                bind(api, pod)
        api.close()
        time.sleep(0.2)


if __name__ == "__main__":
    main()
