"""The commands that compare, from outside: exit codes, what is printed, what is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

META = {"model": "m", "temperature": "0.8", "top_p": "0.95", "max_tokens": "512", "prompt_hash": "abc"}
A = [4, 4, 0, 3, 1, 4, 2, 0, 4, 3, 4, 4]
B = [3, 4, 1, 1, 1, 2, 2, 0, 1, 3, 4, 4]


@pytest.fixture
def runs(folder: Path, make_run: Callable[..., int]) -> Callable[..., None]:
    """Makes a run in the store of the folder."""

    def make(name: str, right: list[int], n: int = 4, **fields: Any) -> None:
        with Store.open(folder / "runs.db") as store:
            make_run(store, name, right, n, **{"meta": META, **fields})

    return make


def test_compare_prints_and_writes(folder: Path, codejury: Callable[..., Any], runs: Callable[..., None]) -> None:
    """The view on standard output, or the document."""
    runs("a", A)
    runs("b", B)
    shown = codejury("compare", "a", "b", "--store", "runs.db")
    assert (0, "") == (shown.code, shown.err)
    assert "b against a" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    written = codejury("compare", "a", "b", "--store", "runs.db", "--json", "-")
    assert "compare/1" == json.loads(written.out)["schema"]
    codejury("compare", "a", "b", "--store", "runs.db", "--json", folder / "c.json", "--quiet")
    assert json.loads(written.out) == json.loads((folder / "c.json").read_text("utf-8"))


def test_runs_that_differ_in_temperature_end_with_4(
    codejury: Callable[..., Any], runs: Callable[..., None]
) -> None:
    """The error names it; the waiver is in both outputs."""
    runs("a", A)
    runs("b", B, meta=META | {"temperature": "0.2"})
    refused = codejury("compare", "a", "b", "--store", "runs.db")
    assert (4, "") == (refused.code, refused.out)
    assert "temperature 0.8 (a), 0.2 (b)" in refused.err
    assert 1 == len(refused.err.splitlines())
    waived = codejury("compare", "a", "b", "--store", "runs.db", "--waive", "temperature")
    assert 0 == waived.code
    assert "waived: temperature differs: 0.8 (a), 0.2 (b)" in waived.out
    document = json.loads(
        codejury("compare", "a", "b", "--store", "runs.db", "--waive", "temperature", "--json", "-").out
    )
    assert [{"condition": "temperature", "values": {"a": "0.8", "b": "0.2"}}] == document["waived"]


def test_sweep(codejury: Callable[..., Any], runs: Callable[..., None]) -> None:
    """The best setting for each k, chosen on the same data."""
    runs("a", A)
    runs("b", B, meta=META | {"temperature": "0.2"})
    shown = codejury("compare", "a", "b", "--sweep", "temperature", "--k", "1,4", "--store", "runs.db")
    assert 0 == shown.code
    assert "best for pass@1: temperature 0.8" in shown.out
    assert "Chosen on the same data" in shown.out
