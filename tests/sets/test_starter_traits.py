"""The trait "unsafe" of the built-in set's answers agrees with the scanner."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codejury.metrics import scan
from codejury.sets.starter import load
from codejury.sets.starter.variants import variants

if TYPE_CHECKING:
    from codejury.model import Problem
    from codejury.sets.starter.variants import Variant

RIGHT = [(problem, answer) for problem in load().problems for answer in variants(problem).right]
UNSAFE = [(problem, answer) for problem, answer in RIGHT if "unsafe" in answer.traits]


def name_of(value: Problem | Variant) -> str:
    """What a test calls a problem or an answer."""
    return str(getattr(value, "id", None) or getattr(value, "name", ""))


def test_there_are_both_kinds() -> None:
    """Some right answers are unsafe, and most are not."""
    assert 0 < len(UNSAFE) < len(RIGHT) / 2


@pytest.mark.parametrize(("problem", "answer"), RIGHT, ids=name_of)
def test_trait_and_scanner_agree(problem: Problem, answer: Variant) -> None:
    """An unsafe right answer has a finding of medium severity or above; any other right answer has none at all."""
    found = scan(problem.prompt + answer.body)
    assert found.unscannable is None
    if "unsafe" in answer.traits:
        assert {f.severity for f in found.findings} & {"medium", "high", "critical"}
    else:
        assert () == found.findings
