"""The peer: Kubernetes' own benchmark of its scheduler, scheduler_perf, built from the module, with etcd of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import click

from schedtest._util import command
from schedtest.binaries import go_modules, golang, kubernetes_release
from schedtest.binaries.toolchain import Executable

#: the package with the workload SchedulingBasic
_PACKAGE = "k8s.io/kubernetes/test/integration/scheduler_perf/misc"

#: that workload, with the numbers that are wanted
_CONFIGURATION = """
- name: SchedulingBasic
  defaultPodTemplatePath: ../templates/pod-default.yaml
  workloadTemplate:
  - {{opcode: createNodes, countParam: $initNodes}}
  - {{opcode: createPods, countParam: $initPods}}
  - {{opcode: createPods, countParam: $measurePods, collectMetrics: true}}
  workloads:
  - name: bench
    labels: [performance]
    params: {{initNodes: {nodes}, initPods: {before}, measurePods: {pods}}}
"""

#: pods that are there when it begins to measure, as in its own workload of 5,000 nodes and 10,000 pods
_BEFORE = 1000


class SchedulerPerf:
    """A copy of the benchmark's folder, and the program that is built of it.

    Args:
        release: the version of Kubernetes, such as ``1.34.4``.
        folder: where it is built.
    """

    def __init__(self, release: str, folder: Path) -> None:
        go_modules.write_pins(kubernetes_release.load(release), "kube-scheduler", folder)
        go = golang.installed()
        if go is None:
            raise click.ClickException("scheduler_perf is built with Go, which is not on the PATH")
        # Its tests require modules besides those of the programs, which Go adds to the copy.
        environment = {**golang.environment(), "GOFLAGS": "-mod=mod"}
        self._program = folder / "scheduler_perf.test"
        build = [str(go.executable), "test", "-c", "-trimpath", "-o", str(self._program), _PACKAGE]
        command.run(build, cwd=folder, env=environment)
        listed = [str(go.executable), "list", "-f", "{{.Dir}}", _PACKAGE]
        source = Path(command.run(listed, cwd=folder, env=environment).strip())
        modules = command.run([str(go.executable), "env", "GOMODCACHE"], cwd=folder, env=environment).strip()
        # Built with -trimpath, it finds the files of its module by the variables with which Bazel says where they are.
        self._environment = {"TEST_SRCDIR": modules, "TEST_WORKSPACE": "."}
        self._tests = folder / "scheduler_perf"
        shutil.copytree(source.parent, self._tests, copy_function=shutil.copyfile)
        # The cache of modules is read-only, and so would the copy be.
        for path in (self._tests, *self._tests.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def rate(self, nodes: int, pods: int, etcd: Executable) -> float:
        """Run SchedulingBasic once; return its average throughput, in pods/s.

        Raises:
            click.ClickException: it has failed.
        """
        work = self._tests / "misc"
        text = _CONFIGURATION.format(nodes=nodes, pods=pods, before=_BEFORE)
        (work / "performance-config.yaml").write_text(text)
        with tempfile.TemporaryDirectory(prefix="schedtest-bench-") as results:
            argv = [str(self._program), "-test.run=^$", "-test.bench=BenchmarkPerfScheduling", "-test.benchtime=1ns"]
            options = ["-test.timeout=30m", "-perf-scheduling-label-filter=performance", f"-data-items-dir={results}"]
            ended = subprocess.run(
                [*argv, *options],
                cwd=work,
                # It starts an etcd from the search path.
                env={**os.environ, **self._environment, "PATH": f"{etcd.path.parent}{os.pathsep}{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                check=False,
            )
            found = [json.loads(file.read_text()) for file in Path(results).glob("*.json")]
        for item in (item for data in found for item in data["dataItems"] or ()):
            if item["labels"].get("Metric") == "SchedulingThroughput":
                return float(item["data"]["Average"])
        raise click.ClickException(f"scheduler_perf gave no throughput:\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}")
