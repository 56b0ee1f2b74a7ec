"""The proof of the conformance tests: their outcomes for broken schedulers, and what is wrong with these outcomes."""
