"""Tests of the judgement and of the table; ``scripts/test`` runs them."""
