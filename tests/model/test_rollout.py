"""Rollouts: what a record may say, and what it may not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from codejury.model import Rollout


def _rollout(**fields: Any) -> Rollout:
    values: dict[str, Any] = {"task": "t", "agent": "a", "rollout": "0", "resolved": True}
    return Rollout(**values | fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"task": ""}, "task: is empty"),
        ({"agent": ""}, "agent: is empty"),
        ({"rollout": ""}, "rollout: is empty"),
        ({"resolved": None}, "resolved: is null where the status is 'ok'"),
        ({"status": "infra"}, "resolved: is true where the status is 'infra'"),
        ({"status": "missing", "resolved": False}, "resolved: is false where the status is 'missing'"),
        ({"tests_total": 3}, "tests_passed: is missing beside tests_total"),
        ({"tests_passed": 3}, "tests_total: is missing beside tests_passed"),
        ({"tests_passed": 4, "tests_total": 3}, "tests_passed: is 4 of 3 tests"),
        ({"tests_passed": 1, "tests_total": 3, "regressions": 4}, "regressions: is 4 of 3 tests"),
        ({"tool_calls": -1}, "tool_calls: is -1, below 0"),
        ({"tokens": -5}, "tokens: is -5, below 0"),
        ({"cost_usd": float("nan")}, "cost_usd: is nan"),
        ({"cost_usd": -0.1}, "cost_usd: is -0.1"),
        ({"latency_s": float("inf")}, "latency_s: is inf"),
        ({"security_score": 1.5}, "security_score: is 1.5"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, Any], message: str) -> None:
    """The message begins with the field."""
    with pytest.raises(ValueError, match=f"^{message}"):
        _rollout(**fields)


def test_json_round_trip() -> None:
    """What is default is left out; decoding checks as making does."""
    rollout = _rollout(resolved=False, status="model_fail", subtype="empty_patch", cost_usd=0.5, tags=("x",))
    body = msgspec.json.encode(rollout)
    assert rollout == msgspec.json.decode(body, type=Rollout)
    assert b"tests_total" not in body
    with pytest.raises(msgspec.ValidationError, match="resolved: is null"):
        msgspec.json.decode(b'{"task": "t", "agent": "a", "rollout": "0", "resolved": null}', type=Rollout)


def test_id() -> None:
    """Task, agent and rollout."""
    assert "t#a#0" == _rollout().id
