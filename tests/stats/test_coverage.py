"""How often the intervals hold the truth: the page's tables, simulated again with another seed."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SEED, TRIALS = 77, 2_000
SHARE = r"(-|\d\.\d+)"
ROW = re.compile(
    rf"^\| Beta\((.+), (.+)\) \| (\d+) \| (\d+) \| (\d+) \| {SHARE} \| (\d+\.\d) \|"
    rf" {SHARE} \| {SHARE} \| {SHARE} \| {SHARE} \| {SHARE} \|$",
    re.MULTILINE,
)
RESAMPLED = re.compile(
    rf"^\| Beta\((.+), (.+)\) \| (\d+) \| (\d+) \| (\d+) \| {SHARE} \| {SHARE} \| (-?\d+\.\d) \|$", re.MULTILINE
)


@pytest.fixture(scope="module")
def script() -> Iterator[Any]:
    """benchmarks/coverage.py as a module."""
    spec = importlib.util.spec_from_file_location("benchmark_coverage", ROOT / "benchmarks" / "coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def _rows(pattern: re.Pattern[str], script: Any) -> list[tuple[Any, tuple[str, ...]]]:
    """The settings of the page's lines, and the other cells."""
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    found = []
    for a, b, problems, n, k, *rest in pattern.findall(text):
        found.append((script.Setting(float(a), float(b), int(problems), int(n), int(k)), tuple(rest)))
    return found


def test_the_page_has_the_script_s_lines(script: Any) -> None:
    """Every setting, in order; the true pass@k and M min are exact."""
    rows = _rows(ROW, script)
    assert list(script.SETTINGS) == [setting for setting, _ in rows]
    for setting, (value, least, *_) in rows:
        assert f"{setting.truth:.3f}" == value
        assert f"{setting.problems * min(setting.truth, 1 - setting.truth):.1f}" == least
    assert list(script.RESAMPLED) == [setting for setting, _ in _rows(RESAMPLED, script)]


def test_what_the_page_promises(script: Any) -> None:
    """0.94 for t with abilities Beta(0.5, 0.5), n >= 2, M >= 40; 0.86 to 0.93 on hard suites, warned of."""
    rows = [(setting, float(t), float(warned)) for setting, (_, _, _, t, _, _, warned) in _rows(ROW, script)]
    spread = [t for setting, t, _ in rows if (setting.a, setting.b) == (0.5, 0.5)]
    assert len(spread) >= 6
    assert min(spread) >= 0.94
    hard = [row for row in rows if (row[0].a, row[0].b, row[0].problems) == (0.1, 1.9, 40) and row[0].n >= 2]
    assert len(hard) >= 3
    assert all(0.86 <= t <= 0.93 for _, t, _ in hard)
    assert all(warned >= 0.95 for _, _, warned in hard)


def test_the_simulation_is_seeded(script: Any) -> None:
    """The same seed gives the same shares; a few trials of two settings."""
    setting = script.Setting(0.5, 0.5, 40, 10, 1)
    first, same = (script.coverage(setting, 40, 5) for _ in range(2))
    assert first == same
    assert first.t > 0.8
    assert first.fixed > 0.8
    assert script.coverage(script.Setting(0.1, 1.9, 40, 10, 1), 20, 5).warned > 0.8
    fixed, resampled, bias = script.coverage_of_resampled_samples(script.Setting(0.5, 0.5, 40, 8, 4), 40, 5)
    assert resampled < fixed
    assert -0.05 < bias < -0.01


@pytest.mark.slow
def test_coverage_of_every_line(script: Any) -> None:
    """2,000 trials with another seed: within four standard errors of both; the same for the bootstrap's 400."""
    for setting, (_, _, *cells) in _rows(ROW, script):
        found = script.coverage(setting, TRIALS, SEED)
        for name, cell, slack in zip(
            ("fixed", "t", "percentile", "bca", "warned"), cells, (0.03, 0.03, 0.065, 0.065, 0.04), strict=True
        ):
            if cell != "-":
                assert float(cell) == pytest.approx(getattr(found, name), abs=slack), (setting, name)


@pytest.mark.slow
def test_resampled_samples_lose_coverage(script: Any) -> None:
    """The second table, 800 trials with another seed."""
    for setting, cells in _rows(RESAMPLED, script):
        found = script.coverage_of_resampled_samples(setting, 800, SEED)
        assert float(cells[0]) == pytest.approx(found[0], abs=0.045)
        assert float(cells[1]) == pytest.approx(found[1], abs=0.08)
        assert float(cells[2]) == pytest.approx(100 * found[2], abs=0.2)
