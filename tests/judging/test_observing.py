"""Whether tests look at more of a program than its values."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture(scope="module")
def observing() -> Any:
    """The loose file of the judge's side."""
    return importlib.import_module("observing")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("assert f(1) == 2", None),
        ("assert f(1) is None", None),
        ("assert f(1) is not True and f(2) is ... and f(3) is False", None),
        ("import math, itertools\nfrom collections import Counter\nassert Counter(f(1)) == {}", None),
        ("x = f(1)\nassert sorted(x) == list(x)", None),
        ("assert f(1).id(2) == 3", None),
        ("assert f(x) is x", "is"),
        ("assert f(x) is not y", "is"),
        ("assert f(1) is 1", "is"),
        ("assert id(f(1)) == 2", "id"),
        ("assert isinstance(f(1), int)", "isinstance"),
        ("assert type(f(1)) == int", "type"),
        ("assert next(f(1)) == 2", "next"),
        ("assert f.__name__ == 'f'", "__name__"),
        ("import copy\nassert copy.copy(f(1)) == 2", "copy"),
        ("from concurrent.futures import Future", "concurrent.futures"),
        ("import os.path, inspect", "inspect"),
        ("from . import x", None),
        ("this does not compile", None),
        ("", None),
    ],
)
def test_of_one_source(observing: Any, source: str, name: str | None) -> None:
    """The name that shows it, or None."""
    assert name == observing.observes(source)


def test_of_many_sources(observing: Any) -> None:
    """One source is enough, also behind one that does not compile."""
    assert "hash" == observing.observes("assert f(1) == 2", "(", "assert hash(f(1)) == 3")
    assert observing.observes() is None
