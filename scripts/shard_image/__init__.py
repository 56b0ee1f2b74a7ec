"""A container image for shards: Debian's Python, schedtest, and the programs of the provider local."""
