"""The table of broken schedulers in ``schedulers.yaml``: the features that each breaks, and its description."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from schedtest.binaries import kubernetes_release
from schedtest.features.conformance.behaviours import FEATURES, Behaviour
from schedtest.features.gate.outcomes import upstream_bug

ROOT = Path(__file__).parents[2]

#: the folder of the toy schedulers, and that of the mutants
TOYS, MUTANTS = ROOT / "e2e" / "toys", ROOT / "manifests" / "forks" / "mutants"

_TABLE = Path(__file__).with_name("schedulers.yaml")

#: how the names of schedulers without plugins begin
_WITHOUT = "without-"

#: the scheduler's name, in its description and in its pods
_NAME = "proved"

#: what the toys read and write, with the rights that some of them abuse
_RULES = (
    (["pods", "nodes"], ["list", "watch"]),
    (["pods", "nodes", "namespaces"], ["create", "patch", "delete"]),
    (["pods/binding", "pods/eviction", "events"], ["create"]),
    (["pods/status", "nodes/status"], ["patch"]),
)


#: the Lease of the toy's replicas
_LEASE = f"default/{_NAME}"

#: kube-scheduler with leader election: a Lease is valid for 4 s
_ELECTION = {"resourceName": _NAME, "leaseDuration": "4s", "renewDeadline": "3s", "retryPeriod": "200ms"}
_CONFIGURATION: Mapping[str, Any] = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
}
_ELECTING = {
    "KubeScheduler": {
        "name": _NAME,
        "config": {
            **_CONFIGURATION,
            "leaderElection": {"leaderElect": True, **_ELECTION},
            "profiles": [{"schedulerName": _NAME}],
        },
    }
}


class Table(BaseModel):
    """The schedulers of the proof.

    Attributes:
        controls: the healthy schedulers, and the features that each has; ``None`` for all.
        lacks: the tests of these features that the healthy toy fails, each with the reason.
        toys: the faults of the toy scheduler, and the features or duties that each breaks; ``None`` for all.
        mutants: the same for the patches of kube-scheduler.
        without: the same for kube-scheduler without the plugins in the name: ``without-NodePorts+VolumeZone``.
        options: the options of pytest that a scheduler needs beside the usual ones, by its name.
        accepted: findings that are known, each with its reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    controls: dict[str, list[str] | None]
    lacks: dict[str, str]
    toys: dict[str, list[str] | None]
    mutants: dict[str, list[str] | None]
    without: dict[str, list[str] | None]
    options: dict[str, list[str]]
    accepted: dict[str, str]

    @classmethod
    def read(cls) -> Table:
        """Return the table of ``schedulers.yaml``."""
        return cls.model_validate(yaml.safe_load(_TABLE.read_text()))

    @property
    def arms(self) -> Mapping[str, list[str]]:
        """The names of the schedulers by arm."""
        arms = {"controls": self.controls, "toys": self.toys, "mutants": self.mutants, "without": self.without}
        return {name: [*schedulers] for name, schedulers in arms.items()}

    @property
    def broken(self) -> Mapping[str, frozenset[str] | None]:
        """What each broken scheduler breaks; ``None`` for everything."""
        all_of_them = {**self.toys, **self.mutants, **self.without}
        return {name: None if parts is None else frozenset(parts) for name, parts in all_of_them.items()}

    def is_toy(self, name: str) -> bool:
        """Return whether a scheduler is the toy, healthy or broken."""
        return name == "Toy" or name in self.toys

    def source(self, name: str) -> str:
        """Return the source of a broken scheduler: its patch, or its class of the toy; "" for a control."""
        if name in self.mutants:
            return (MUTANTS / f"{name}.patch").read_text()
        text = (TOYS / "toy_faults.py").read_text()
        classes = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.ClassDef))
        return next((ast.get_source_segment(text, each) or "" for each in classes if each.name == name), "")

    def elects(self, name: str) -> bool:
        """Return whether leader election, which takes long, is tested: of controls, and where it is broken."""
        return name in self.controls or "leader" in (self.broken[name] or ())

    def kubernetes(self, name: str) -> str:
        """Return the version of Kubernetes, and of kube-scheduler, for a scheduler."""
        chosen = dict(option.split("=", 1) for option in self.options.get(name, ())).get("--kubernetes")
        return kubernetes_release.load(chosen).kubernetes

    def tests(self, name: str, known: tuple[Behaviour, ...]) -> tuple[Behaviour, ...]:
        """Return the tests that its healthy original passes; that of kube-scheduler fails its known bugs."""
        toy = self.is_toy(name)
        claims = self.controls["Toy" if toy else "stock"]
        has = {*FEATURES} if claims is None else {*claims}
        has -= set() if self.elects(name) else {"leader"}
        version = self.kubernetes(name)
        lacked = {*self.lacks} if toy else {each.test for each in known if upstream_bug(each, version)}
        return tuple(each for each in known if each.needs <= has and each.test not in lacked)


def description(table: Table, name: str) -> dict[str, Any]:
    """Return the content of a scheduler's ``schedtest.yaml``."""
    described = {
        "apiVersion": "schedtest.dev/v1",
        "implementation": {"organization": "schedtest", "project": name, "version": "v1"},
        "schedulerName": _NAME,
        "run": [_toy(name) if table.is_toy(name) else _kube_scheduler(table, name)],
    }
    if table.elects(name):
        described["replicas"] = _electing_toy(name) if table.is_toy(name) else _ELECTING
    return described


def _toy(fault: str) -> dict[str, Any]:
    arguments = ["--kubeconfig={at.kubeconfig}", "--port={at.port}", f"--serves={_NAME}", f"--fault={fault}"]
    rules = [_rule("", kinds, verbs) for kinds, verbs in _RULES]
    program = {"name": _NAME, "module": "toy_faults", "arguments": arguments, "health": "/healthz", "rules": rules}
    return {"Program": program}


def _electing_toy(fault: str) -> dict[str, Any]:
    toy = _toy(fault)["Program"]
    rules = [*toy["rules"], _rule("coordination.k8s.io", ["leases"], ["get", "create", "update"])]
    return {"Program": {**toy, "rules": rules, "arguments": [*toy["arguments"], f"--lease={_LEASE}"], "lease": _LEASE}}


def _rule(group: str, kinds: list[str], verbs: list[str]) -> dict[str, Any]:
    return {"Rule": {"groups": [group], "resources": kinds, "verbs": verbs}}


def _kube_scheduler(table: Table, name: str) -> dict[str, Any]:
    if name in table.controls:
        return {"KubeScheduler": {"name": _NAME}}
    if name in table.without:
        return {"KubeScheduler": {"name": _NAME, "config": _without(name.removeprefix(_WITHOUT).split("+"))}}
    return {"ForkedScheduler": {"name": _NAME, "patch": str((MUTANTS / f"{name}.patch").relative_to(ROOT))}}


def _without(plugins: Sequence[str]) -> dict[str, Any]:
    """Return the configuration of kube-scheduler without plugins."""
    disabled = [{"name": each} for each in plugins]
    profile = {"schedulerName": _NAME, "plugins": {"multiPoint": {"disabled": disabled}}}
    return {**_CONFIGURATION, "profiles": [profile]}
