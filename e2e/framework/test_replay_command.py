"""``schedtest replay`` plays a trace: pods come and go, and what never fits is never bound."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

#: either job of 1,500 takes the node for itself until it ends; the one of 3,000 never fits
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
first,1500,512,1,500,,LS,Succeeded,0,20,0
large,3000,512,0,0,,LS,Pending,5,60,
second,1500,512,0,0,,BE,Succeeded,10,40,20
"""
NODES = "sn,cpu_milli,memory_mib,gpu,model\nreplayed,2000,4096,1,A1\n"


@pytest.mark.requires("processes")
def test_pods_of_a_trace_come_and_go(tmp_path, binary_options):
    (tmp_path / "pods.csv").write_text(PODS)
    (tmp_path / "nodes.csv").write_text(NODES)
    command = [str(Path(sys.executable).with_name("schedtest")), "replay", "pods.csv", "--nodes=nodes.csv"]
    argv = [*command, "--speed=20", "--json", *binary_options]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    # On a slow machine a replay lags, and says so; what it has seen is true all the same.
    assert done.returncode in (0, 10), done.stdout + done.stderr
    (found,) = json.loads(done.stdout)["candidate"]
    # The second is bound only if the first was removed in time.
    assert found["placements"] == {"0": "replayed", "2": "replayed"}
    assert (found["never"], found["undecided"], found["waiting"]["pods"]) == (1, 0, 3)
