"""What the demo says of its figures: only what they say."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from codejury import stats
from codejury.cli.demo_story import WIDTH, story
from codejury.pipeline.demo import Share, Standing
from codejury.report import Estimate, Interval, JudgeDocument, ProblemRow

GOLDEN = Path(__file__).parents[1] / "report" / "golden" / "judge.json"
DOCUMENT = msgspec.json.decode(GOLDEN.read_bytes(), type=JudgeDocument)
N = 20


class Found(NamedTuple):
    """What a contestant did: right samples of each problem, and what they cost."""

    name: str
    right: list[int]
    unsafe: tuple[int, int] = (0, 10)
    slower: tuple[int, int] = (0, 10)


STEADY = Found("a", [20] * 30 + [0] * 10, (9, 10))
VARIED = Found("b", [10] * 40, (0, 10), (10, 10))
WEAK = Found("c", [1] * 20 + [0] * 20)


def standing(found: Found) -> Standing:
    """A contestant's standing, with the figures and intervals of its counts."""
    figures = {}
    for k in (1, 5, 10):
        estimate = stats.estimate_pass_at_k(N, found.right, k)
        interval = estimate.fixed_suite
        assert interval is not None
        shown = Interval(se=interval.se, low=interval.low, high=interval.high, method=interval.method)
        figures[str(k)] = Estimate(value=estimate.value, fixed_suite=shown, population=None)
    document = msgspec.structs.replace(
        DOCUMENT,
        run=found.name,
        problems=len(found.right),
        pass_at_k=figures,
        per_problem=[ProblemRow(id=f"p/{i}", n=N, c=c) for i, c in enumerate(found.right)],
    )
    return Standing(document=document, unsafe=Share(*found.unsafe), slower=Share(*found.slower))


def told(*found: Found) -> list[str]:
    """The sentences' lines."""
    return story([standing(each) for each in found]).splitlines()


def whole(*found: Found) -> str:
    """The story in one line."""
    return " ".join(told(*found))


@pytest.mark.parametrize("order", [(STEADY, VARIED, WEAK), (WEAK, VARIED, STEADY), (VARIED, WEAK, STEADY)])
def test_whole_story(order: tuple[Found, ...]) -> None:
    """Who leads at one try, who after ten, at what price; whatever the order of the contestants."""
    lines = told(*order)

    assert [
        "At one try, a leads: 0.75 against 0.50 of b.",
        "After 10 tries, b leads: 1.00 against 0.75 of a. It is right less often, but",
        "sooner or later on 40 of 40 problems; a writes nearly the same again, and is",
        "right on 30.",
    ] == lines[:4]
    slow = "all its 10 solutions are slow where the input is large, and none of its answers is unsafe."
    prices = [
        "The price of a: 9 of its 10 right answers to problems that tempt to a dangerous call make one.",
        f"The price of b: {slow}",
    ]
    assert all(price in " ".join(lines) for price in prices)
    assert [
        "C is behind at every k.",
        "So no single figure decides: for one try take a, with a review of its calls;",
        "where tests choose among 10 answers, b.",
    ] == lines[-3:]
    assert max(map(len, lines)) <= WIDTH


def test_too_close_to_tell() -> None:
    """Where intervals overlap nobody leads, nobody is behind and nothing is advised."""
    assert [] == told(Found("a", [10] * 40), Found("b", [10] * 39 + [9]), Found("c", [9] * 40))


def test_one_leader() -> None:
    """Who leads at all k is no reason to choose otherwise."""
    text = whole(Found("a", [20] * 38 + [0, 0]), Found("b", [1] * 40), WEAK)

    assert text.startswith(
        "At one try, a leads: 0.95 against 0.05 of b. After 10 tries it still leads: 0.95 against"
    )
    assert "So no single figure decides" not in text
    assert "price" not in text


def test_later_leader_that_solves_no_more() -> None:
    """That it is right on more problems is said only if it is."""
    text = whole(STEADY._replace(right=[19] * 25 + [1] * 15), VARIED, WEAK)

    assert "After 10 tries, b leads: 1.00 against 0.81 of a." in text
    assert "sooner or later" not in text


def test_no_price() -> None:
    """Answers that are clean and fast cost nothing; then no review is advised."""
    text = whole(STEADY._replace(unsafe=(5, 10)), VARIED._replace(slower=(5, 10)), WEAK)

    assert "price" not in text
    assert "for one try take a; where tests choose among 10 answers, b." in text


def test_both_prices() -> None:
    """One contestant may pay both; then it is not praised."""
    text = whole(STEADY._replace(slower=(8, 10)), VARIED._replace(unsafe=(1, 10)), WEAK)

    assert (
        "The price of a: 9 of its 10 right answers to problems that tempt to a dangerous call make one and 8 of"
        " its 10 solutions are slow where the input is large."
    ) in text
    assert "The price of b: all its 10 solutions are slow where the input is large." in text


def test_nothing_measured() -> None:
    """Shares of nothing say nothing."""
    text = whole(STEADY._replace(unsafe=(0, 0), slower=(0, 0)), VARIED._replace(unsafe=(0, 0)), WEAK)

    assert "unsafe" not in text
    assert "The price of a" not in text


def test_one_contestant_alone() -> None:
    """There is nobody to compare it with."""
    assert [] == told(STEADY)


def test_without_intervals() -> None:
    """A run that cannot tell of a rerun leads nobody."""
    bare = standing(STEADY)
    figures = {k: msgspec.structs.replace(e, fixed_suite=None) for k, e in bare.document.pass_at_k.items()}
    document = msgspec.structs.replace(bare.document, pass_at_k=figures)

    assert "" == story([msgspec.structs.replace(bare, document=document), standing(WEAK)])
