#!/usr/bin/env python3
"""A kube-scheduler that crashes as soon as it tries a pod, as a side of a comparison; the program is beside it."""

import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Start the real program, and end like a Go program that panics."""
    configurations = [Path(each.removeprefix("--config=")) for each in sys.argv if each.startswith("--config=")]
    crashes = any("schedulerName: kubernetes-1-" in each.read_text() for each in configurations)
    real = Path(sys.argv[0]).with_name("real")
    with subprocess.Popen([real, *sys.argv[1:]], stderr=subprocess.PIPE, text=True) as program:
        for line in program.stderr:
            sys.stderr.write(line)
            sys.stderr.flush()
            if crashes and "Attempting to schedule pod" in line:
                program.kill()
                sys.exit("panic: it crashes at its first pod")
    sys.exit(program.returncode)


if __name__ == "__main__":
    main()
