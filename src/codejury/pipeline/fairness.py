"""Fairness before any comparison: what differs between runs is refused, unless it is waived by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.model import NotComparableError, ProblemSet, UsageError
from codejury.pipeline.conditions import CONDITIONS, SAMPLING, said, same
from codejury.report import Waived

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from codejury.model import Problem
    from codejury.pipeline.sides import Side


@dataclass(frozen=True)
class Fairness:
    """What was found on runs that may be compared.

    Attributes:
        waived: Conditions that differ and were waived.
        unverified: Conditions that no run says.
    """

    waived: tuple[Waived, ...] = ()
    unverified: tuple[str, ...] = ()


def check_fairness(
    sides: Sequence[Side],
    problems: Sequence[Mapping[str, Problem]],
    *,
    waive: Collection[str] = (),
    swept: Collection[str] = (),
) -> Fairness:
    """Refuse runs that were made or judged under different conditions.

    A condition that is unknown on both sides is unverified; unknown on one side it differs. Tiers may differ when
    all verdicts are strong. Numbers of samples are compared problem by problem over the common problems, and
    so are the tests where the sets are not the same.

    Args:
        sides: Two or more; each is compared with the first.
        problems: Those of each side, by id; empty where they are not at hand.
        waive: Names of conditions that may differ; the result says where they do.
        swept: Names of conditions that are meant to differ, and are not looked at.

    Raises:
        UsageError: There is no condition of a name.
        NotComparableError: Conditions differ that are not waived; the message lists all of them.
    """
    if unknown := sorted(set(waive) - set(CONDITIONS)):
        raise UsageError(f"--waive {', '.join(unknown)}: no such condition; take of {', '.join(CONDITIONS)}")
    waived, refused = [], []
    for name in CONDITIONS:
        if name in swept or not _differs(name, sides, problems):
            continue
        if name in waive:
            waived.append(Waived(condition=name, values={side.name: _value(name, side, sides) for side in sides}))
        else:
            values = ", ".join(f"{_value(name, side, sides)} ({side.name})" for side in sides)
            refused.append((name, f"{name} {values}"))
    if refused:
        names = " ".join(f"--waive {name}" for name, _ in refused)
        raise NotComparableError(
            f"{' and '.join(repr(side.name) for side in sides)} cannot be compared: "
            f"{'; '.join(text for _, text in refused)}; judge them alike, or compare all the same with {names}"
        )
    unverified = tuple(
        name
        for name in CONDITIONS
        if name not in swept and all(side.conditions.get(name) is None for side in sides)
    )
    return Fairness(tuple(waived), unverified)


def unverified_note(names: Sequence[str]) -> str:
    """What is said of conditions that no run says."""
    declare = [name for name in names if name in SAMPLING]
    how = f"; declare them with --meta {declare[0]}=VALUE when judging" if declare else ""
    return f"unverified, as no run says: {', '.join(names)}{how}"


def waiver_note(waived: Waived) -> str:
    """What is said of a condition that differs and was waived."""
    values = ", ".join(f"{value} ({run})" for run, value in waived.values.items())
    return f"waived: {waived.condition} differs: {values}"


def _differs(name: str, sides: Sequence[Side], problems: Sequence[Mapping[str, Problem]]) -> bool:
    first = sides[0]
    for number, side in enumerate(sides[1:], 1):
        if name == "n":
            if _drawn_differ(first, side):
                return True
        elif not same(first.conditions.get(name), side.conditions.get(name)):
            if name == "tier" and first.strong and side.strong and None not in (_tier(first), _tier(side)):
                continue
            if name == "tests" and _same_common(problems[0], problems[number]):
                continue
            return True
    return False


def _tier(side: Side) -> str | None:
    return side.conditions.get("tier")


def _drawn_differ(one: Side, two: Side) -> bool:
    numbers = dict(zip(one.ids, one.samples.tolist(), strict=True))
    common = [(numbers[name], n) for name, n in zip(two.ids, two.samples.tolist(), strict=True) if name in numbers]
    drawn = np.array([pair for pair in common if all(pair)], dtype=np.int64).reshape(-1, 2)
    return bool((drawn[:, 0] != drawn[:, 1]).any())


def _same_common(one: Mapping[str, Problem], two: Mapping[str, Problem]) -> bool:
    """Whether the problems that both have ask the same and are judged in the same way."""
    common = one.keys() & two.keys()
    return bool(common) and all(
        one[name].hash == two[name].hash or _asked(one[name]) == _asked(two[name]) for name in common
    )


def _asked(problem: Problem) -> str:
    return ProblemSet(name="", version="", problems=(problem,)).hash


def _value(name: str, side: Side, sides: Sequence[Side]) -> str:
    other = next((one for one in sides if one is not side), side)
    return said(name, side.conditions.get(name), other.conditions.get(name))
