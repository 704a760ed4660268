"""The room's facade."""

from __future__ import annotations

from codejury import stats


def test_all_names_exist_once() -> None:
    """`__all__` is what the package gives, each with a docstring; ruff sorts it."""
    assert len(set(stats.__all__)) == len(stats.__all__)
    assert all(getattr(stats, name).__doc__ for name in stats.__all__)
