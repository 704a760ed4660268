"""Metrics: pure functions of programs and records, one module a family."""

from codejury.metrics.security import PAPER_PATTERNS, Scan, paper_score, scan

__all__ = ["PAPER_PATTERNS", "Scan", "paper_score", "scan"]
