"""Errors: places in the message, exit codes."""

from __future__ import annotations

import pytest

from codejury.model import (
    CodejuryError,
    InfrastructureError,
    InputError,
    NotComparableError,
    TierUnavailable,
    UsageError,
)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"path": "a.jsonl", "line": 3, "field": "task_id"}, "a.jsonl:3: field 'task_id': wrong"),
        ({"path": "a.jsonl", "line": 3}, "a.jsonl:3: wrong"),
        ({"path": "a.jsonl"}, "a.jsonl: wrong"),
        ({"path": "a.jsonl", "field": "id"}, "a.jsonl: field 'id': wrong"),
        ({"field": "id"}, "field 'id': wrong"),
        ({}, "wrong"),
    ],
)
def test_input_error_names_its_place(place: dict[str, object], message: str) -> None:
    """As far as it is known; the parts can be read from the error as well."""
    error = InputError("wrong", **place)  # type: ignore[arg-type]
    assert message == str(error)
    assert ("wrong", place.get("path"), place.get("line"), place.get("field")) == (
        error.message,
        error.path,
        error.line,
        error.field,
    )


def test_missing_tier_names_its_layer() -> None:
    """Tier, layer and reason, in words and as fields."""
    error = TierUnavailable("namespaces", "user namespaces", "the kernel refuses them")
    assert "tier 'namespaces' cannot be had: user namespaces missing: the kernel refuses them" == str(error)
    assert ("namespaces", "user namespaces", "the kernel refuses them") == (error.tier, error.layer, error.reason)


def test_exit_codes() -> None:
    """2 for the call and its input, 3 for the machine, 4 for runs that do not compare."""
    kinds = (UsageError, InputError, InfrastructureError, TierUnavailable, NotComparableError)
    assert (2, 2, 3, 3, 4) == tuple(kind.exit_code for kind in kinds)
    assert all(issubclass(kind, CodejuryError) for kind in kinds)
