"""Tests to verdicts."""
