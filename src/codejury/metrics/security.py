"""Dangerous calls in Python programs, found in their syntax tree; nothing is run or imported.

The paper's seven patterns and their kin: running text as code, shells, loading objects, computed imports. Imports,
aliases, scopes and constants are followed as far as a reader would without running the program; `docs/security.md`
says how well, and where it ends.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

import msgspec

from codejury.metrics.flow import walk
from codejury.model import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from codejury.metrics.calls import Report

SCANNER = "codejury"

# The rule that finds each of the seven patterns of arXiv 2608.14711.
PAPER_PATTERNS = {
    "eval": "eval()",
    "exec": "exec()",
    "os-system": "os.system()",
    "subprocess-shell": "subprocess with shell=True",
    "pickle": "pickle.load()",
    "yaml-load": "yaml.load() without Loader",
    "dynamic-import": "__import__()",
}

_SEVERITIES = ("low", "medium", "high", "critical")
_CONFIDENCES = ("low", "medium", "high")


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """What a scan gave.

    Attributes:
        findings: By line.
        unscannable: Why nothing can be said about the program; None where it was scanned. A program that cannot be
            scanned has no findings and is not clean.
    """

    findings: tuple[Finding, ...] = ()
    unscannable: str | None = None


def scan(source: str, path: str = "") -> Scan:
    """Look for dangerous calls in a Python program.

    Never raises, whatever the text: what does not parse with this interpreter's grammar, is nested too deep, or
    holds no statement, is unscannable. Time is linear in the length of the text, but for hostile programs.

    Args:
        source: The program. Any length.
        path: What findings call the file.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escape sequences and the like, as errors under -W error
            tree = ast.parse(source.removeprefix("\ufeff"))
        if all(_is_text(node) for node in tree.body):
            return Scan(unscannable="no code")
        return Scan(findings=_findings(walk(tree), path))
    except SyntaxError as error:
        return Scan(unscannable=f"does not parse: {error.msg} (line {error.lineno or 0})")
    except (RecursionError, MemoryError):
        return Scan(unscannable="nested too deep, or too large")
    except ValueError as error:  # null bytes, lone surrogates, integers of too many digits
        return Scan(unscannable=f"does not parse: {error}")


def paper_score(findings: Iterable[Finding]) -> float:
    """The score `security.paper`: 1 - (how many of the seven patterns were found) / 7.

    As published in arXiv 2608.14711, but on findings of `scan`: the published patterns are regular expressions,
    which also match comments and strings and miss aliases. A pattern counts once, whatever its severity, so 1.0
    says that none was found, not that the program is safe.

    Args:
        findings: Of one program; an unscannable one has no score.
    """
    found = {finding.rule for finding in findings if finding.scanner == SCANNER} & PAPER_PATTERNS.keys()
    return 1 - len(found) / len(PAPER_PATTERNS)


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring or a text where a comment would do."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _findings(reports: Iterable[Report], path: str) -> tuple[Finding, ...]:
    """One finding for each place and rule, the worst of those that were met there."""
    worst: dict[tuple[int, int, str], Report] = {}
    for report in reports:
        place = (report.node.lineno, report.node.col_offset, report.rule.id)
        if place not in worst or _rank(report) > _rank(worst[place]):
            worst[place] = report
    return tuple(_finding(worst[place], path) for place in sorted(worst))


def _rank(report: Report) -> tuple[int, int]:
    return _SEVERITIES.index(report.danger.severity), _CONFIDENCES.index(report.danger.confidence)


def _finding(report: Report, path: str) -> Finding:
    name = report.path.removeprefix("builtins.")
    call = f"{name} is handed on; it" if report.passed else f"{name}()"
    return Finding(
        path=path,
        line=report.node.lineno,
        cwe=report.rule.cwe,
        severity=report.danger.severity,
        confidence=report.danger.confidence,
        scanner=SCANNER,
        rule=report.rule.id,
        message=f"{call} {report.danger.reason}",
    )
