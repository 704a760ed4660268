"""Estimators and intervals: pure functions on arrays."""
