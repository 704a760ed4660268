"""Metrics: pure functions of programs and records, one module a family."""
