"""The demo, with and without an isolation tier."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any, Self

import pytest

from codejury.model import TierUnavailable
from codejury.pipeline import DemoResult, demo
from codejury.sandbox import Sandbox
from codejury.sets.starter import contestants

if TYPE_CHECKING:
    from codejury.store import Store

MISSING = "tier 'namespaces' cannot be had: user namespaces missing: the kernel refuses them"


def _right(result: DemoResult) -> dict[str, dict[str, int]]:
    """Right samples by contestant and problem."""
    return {document.run: {row.id: row.c for row in document.per_problem} for document in result.documents}


def _labels() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name in contestants.contestants():
        counts = found.setdefault(name, {})
        for sample, right in contestants.expected(name).items():
            problem = sample.rpartition("#")[0]
            counts[problem] = counts.get(problem, 0) + right
    return found


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_demo_judges_the_contestants(store: Store, heard: Any) -> None:
    """Isolated, with the figures that their labels give; no temperature is invented for them."""
    result = asyncio.run(demo(store, progress=heard))
    assert result.missing_layer is None
    assert _labels() == _right(result)
    assert {"namespaces"} == {document.tier for document in result.documents}
    assert [["1", "5", "10"]] * 3 == [list(document.pass_at_k) for document in result.documents]
    for document in result.documents:
        assert {"model": document.run} == document.meta
        assert (150, 15, 0) == (document.samples, document.problems, document.infra_errors)
    assert ["references", *["judging"] * 3] == [name for name, _ in heard.stages]


def test_demo_runs_without_a_tier(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its samples are ours: the same figures, and the result names the missing layer."""

    async def missing() -> tuple[str, str]:
        return "none", MISSING

    monkeypatch.setattr(importlib.import_module("codejury.pipeline.demo"), "_tier", missing)
    result = asyncio.run(demo(store))
    assert MISSING == result.missing_layer
    assert _labels() == _right(result)
    assert {"none"} == {document.tier for document in result.documents}


async def test_missing_layer_is_the_sandbox_s_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the sandbox lacks is told as it says it."""
    module = importlib.import_module("codejury.pipeline.demo")

    class NoTier(Sandbox):
        """A sandbox on a machine without user namespaces."""

        def __init__(self, *_: object) -> None:
            pass

        async def __aenter__(self) -> Self:
            raise TierUnavailable("namespaces", "user namespaces", "the kernel refuses them")

    monkeypatch.setattr(module, "Sandbox", NoTier)
    assert ("none", MISSING) == await module._tier()
