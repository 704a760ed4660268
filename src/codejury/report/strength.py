"""The document of `codejury sets strength`."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.report.document import ProblemSetRef, TimingRow


class StrengthRow(msgspec.Struct, frozen=True, kw_only=True):
    """Mutants of the reference of a problem, or of all problems.

    Attributes:
        mutants: All of them.
        killed: Those that the tests fail.
        equivalent: Those that pass, and are argued to do the same as the reference.
        infra_errors: Those that could not be judged.
        score: killed / (mutants - equivalent - infra_errors), 0 to 1; null where that would divide by 0.
    """

    mutants: int
    killed: int
    equivalent: int
    infra_errors: int
    score: float | None


class ProblemStrength(StrengthRow, frozen=True, kw_only=True):
    """Mutants of one problem's reference."""

    id: str


class Survivor(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant that passes the tests.

    Attributes:
        id: The problem.
        mutant: The mutant's label.
        line: Line of the change in the reference, from 1.
        text: That line.
        reason: Why it does the same as the reference; empty where nobody argues that.
    """

    id: str
    mutant: str
    line: int
    text: str
    reason: str = ""


class StrengthFault(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with the set: a reference that fails, or a mutant that is wrongly argued to be equivalent.

    Attributes:
        id: The problem.
        mutant: The mutant's label; null where it is about the reference.
        detail: One line for people.
    """

    id: str
    mutant: str | None
    detail: str


class Unmutated(msgspec.Struct, frozen=True, kw_only=True):
    """A problem without mutants, and why."""

    id: str
    reason: str


class SetsStrengthDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury sets strength` found: how many mutants of a problem set's references its tests fail.

    Attributes:
        schema: Name and version of this document.
        problem_set: Which set.
        tier: Isolation tier.
        problems: Number of problems that were asked for.
        min_score: What each problem's score should be at least.
        total: Over all mutants.
        per_problem: The problems that have mutants, in the order of the set.
        below: Ids of the problems whose score is below `min_score`.
        survivors: Mutants that pass, without a reason.
        equivalents: Mutants that pass, each with the reason why no test can fail it.
        faults: What is wrong with the set.
        unmutated: Problems without mutants, as those without a reference.
        ok: No problem is below, there is no fault, and every mutant was judged.
        timing: How long it took; references and mutants in it.
    """

    schema: Literal["sets-strength/1"] = "sets-strength/1"
    problem_set: ProblemSetRef
    tier: str
    problems: int
    min_score: float
    total: StrengthRow
    per_problem: list[ProblemStrength]
    below: list[str]
    survivors: list[Survivor]
    equivalents: list[Survivor]
    faults: list[StrengthFault]
    unmutated: list[Unmutated]
    ok: bool
    timing: TimingRow
