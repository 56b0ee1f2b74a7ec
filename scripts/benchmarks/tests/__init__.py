"""Tests of the judgement of differences; ``scripts/test`` runs them."""
