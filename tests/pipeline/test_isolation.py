"""Programs run without isolation where that is asked for by name, or where they are codejury's own."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from codejury.model import Integrity, Job, Judged, Limits, Outcome, TierUnavailable, UsageError, Verdict
from codejury.pipeline.isolation import OWN, UNISOLATED, UNSAFE, all_weak, choose_isolation
from codejury.sandbox import AUTO, TIERS, TierChoice

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MODULE = importlib.import_module("codejury.pipeline.isolation")


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this is."""
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.usefixtures("linux")
@pytest.mark.parametrize("tier", [AUTO, *TIERS, UNISOLATED])
def test_unsafe_is_none(tier: str) -> None:
    """And the run's note says what that means."""
    assert TierChoice(UNISOLATED, UNSAFE) == choose_isolation(tier, unsafe=True)


@pytest.mark.usefixtures("linux")
def test_own_samples_need_not_be_isolated() -> None:
    """That they are codejury's own is the note."""
    assert TierChoice(UNISOLATED, OWN) == choose_isolation(UNISOLATED, own=True)


def test_none_is_refused_without_its_name() -> None:
    """A tier alone, as one that a stored run has, is not enough."""
    with pytest.raises(UsageError, match="give --unsafe"):
        choose_isolation(UNISOLATED)


def test_all_else_is_as_the_machine_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Own samples are isolated, too, where that can be."""
    monkeypatch.setattr(MODULE, "choose_tier", lambda tier: TierChoice(f"found {tier}"))
    for tier in (AUTO, *TIERS):
        for own in (True, False):
            assert TierChoice(f"found {tier}") == choose_isolation(tier, own=own)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_are_told(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    """One clear line, before anything starts."""
    monkeypatch.setattr(sys, "platform", platform)
    for arguments in ({"unsafe": True}, {"own": True}):
        with pytest.raises(TierUnavailable, match=r"tier 'none' .* Linux missing: .* VM or container"):
            choose_isolation(UNISOLATED, **arguments)


async def test_verdicts_become_weak() -> None:
    """Whatever they were; nothing else of them changes, and the source is closed when its reader stops."""
    closed = []

    async def results() -> AsyncGenerator[Judged, None]:
        try:
            for integrity in ("strong", "weak", "strong"):
                yield judged(integrity)
        finally:
            closed.append(True)

    source = all_weak(results())
    assert judged("weak") == await anext(source)
    assert judged("weak") == await anext(source)
    await source.aclose()
    assert [True] == closed


def judged(integrity: Integrity) -> Judged:
    """A job with a verdict."""
    job = Job(key="k", problem_hash="p", program_hash="q", limits=Limits())
    return Judged(job, Verdict(outcome=Outcome.PASSED, integrity=integrity, tier=UNISOLATED, wall_s=1.0))
