"""Traces of other programs: a module for each format, and the recording that they become."""
