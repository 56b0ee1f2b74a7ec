"""``schedtest replay`` plays a trace, in which what never fits is never bound; ``schedtest record`` writes one."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

#: there is room for the first and the second together; the one of 3,000 never fits
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
first,1500,512,1,500,,LS,Succeeded,0,20,0
large,3000,512,0,0,,LS,Pending,5,60,
second,500,512,0,0,,BE,Succeeded,10,40,20
"""
NODES = "sn,cpu_milli,memory_mib,gpu,model\nreplayed,2000,4096,1,A1\n"


@pytest.mark.requires("processes")
def test_a_pod_of_a_trace_is_bound_unless_it_fits_no_node(tmp_path, binary_options):
    (tmp_path / "pods.csv").write_text(PODS)
    (tmp_path / "nodes.csv").write_text(NODES)
    command = [str(Path(sys.executable).with_name("schedtest")), "replay", "pods.csv", "--nodes=nodes.csv"]
    argv = [*command, "--speed=20", "--json", *binary_options]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    # On a slow machine a replay lags, and says so; what it has seen is true all the same.
    assert done.returncode in (0, 10), done.stdout + done.stderr
    (found,) = json.loads(done.stdout)["candidate"]
    assert found["placements"] == {"0": "replayed", "2": "replayed"}
    assert (found["never"], found["undecided"], found["waiting"]["pods"]) == (1, 0, 3)


@pytest.mark.requires("whole-cluster")
def test_a_recording_is_a_snapshot_with_what_came_later(cluster, tmp_path):
    command = [str(Path(sys.executable).with_name("schedtest")), "record", "--kubeconfig", str(cluster.kubeconfig)]
    argv = [*command, "-o", "t.tar.gz", "--minutes=0.01"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "t.tar.gz\n"), done.stderr
    with tarfile.open(tmp_path / "t.tar.gz") as archive:
        assert {"snapshot.yaml", "nodes.yaml", "changes.yaml"} <= set(archive.getnames())
        *_, last = yaml.safe_load_all(archive.extractfile("changes.yaml"))
    assert last["change"] == "END"
    assert last["seconds"] >= 0.6
