"""Which tier is chosen, and what is said where it is not the strongest."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import TierUnavailable
from codejury.sandbox import AUTO, LAYERS, TIERS, TierChoice, choose_tier, landlock_version, probe, tiers

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """The choice is remembered for a process."""
    tiers._strongest.cache_clear()
    yield
    tiers._strongest.cache_clear()


def refusing(monkeypatch: pytest.MonkeyPatch, **refused: str) -> None:
    """A machine that refuses these layers."""
    monkeypatch.setattr(tiers, "probe", lambda layers: {layer: refused.get(layer) for layer in layers})


def test_the_strongest_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Namespaces, without a word."""
    refusing(monkeypatch)
    assert TierChoice("namespaces") == choose_tier() == choose_tier(AUTO)


def test_landlock_is_chosen_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """The note names the layer, the kernel's reason and where to look."""
    refusing(monkeypatch, namespaces="Operation not permitted")
    found = choose_tier()
    assert "landlock" == found.tier
    expected = (
        "isolated by tier 'landlock': tier 'namespaces' cannot be had: namespaces: Operation not permitted;"
        " `codejury doctor` says what to do"
    )
    assert expected == found.note


@pytest.mark.parametrize(
    "refused", [{"namespaces": "no A", "landlock": "no B"}, {"seccomp": "no A", "namespaces": "no C"}]
)
def test_none_is_an_error_that_names_both(monkeypatch: pytest.MonkeyPatch, refused: dict[str, str]) -> None:
    """Without seccomp there is no tier at all."""
    refusing(monkeypatch, **refused)
    with pytest.raises(TierUnavailable, match="lacks") as caught:
        choose_tier()
    assert "namespaces" == caught.value.tier
    assert "'landlock' lacks" in str(caught.value)
    assert "codejury doctor" in str(caught.value)


@pytest.mark.parametrize("tier", [*TIERS, "none"])
def test_what_is_named_is_taken(monkeypatch: pytest.MonkeyPatch, tier: str) -> None:
    """Whether it can be had is found out when it starts."""
    refusing(monkeypatch, namespaces="no", landlock="no", seccomp="no")
    assert TierChoice(tier) == choose_tier(tier)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="these layers exist on Linux alone")
def test_layers_are_tried_here() -> None:
    """Each has an answer, and all kinds of namespaces together have one where each has."""
    found = probe((*LAYERS, "namespaces"))
    assert {*LAYERS, "namespaces"} == set(found)
    assert all(reason is None or reason for reason in found.values())
    single = [found[layer] for layer in LAYERS if "namespaces" in layer or layer == "mounts"]
    assert (found["namespaces"] is None) == all(reason is None for reason in single)
    assert (found["landlock"] is None) == (landlock_version() > 0)


def test_layers_on_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is started to find out."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(subprocess, "run", None)
    assert all("on Linux alone" in str(reason) for reason in probe(LAYERS).values())
    assert 0 == landlock_version()


@pytest.mark.parametrize("text", ["", "{}", "no JSON"])
def test_a_probe_that_fails_gives_no_layer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """An interpreter that does not say what was asked is no reason to take anything for granted."""

    def run(*_: Any, **__: Any) -> Any:
        return subprocess.CompletedProcess([], 0, text, "")

    monkeypatch.setattr(subprocess, "run", run)
    assert "it cannot be found out" in str(probe(("seccomp",))["seccomp"])
