"""What refused figures say: what, why, what to do, in one line."""

from __future__ import annotations

import pytest

from codejury.pipeline import refusals


@pytest.mark.parametrize(
    ("meta", "said", "discount"),
    [
        ({"temperature": "0"}, "pass@5 at temperature 0: samples of a problem are copies", "temperature 0: "),
        ({"temperature": "0.0", "attempts": "pooled"}, "pass@5 at temperature 0: ", "temperature 0: "),
        (
            {"attempts": "dependent"},
            "pass@5 of dependent attempts: one that has seen what became of those before",
            "dependent attempts, as declared: ",
        ),
        (
            {"attempts": "pooled", "temperature": "0.8"},
            "pass@5 of pooled attempts: samples of several models or settings",
            "pooled attempts, as declared: ",
        ),
    ],
)
def test_no_draws(meta: dict[str, str], said: str, discount: str) -> None:
    """Each reason by itself; what to do; the command that shows it; what is said of k = 1."""
    assert refusals.one_draw(meta)
    found = refusals.not_drawn("pass@5", meta)
    assert found.startswith(said)
    assert "take k = 1, or " in found
    assert found.endswith("; `codejury explain passk` shows it")
    assert "\n" not in found
    assert refusals.discounted(meta).startswith(discount)
    assert " (a, b): " in refusals.not_drawn("pass^2", meta, ["a", "b"])


@pytest.mark.parametrize("meta", [{}, {"temperature": "0.8"}, {"temperature": "?"}, {"attempts": "independent"}])
def test_draws(meta: dict[str, str]) -> None:
    """What nobody declared counts as independent."""
    assert not refusals.one_draw(meta)
    assert "" == refusals.discounted(meta)


def test_too_few() -> None:
    """The whole line."""
    assert (
        "pass@5 needs 5 samples of each problem in both runs, and 1 of 2 have fewer: x (3): take a smaller k, or "
        "draw more; fewer samples say nothing of 5 tries: `codejury explain passk` shows it"
    ) == refusals.too_few(
        "pass@5", 5, "1 of 2 have fewer: x (3)", ["take a smaller k", "draw more"], " in both runs"
    )
