"""The schedulers of ``toy_faults.py`` as components, which run in a process of their own."""

from schedtest import Program, Rule


def toy(name: str, fault: str = "Toy", serves: str | None = None) -> Program:
    """Describe one of them."""
    return Program(
        name,
        lambda at: [
            f"--kubeconfig={at.kubeconfig}",
            f"--port={at.port}",
            f"--serves={serves or name}",
            f"--fault={fault}",
        ],
        module="toy_faults",
        rules=(
            Rule(("",), ("pods", "nodes"), ("list",)),
            Rule(("",), ("pods",), ("create", "delete")),
            Rule(("",), ("pods/binding", "pods/eviction", "events"), ("create",)),
            Rule(("",), ("pods/status",), ("patch",)),
        ),
        health="/healthz",
        serves=serves or name,
    )
