"""Pairs out of samples and problems: each answer beside what the reference has in the hole, cut on demand.

Sets without tests, as completions within repositories, are scored so; sets with tests can be, too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.extract import AUTO, program
from codejury.formats import PairRow, read_samples
from codejury.metrics.truncation import truncate
from codejury.model import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from codejury.metrics.truncation import Level
    from codejury.model import Problem, ProblemSet


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """What was cut off a prediction.

    Attributes:
        byte: How many bytes of it, in UTF-8, are kept.
        end: What ends there: "line", or the type of the syntax node.
        characters: How many characters were cut off.
    """

    byte: int
    end: str
    characters: int


def sample_pairs(
    path: str | os.PathLike[str], problems: ProblemSet, warnings: list[str], *, extractor: str = AUTO
) -> Iterator[PairRow]:
    """The samples of a file, each beside its problem's reference.

    Args:
        path: Of the samples, as `judge` takes them.
        problems: What they answer.
        warnings: What to know is added here when the last is read.
        extractor: By which code is taken out of answers that are no completions.

    Raises:
        InputError: A row is no sample, or answers an unknown problem.
        UsageError: No problem has a reference.
    """
    by_id = problems.by_id()
    if all(problem.reference is None for problem in by_id.values()):
        raise UsageError(f"{problems.name}: no problem has a reference to compare with")
    skipped = whole = total = 0
    for sample in read_samples(path, known=by_id, allow_empty=True, notes=warnings):
        problem = by_id[sample.problem_id]
        if problem.reference is None:
            skipped += 1
            continue
        row = pair_of(problem, sample.index, program(problem, sample, extractor).source)
        total += 1
        whole += is_whole(row, problem)
        yield row
    warnings += told(skipped, whole, total)


def pair_of(problem: Problem, index: int, whole: str, *, passed: bool | None = None) -> PairRow:
    """A program beside its problem's reference: in the hole where it has prompt and suffix, else as a whole.

    Args:
        problem: With a reference.
        index: Of the sample.
        whole: The program, prompt and suffix included.
        passed: What the tests said.
    """
    prompt, suffix, missing = problem.prompt, problem.suffix, problem.missing
    fields: dict[str, Any] = {"prefix": "", "suffix": "", "reference": problem.reference, "prediction": whole}
    inside = len(whole) - len(prompt) - len(suffix)
    if missing is not None and inside >= 0 and whole.startswith(prompt) and whole.endswith(suffix):
        hole = whole[len(prompt) : len(prompt) + inside]
        fields = {"prefix": prompt, "suffix": suffix, "reference": missing, "prediction": hole}
    return PairRow(
        **fields,
        language=problem.language,
        id=f"{problem.id}#{index}",
        problem=problem.id,
        tags=problem.tags,
        passed=passed,
    )


def is_whole(row: PairRow, problem: Problem) -> bool:
    """Whether a pair compares whole programs, although its problem has a context."""
    return bool(problem.prompt or problem.suffix) and not (row.prefix or row.suffix)


def told(skipped: int, whole: int, total: int) -> list[str]:
    """What to know of pairs out of samples.

    Args:
        skipped: Samples of problems without a reference.
        whole: Programs that were compared as wholes.
        total: All pairs.
    """
    found = []
    if skipped:
        found.append(f"{skipped} samples are of problems without a reference: in no figure")
    if 0 < whole < total:
        found.append(
            f"{whole} of {total} programs do not begin with their prompt and are compared as wholes: their"
            " likeness holds the prompt's"
        )
    return found


def truncated(
    rows: Iterable[PairRow], level: Level, cuts: dict[str, Cut] | None, warnings: list[str], *, wholes: bool = True
) -> Iterator[PairRow]:
    """The rows with their predictions cut to a level; references stay.

    Args:
        rows: Pairs.
        level: To what predictions are cut.
        cuts: What was cut off is added here, by the id of the pair; None where nobody asks.
        warnings: How many were cut is added here when the last is read.
        wholes: Whether to cut pairs without any context; programs that are compared as wholes are not to be.
    """
    total = cut = characters = 0
    reasons: Counter[str] = Counter()
    for row in rows:
        total += 1
        if not (wholes or row.prefix or row.suffix):
            reasons["compared as wholes"] += 1
            yield row
            continue
        found = truncate(row.prediction, level, prefix=row.prefix, suffix=row.suffix, language=row.language)
        if found.reason is not None:
            reasons[found.reason] += 1
        if found.cut:
            cut, characters = cut + 1, characters + len(found.cut)
            if cuts is not None:
                cuts[row.id] = Cut(byte=found.byte, end=found.end, characters=len(found.cut))
        yield msgspec.structs.replace(row, prediction=found.text)
    warnings.append(
        f"{cut} of {total} predictions were cut at the end of their {level}: {characters:,} characters in all"
    )
    if reasons:
        why = "; ".join(f"{count}: {reason}" for reason, count in reasons.most_common(3))
        warnings.append(f"{reasons.total()} predictions were not looked at for the end of their {level}: {why}")
