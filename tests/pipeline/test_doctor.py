"""The machine as doctor sees it: layers asked, tiers tried."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import pytest

from codejury.model import Outcome
from codejury.pipeline import doctor
from codejury.report import EngineRow
from codejury.sandbox import LAYERS, TIERS, TierChoice
from codejury.sandbox.machine import Surroundings

pytestmark = pytest.mark.sandbox
MODULE: Any = importlib.import_module("codejury.pipeline.doctor")


def test_this_machine() -> None:
    """Every layer and every tier has a row; what is missing has advice, what is there has none."""
    document = asyncio.run(doctor())
    assert [*LAYERS, "memory limit"] == [row.layer for row in document.layers]
    assert list(TIERS) == [row.tier for row in document.tiers]
    assert all(row.given == (not row.advice) for row in document.layers)
    given = {row.layer: row.given for row in document.layers}
    works = {row.tier: row.works for row in document.tiers}
    assert works["landlock"] == (given["landlock"] and given["seccomp"])
    assert document.tier == next((tier for tier in TIERS if works[tier]), None)
    assert ["docker", "podman"] == [row.engine for row in document.engines]


def test_parts_are_there_or_it_says_how_to_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extras by their modules, the tree edit distance by what runs it."""
    rows = {row.part: row for row in MODULE._parts()}
    assert [True] * 4 == [rows[part].given for part, _ in MODULE._EXTRAS.values()]
    monkeypatch.setattr(MODULE, "_EXTRAS", {"other": ("other things", ("json", "no_such_module"))})
    monkeypatch.setattr(MODULE.ted, "BACKEND", "python")
    other, distance = MODULE._parts()
    assert (False, "no no_such_module: pip install 'codejury[other]'") == (other.given, other.detail)
    assert not distance.given
    assert distance.detail.startswith("pure Python")


def test_engines_answer_or_say_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an engine its reason, with one its version, and how to build the image where it is not there."""
    replies = {"docker": ("20.10", ""), "podman": (None, "not installed")}
    monkeypatch.setattr(MODULE, "answers", replies.get)
    monkeypatch.setattr(MODULE, "image_id", lambda *_: "0123456789abcdef")
    assert EngineRow(engine="podman", answers=False, detail="not installed") == MODULE._engine("podman")
    assert "version 20.10, image 0123456789ab" == MODULE._engine("docker").detail
    monkeypatch.setattr(MODULE, "image_id", lambda *_: None)
    assert "no image: `docker build -t codejury -f Containerfile .`" in MODULE._engine("docker").detail


@pytest.mark.parametrize(
    ("name", "source"),
    [("_RIGHT", "def f(x): return 0"), ("_WRONG", "def f(x): return 3"), ("_SPY", "def f(x): return ['all']")],
)
def test_a_tier_that_judges_wrongly_does_not_work(monkeypatch: pytest.MonkeyPatch, name: str, source: str) -> None:
    """A right program that fails, a wrong one that passes, a spy that sees something: told, and no tier named."""
    monkeypatch.setattr(MODULE, name, source)
    document = asyncio.run(doctor())
    if not any(row.works or "ended as" in row.detail for row in document.tiers):
        pytest.skip("no tier")
    tried = [row for row in document.tiers if "ended as" in row.detail]
    assert tried
    assert not any(row.works for row in document.tiers)
    assert document.tier is None
    assert all(f"the {name.strip('_').lower()} program ended as" in row.detail for row in tried)


def test_a_machine_without_tiers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a Mac: no layer, advice for each, no tier."""
    mac = Surroundings(
        system="Darwin", kernel="23.5.0", arch="arm64", root=False, container=None, wsl=0, settings={}
    )
    monkeypatch.setattr(MODULE, "surroundings", lambda: mac)
    monkeypatch.setattr("sys.platform", "darwin")
    document = asyncio.run(doctor())
    assert document.tier is None
    layers = [row for row in document.layers if row.layer != "memory limit"]
    assert not any(row.given for row in layers)
    assert all("Linux virtual machine or container" in row.advice for row in layers)
    assert not any(row.works for row in document.tiers)


@pytest.mark.parametrize(
    ("version", "detail"),
    [
        (1, "version 1 of 7; without truncation, signals: system calls are refused instead"),
        (5, "version 5 of 7; without signals: system calls are refused instead"),
        (7, "version 7 of 7"),
        (9, "version 9, used as 7"),
    ],
)
def test_versions_of_landlock_are_said(monkeypatch: pytest.MonkeyPatch, version: int, detail: str) -> None:
    """What an older one lacks, and that a newer one is used as the newest that is known."""
    monkeypatch.setattr(MODULE, "landlock_version", lambda: version)
    assert detail == MODULE._given("landlock", MODULE.surroundings())


def test_a_choice_that_does_not_hold_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a quick look would choose must also have worked."""
    monkeypatch.setattr(MODULE, "choose_tier", lambda: TierChoice("namespaces"))

    async def judged(*_: Any) -> dict[str, tuple[Outcome, str]]:
        return dict.fromkeys(("right", "wrong", "spy"), (Outcome.CRASHED, "signal 9"))

    monkeypatch.setattr(MODULE, "_judged", judged)
    document = asyncio.run(doctor())
    assert document.tier is None
    assert "the right program ended as crashed: signal 9" in document.tiers[0].detail
