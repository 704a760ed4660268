"""Figures that are refused because they would teach something false: what, why and what to do, in one line each.

Each line names `codejury explain passk`, which shows in figures what is refused; docs/refusals.md says more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SEE = "`codejury explain passk` shows it"

ATTEMPTS = "attempts"
"""The metadata key that says how a problem's samples hang together; without it they count as independent."""

_DEPENDENT, _POOLED = "dependent", "pooled"


def check_options(level: float, ks: Sequence[int] | None = None, max_infra: float | None = None) -> None:
    """Refuse what no samples can answer, whatever they are; None is not asked for.

    Raises:
        UsageError: The level is no confidence level, a k is below 1 or there is none, or the share is none.
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level}: a confidence level lies between 0 and 1, as 0.95")
    if max_infra is not None and not 0 <= max_infra <= 1:
        raise UsageError(f"max-infra {max_infra}: a share lies between 0 and 1, as 0.05")
    if ks is not None and (not ks or min(ks) < 1):
        raise UsageError(f"k {', '.join(map(str, ks)) or 'none'}: give one or more k of at least 1")


def is_greedy(meta: Mapping[str, str]) -> bool:
    """Whether the samples were made at temperature 0, as far as the metadata say how they were made."""
    try:
        return float(meta.get("temperature", "nan")) == 0
    except ValueError:
        return False


def one_draw(meta: Mapping[str, str]) -> bool:
    """Whether k = 1 is the only k that the samples can answer: they are no independent draws, as declared."""
    return is_greedy(meta) or meta.get(ATTEMPTS) in (_DEPENDENT, _POOLED)


def not_drawn(figure: str, meta: Mapping[str, str], runs: Sequence[str] = ()) -> str:
    """Why a figure of k > 1 is refused for samples with `one_draw`.

    Args:
        figure: As "pass@10".
        meta: Of the samples, or of the first run of which it holds.
        runs: The runs of which it holds, where there are several to choose from.
    """
    named = f" ({', '.join(runs)})" if runs else ""
    if is_greedy(meta):
        return (
            f"{figure} at temperature 0{named}: samples of a problem are copies of one answer, and drawing more "
            f"of them says nothing; take k = 1, or sample at a higher temperature; {SEE}"
        )
    if meta.get(ATTEMPTS) == _POOLED:
        return (
            f"{figure} of pooled attempts{named}: samples of several models or settings are not k tries of any of "
            f"them; take k = 1, or judge each by itself; {SEE}"
        )
    return (
        f"{figure} of dependent attempts{named}: one that has seen what became of those before is no fresh try; "
        f"take k = 1, or a whole chain of attempts as one sample; {SEE}"
    )


def discounted(meta: Mapping[str, str]) -> str:
    """What is said of figures of k = 1 for samples with `one_draw`; empty for others."""
    if is_greedy(meta):
        return "temperature 0: samples of a problem are copies of one answer, and n counts for less than it says"
    if one_draw(meta):
        return (
            f"{meta[ATTEMPTS]} attempts, as declared: samples of a problem are not independent, and the intervals "
            "are those of independent ones"
        )
    return ""


def too_few(figure: str, k: int, short: str, hints: Sequence[str], where: str = "") -> str:
    """Why a figure is refused that needs more samples than some problems have.

    Args:
        figure: As "pass@10".
        k: What it needs.
        short: How many problems have fewer, and which.
        hints: What to do.
        where: As " in every run".
    """
    return (
        f"{figure} needs {k} samples of each problem{where}, and {short}: {', or '.join(hints)}; fewer samples "
        f"say nothing of {k} tries: {SEE}"
    )
