"""The page's table of properties is true, and its examples are."""

from __future__ import annotations

import doctest
import itertools
import re
from pathlib import Path

import pytest

from codejury.metrics import scoring
from codejury.metrics.scoring import Pair
from codejury.metrics.text import PRESETS

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([\w.]+)` \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$", re.MULTILINE)
TABLE = {name: tuple(cell == "yes" for cell in cells) for name, *cells in ROW.findall(TEXT)}
# few, but with a counterexample to each property that some metric lacks
TEXTS = (
    "",
    "a",
    "b",
    "a ",
    "a  # c",
    "a b",
    "a  b",
    "ab",
    "aba",
    "ba",
    "a\nb",
    "b\na",
    "a + b",
    "b + a",
    "a - b",
    "(a + b) * c",
    "a + (b * c)",
    "pass",
    "pass\nimport os",
    "import os",
    "import os\nimport re",
    "for i in j:\n    del k[i]",
    "import os\nimport re\nfor i in j:\n    del k[i]",
    "x = a",
    "x = a\ny = b\n",
    "if a:\n    b = a\n",
    "if a:\n    b\n    b = a\n",
)


def _scores(name: str) -> dict[tuple[str, str], float]:
    function = scoring.get(name).function
    found = {(one, other): function(Pair(other, one)).value for one, other in itertools.product(TEXTS, TEXTS)}
    return {pair: value for pair, value in found.items() if value is not None}


@pytest.mark.parametrize("name", TABLE)
def test_table_of_properties(name: str) -> None:
    """What the table affirms holds for all texts here, and what it denies fails for some."""
    scores = _scores(name)
    same = all(value == 1 for (one, other), value in scores.items() if one == other)
    only = all(value < 1 for (one, other), value in scores.items() if one != other)
    symmetric = all(value == scores.get((other, one), value) for (one, other), value in scores.items())
    triangle = all(
        1 - scores[one, other] <= 2 - scores[one, third] - scores[third, other] + 1e-12
        for one, third, other in itertools.product(TEXTS, repeat=3)
        if {(one, other), (one, third), (third, other)} <= scores.keys()
    )
    assert TABLE[name] == (same, only, symmetric, triangle)


def test_page_names_every_metric_and_preset() -> None:
    """No metric without its place: in the tables, or by its preset."""
    alone = [name for name in scoring.names() if not name.startswith((*PRESETS, "ast.", "parse", "valid"))]
    for name in (*alone, *PRESETS):
        assert f"`{name}`" in TEXT or f"`{'.' + name.rsplit('.', 1)[1]}`" in TEXT
    assert {name for name in alone if name != "codebleu.compat"} <= TABLE.keys()


def test_examples_are_true() -> None:
    """The interactive examples of the page."""
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried
    assert not failed
