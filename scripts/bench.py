"""Benchmarks: medians over several runs, ours and a peer in turn on the same machine; see the package beside it."""

from benchmarks.cli import main

if __name__ == "__main__":
    main()
