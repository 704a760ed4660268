"""Sums of what samples carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codejury.store import MEASURES, Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_sums_by_problem(tmp_path: Path, make_run: Callable[..., int]) -> None:
    """Counts, sums and squares over the samples that carry it."""

    def sampled(problem: int, index: int) -> dict[str, Any]:
        return {} if index == 2 else {"completion_tokens": 10 * problem + index}

    with Store.open(tmp_path / "runs.db") as store:
        run = make_run(store, "a", [1, 0], 3, sampled=sampled)
        tokens, cost = store.measured(run, "tokens"), store.measured(run, "cost")
        empty = store.measured(run + 1, "cost")
    assert ("made/0", "made/1") == tokens.problem_ids
    assert [3, 3] == tokens.samples.tolist()
    assert [2, 2] == tokens.carried.tolist()
    assert [1.0, 21.0] == tokens.total.tolist()
    assert [1.0, 221.0] == tokens.squares.tolist()
    assert [0, 0] == cost.carried.tolist()
    assert () == empty.problem_ids
    assert {"tokens", "prompt_tokens", "cost", "latency"} == set(MEASURES)
