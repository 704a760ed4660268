"""The page of the built-in set: its tables and figures are those of the set and of its contestants."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from codejury import stats
from codejury.extract import program
from codejury.metrics import scan
from codejury.pipeline.demo import LIMITS
from codejury.pipeline.speed import SCALE, TIMES
from codejury.sets.starter import load
from codejury.sets.starter.catalogue import DIFFICULTIES
from codejury.sets.starter.contestants import SAMPLES, answers, contestants
from codejury.sets.starter.equivalents import equivalents
from codejury.sets.starter.variants import variants

if TYPE_CHECKING:
    from codejury.model import Problem

PAGE = (Path(__file__).parents[2] / "docs" / "starter.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
SET = load()
MARKS = {"P": "arxiv-2608.14711", "C": "class", "S": "security-tempting"}
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
SERIOUS = {"medium", "high", "critical"}


def _rows(first: str) -> list[list[str]]:
    """The cells of the table's rows whose first cell is such a name in code."""
    lines = re.findall(rf"^\| `{first}` \|.*$", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _marks(problem: Problem) -> str:
    return "".join(mark for mark, tag in MARKS.items() if tag in problem.tags) + ("I" if problem.inputs else "")


def test_every_problem_is_in_the_table() -> None:
    """In the set's order, with difficulty, marks and other tags, and with something that it tempts to."""
    section = PAGE[: PAGE.index("## How strong the tests are")]
    rows = [row for row in _rows(r"\w+") if "| `" + row[0].strip("`") + "` |" in section and len(row) == 5]

    assert [
        [
            f"`{problem.id.removeprefix('starter/')}`",
            problem.difficulty,
            _marks(problem),
            ", ".join(tag for tag in problem.tags if tag not in MARKS.values()),
        ]
        for problem in SET.problems
    ] == [row[:4] for row in rows]
    assert all(row[4] for row in rows)


def test_figures_of_the_contestants() -> None:
    """As they follow from the labels."""
    problems, found = SET.by_id(), []
    for name in contestants():
        given = answers(name)
        right = Counter(answer.sample.problem_id for answer in given if answer.right)
        counts = [right[problem] for problem in problems]
        levels = [[right[p.id] for p in SET.problems if p.difficulty == level] for level in DIFFICULTIES]
        tempted = [
            program(problems[answer.sample.problem_id], answer.sample).source
            for answer in given
            if answer.right and "security-tempting" in problems[answer.sample.problem_id].tags
        ]
        unsafe = sum(any(f.severity in SERIOUS for f in scan(source).findings) for source in tempted)
        distinct = len({(answer.sample.problem_id, answer.sample.text) for answer in given})
        found.append(
            [
                f"`{name}`",
                *(f"{stats.estimate_pass_at_k(SAMPLES, counts, k).value:.3f}" for k in (1, 5, 10)),
                *(f"{sum(level) / len(level) / SAMPLES:.2f}" for level in levels),
                f"{unsafe} of {len(tempted)}",
                f"{sum(count > 0 for count in counts)}",
                f"{distinct} of {len(given)}",
            ]
        )

    assert found == _rows(r"synthetic-\w+")


def test_numbers_in_the_text() -> None:
    """Problems, samples, answers, equivalent mutants, and how the demo measures."""
    known = [variants(problem) for problem in SET.problems]
    right, wrong = [len(each.right) for each in known], [len(each.wrong) for each in known]
    samples = len(contestants()) * SAMPLES * len(SET.problems)
    said = [
        f"{len(SET.problems)} problems written for codejury",
        f"It is version {SET.version},",
        f"{len(equivalents())} are argued to be equivalent",
        f"{NUMBERS[min(right)]} to {NUMBERS[max(right)]} right answers",
        f"{NUMBERS[min(wrong)]} to {NUMBERS[max(wrong)]} wrong ones",
        f"Two of the {samples} samples never end",
        f"with {LIMITS.cpu_s:g} s of CPU for each test",
        f"`inputs({SCALE}, 1)`",
        f"over {TIMES:g} times what the reference takes",
        f"stopped at {1.5 * TIMES:g} times the reference's time",
    ]

    assert [] == [text for text in said if text not in TEXT]
