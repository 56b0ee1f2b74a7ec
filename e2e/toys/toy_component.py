"""The schedulers of ``toy_faults.py`` as components, which run in a process of their own."""

from typing import Any

from schedtest import Program, Rule

#: what no scheduler needs: it lets the ones that meddle show what they do
MEDDLING = (
    Rule(("",), ("pods", "nodes", "namespaces"), ("create", "patch", "delete")),
    Rule(("",), ("nodes/status",), ("patch",)),
)


def toy(
    name: str, fault: str = "Toy", serves: str | None = None, rights: tuple[Rule, ...] = (), **more: Any
) -> Program:
    """Describe one of them, with further rights and fields."""
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
            *rights,
        ),
        health="/healthz",
        serves=serves or name,
        **more,
    )
