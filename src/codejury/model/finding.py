"""Findings: places in a program that a scanner objects to."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["low", "medium", "high", "critical"]
Confidence = Literal["low", "medium", "high"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One place in a program that a scanner objects to.

    Attributes:
        path: The file, as the caller named it; may be empty.
        line: 1-based.
        cwe: The weakness, such as "CWE-78".
        severity: How bad it is if the finding is true.
        confidence: How sure the scanner is that it is true.
        scanner: Who found it.
        rule: The scanner's name for what it looked for.
        message: One line for people.
    """

    path: str
    line: int
    cwe: str
    severity: Severity
    confidence: Confidence
    scanner: str
    rule: str
    message: str
