"""Tests of the contents of the image; ``scripts/test`` runs them."""
