"""Python's own word on whether a file is valid."""

from __future__ import annotations

import pytest

from codejury.metrics.scoring import Pair
from codejury.metrics.trees import validity
from codejury.metrics.trees.validity import python_valid


@pytest.mark.parametrize(
    ("prefix", "prediction", "expected"),
    [
        ("", "x = 1", 1.0),
        ("def f():\n    ", "return 1", 1.0),
        ("", "return 1", 0.0),
        ("", "x = '\\d' is 1", 1.0),
        ("", "f() = 1", 0.0),
        ("", "def f(a, a): pass", 0.0),
        ("", "x = 1\x00", 0.0),
        ("", "x = '\ud800'", 0.0),
        ("", "", 1.0),
    ],
)
def test_compile_decides(prefix: str, prediction: str, expected: float) -> None:
    """The file with the prediction compiles or not; warnings do not count. Nothing of it runs."""
    scored = python_valid(Pair("", prediction, prefix))
    assert expected == scored.value
    assert ("error" in scored.details) == (expected == 0)


def test_the_error_has_its_line() -> None:
    """What is wrong is told with the line in the whole file."""
    assert "line 2: " in python_valid(Pair("", "y = (", "x = 1\n")).details["error"]


@pytest.mark.parametrize(
    "prediction", ["x = " + "+".join(["a"] * 200_000), "x = " + "-" * 50_000 + "1", "x" + ".y" * 100_000]
)
def test_too_deep_is_unscored(prediction: str) -> None:
    """Where the compiler gives up, nothing is known of the file, or it is refused for its nesting."""
    scored = python_valid(Pair("", prediction))
    assert scored.value is None
    assert str(scored.unscored).startswith("too deep for the compiler")


def test_other_languages_and_large_files_are_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reasons for no value: another language, a file beyond the cap."""
    assert "'java' is not Python" == python_valid(Pair("", "", language="java")).unscored
    monkeypatch.setattr(validity, "MAX_BYTES", 3)
    assert "too large: 5 characters to compile; at most 3" == python_valid(Pair("", "x = 1")).unscored
