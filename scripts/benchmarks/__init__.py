"""Benchmarks: each module is one of them, with a command; ``cli`` has them all."""
