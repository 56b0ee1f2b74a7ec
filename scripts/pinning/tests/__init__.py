"""Tests of the readers and of the script; ``scripts/test`` runs them."""
