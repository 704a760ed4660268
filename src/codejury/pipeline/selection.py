"""Which problems of a set are judged, and which samples belong to them."""

from __future__ import annotations

import datetime as dt
import difflib
from typing import TYPE_CHECKING

import msgspec

from codejury.model import ProblemSet, Selection, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from codejury.model import Problem, Sample

_SHOWN = 5


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which problems are asked for; all where nothing is said.

    Attributes:
        ids: These problems.
        tags: Problems with any of these tags; of `ids`, where both are given.
        difficulties: Problems with any of these difficulties, of what ids and tags leave.
        since: Problems that were made on this day or later, an ISO date; those without a date are left out.
        until: Problems that were made on this day or before, in the same way.
        limit: The first so many of what all these leave, in the set's order.
        shard: (i, N): the i-th of N parts of what these leave, 1-based.
    """

    ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    shard: tuple[int, int] | None = None


def choose(problem_set: ProblemSet, choice: Choice) -> tuple[ProblemSet, Selection | None]:
    """The problems that are asked for, in the set's order, as a set; and the selection, None where these are all.

    A shard is every N-th problem. By position, shards differ by one problem at most, and what stands together in a
    set, as the hard ones at its end, is spread over them. A hash of the id would give shards of a random size; it
    would keep them when problems are added, but runs on different problems cannot be merged anyway.

    Raises:
        UsageError: An id, a tag or a difficulty that the set does not have, a date, a limit or a shard that cannot
            be, no problem left.
    """
    if choice == Choice():
        return problem_set, None
    named = _by_name(problem_set, choice)
    chosen, undated = _by_date(problem_set.name, named, choice)
    if choice.limit is not None:
        if choice.limit < 1:
            raise UsageError(f"limit {choice.limit}: take at least 1 problem")
        chosen = chosen[: choice.limit]
    whole, ids = msgspec.structs.replace(problem_set, problems=tuple(chosen)), set(choice.ids)
    selection = Selection(
        ids=tuple(problem.id for problem in problem_set.problems if problem.id in ids),
        tags=tuple(sorted(set(choice.tags))),
        difficulties=tuple(sorted(set(choice.difficulties))),
        since=choice.since,
        until=choice.until,
        limit=choice.limit,
        chosen=len(chosen),
        chosen_hash=whole.hash,
        set_problems=len(problem_set.problems),
        set_hash=problem_set.hash,
        undated=undated,
    )
    shard, of = choice.shard or (1, 1)
    if not 1 <= shard <= of:
        raise UsageError(f"shard {shard}/{of}: take i/N with i from 1 to N")
    if of > len(chosen):
        raise UsageError(
            f"shard {shard}/{of}: {_problems(len(chosen))} cannot be divided so: take at most {len(chosen)} shards"
        )
    if of == 1:
        return whole, selection if len(chosen) < len(problem_set.problems) else None
    part = msgspec.structs.replace(whole, problems=whole.problems[shard - 1 :: of])
    return part, msgspec.structs.replace(selection, shards=(shard,), of=of)


class Chosen:
    """The samples of chosen problems, as they come; those of others are counted.

    Attributes:
        left_out: Samples of other problems so far.
    """

    def __init__(self, samples: Iterable[Sample], ids: Collection[str]) -> None:
        self._samples, self._ids = samples, ids
        self.left_out = 0

    def __iter__(self) -> Iterator[Sample]:
        for sample in self._samples:
            if sample.problem_id in self._ids:
                yield sample
            else:
                self.left_out += 1


def refuse_unjudgeable(problems: Sequence[Problem]) -> None:
    """Refuse problems whose answers cannot be judged, before anything is.

    Raises:
        UsageError: There are such problems; says why of the first.
    """
    found = [(problem.id, problem.obstacle) for problem in problems if problem.obstacle is not None]
    if found:
        first, why = found[0]
        more = f" (so with {len(found) - 1} more of {len(problems)})" if len(found) > 1 else ""
        raise UsageError(f"problem {first!r} cannot be judged: {why}{more}")


def described(selection: Selection) -> str:
    """What was asked for, in words: "tags math or text, limit 10, shard 1/3"."""
    parts = []
    if selection.ids:
        more = f" and {len(selection.ids) - _SHOWN} more" if len(selection.ids) > _SHOWN else ""
        parts.append(f"ids {', '.join(selection.ids[:_SHOWN])}{more}")
    if selection.tags:
        parts.append(f"tags {' or '.join(selection.tags)}")
    if selection.difficulties:
        parts.append(f"difficulty {' or '.join(selection.difficulties)}")
    parts += [f"{word} {day}" for word in ("since", "until") if (day := getattr(selection, word)) is not None]
    if selection.undated:
        parts.append(f"{selection.undated} without a date left out")
    if selection.limit is not None:
        parts.append(f"limit {selection.limit}")
    if selection.of:
        several = len(selection.shards) > 1
        parts.append(f"shard{'s' * several} {' and '.join(map(str, selection.shards))}/{selection.of}")
    return ", ".join(parts)


def selection_note(selection: Selection, problems: int) -> str:
    """What a reader of the figures must know of a selection of so many problems."""
    left_out = selection.samples_left_out
    samples = f"; {left_out} sample{'' if left_out == 1 else 's'} of the others left out" if left_out else ""
    return f"{problems} of {_problems(selection.set_problems)} chosen ({described(selection)}){samples}"


def _by_name(problem_set: ProblemSet, choice: Choice) -> list[Problem]:
    problems, ids, tags = list(problem_set.problems), set(choice.ids), set(choice.tags)
    if ids:
        _refuse_unknown("problem", choice.ids, {problem.id for problem in problems}, problem_set.name)
        problems = [problem for problem in problems if problem.id in ids]
    if tags:
        _refuse_unknown("tag", choice.tags, {t for p in problem_set.problems for t in p.tags}, problem_set.name)
        problems = [problem for problem in problems if tags & set(problem.tags)]
        _refuse_none(
            problems, problem_set.name, f"none of the problems asked for has a tag {_either(choice.tags)}"
        )
    if choice.difficulties:
        known = {problem.difficulty for problem in problem_set.problems if problem.difficulty is not None}
        _refuse_unknown("difficulty", choice.difficulties, known, problem_set.name)
        problems = [problem for problem in problems if problem.difficulty in choice.difficulties]
        asked = f"none of the problems asked for has the difficulty {_either(choice.difficulties)}"
        _refuse_none(problems, problem_set.name, asked)
    return problems


def _by_date(name: str, problems: list[Problem], choice: Choice) -> tuple[list[Problem], int]:
    """The problems of a window of days, and how many are left out since nothing says when they were made."""
    if choice.since is None and choice.until is None:
        return problems, 0
    since, until = _day("since", choice.since) or dt.date.min, _day("until", choice.until) or dt.date.max
    if since > until:
        raise UsageError(f"since {choice.since} is after until {choice.until}")
    dated = [(problem, dt.date.fromisoformat(problem.created)) for problem in problems if problem.created]
    if not dated:
        raise UsageError(f"set {name!r}: its problems have no dates, so that none can be chosen by them")
    chosen = [problem for problem, day in dated if since <= day <= until]
    first, last = min(day for _, day in dated), max(day for _, day in dated)
    _refuse_none(chosen, name, f"none of the problems asked for is of these days; they are of {first} to {last}")
    return chosen, len(problems) - len(dated)


def _day(word: str, text: str | None) -> dt.date | None:
    if text is None:
        return None
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise UsageError(f"{word} {text!r}: take a date as 2024-12-31")
    return day


def _refuse_none(problems: list[Problem], name: str, reason: str) -> None:
    if not problems:
        raise UsageError(f"set {name!r}: {reason}: nothing is left to judge")


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)


def _refuse_unknown(noun: str, asked: Iterable[str], known: Collection[str], name: str) -> None:
    unknown = [item for item in dict.fromkeys(asked) if item not in known]
    if not unknown:
        return
    more = f" (and {len(unknown) - 1} more that it does not have)" if len(unknown) > 1 else ""
    close = difflib.get_close_matches(unknown[0], known, n=3)
    if close:
        hint = f"did you mean {' or '.join(map(repr, close))}?"
    elif known:
        hint = f"it has {', '.join(sorted(known)[:_SHOWN])}{', …' if len(known) > _SHOWN else ''}"
    else:
        hint = f"it has no {noun[:-1]}ies" if noun.endswith("y") else f"it has no {noun}s"
    raise UsageError(f"set {name!r} has no {noun} {unknown[0]!r}{more}: {hint}")


def _problems(number: int) -> str:
    return f"{number} problem{'' if number == 1 else 's'}"
