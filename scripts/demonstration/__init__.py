"""The demonstration: each way to change scheduling, step by step on a live cluster, as tests that tell what they do."""
