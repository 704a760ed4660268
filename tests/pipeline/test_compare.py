"""Runs compared over the store: differences, tests, slices, flips, sweeps, what is refused, what is read."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import event

from codejury.model import InputError, UsageError
from codejury.pipeline import CompareSettings, compare
from codejury.stats.compare import cochran_mantel_haenszel, mcnemar
from codejury.stats.multiple import benjamini_hochberg, holm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codejury.report import CompareDocument
    from codejury.store import Store

A = [4, 4, 0, 3, 1, 4, 2, 0, 4, 3, 4, 4]
B = [3, 4, 1, 1, 1, 2, 2, 0, 1, 3, 4, 4]


def _compare(store: Store, *names: str, **settings: Any) -> CompareDocument:
    return compare(store, CompareSettings(names=names or ("a", "b"), **settings))


def test_differences_and_tests(store: Store, make_run: Callable[..., int]) -> None:
    """The mean difference with its test, over the problems of both."""
    make_run(store, "a", A)
    make_run(store, "b", B)
    document = _compare(store, ks=(1, 2))
    (found,) = document.comparisons
    one = found.pass_at_k["1"]
    assert (sum(B) - sum(A)) / 48 == pytest.approx(one.value)
    assert cochran_mantel_haenszel(4, A, 4, B).p == pytest.approx(one.p)
    assert one.p == one.p_holm
    assert one.fixed_suite.low < one.value < one.fixed_suite.high
    assert found.mcnemar is None
    assert {"1", "2"} == found.pass_hat_k.keys()
    assert one.value == pytest.approx(found.pass_hat_k["1"].value)
    assert ["spread", "lost"] == [row.model for row in found.detectable]
    assert all(0.7 < row.power < 0.9 for row in found.detectable)


def test_flips_have_their_counts(store: Store, make_run: Callable[..., int]) -> None:
    """Both ways, by half of the samples."""
    make_run(store, "a", A)
    make_run(store, "b", [0, *B[1:2], 2, *B[3:]])
    (found,) = _compare(store).comparisons
    lost = [(flip.id, flip.c_a, flip.c_b, flip.n_a) for flip in found.lost]
    assert [("made/0", 4, 0, 4), ("made/3", 3, 1, 4), ("made/8", 4, 1, 4)] == lost
    assert ["made/2"] == [flip.id for flip in found.gained]


def test_one_sample_a_problem_is_mcnemar(store: Store, make_run: Callable[..., int]) -> None:
    """Golden counts: seven lost, one gained."""
    make_run(store, "a", [1] * 7 + [0] + [1] * 4, 1)
    make_run(store, "b", [0] * 7 + [1] + [1] * 4, 1)
    test = _compare(store).comparisons[0].mcnemar
    assert test is not None
    assert (7, 1) == (test.lost, test.gained)
    assert pytest.approx(9 / 128) == test.p_exact
    assert mcnemar(7, 1, mid_p=True) == pytest.approx(test.p_mid)


def test_several_runs_share_a_level(store: Store, make_run: Callable[..., int]) -> None:
    """Each against the first, p by Holm."""
    for name, right in (("a", A), ("b", B), ("c", A[::-1])):
        make_run(store, name, right)
    document = _compare(store, "a", "b", "c")
    found = [one.pass_at_k["1"] for one in document.comparisons]
    assert ["b", "c"] == [one.run for one in document.comparisons]
    assert holm([one.p for one in found]).tolist() == pytest.approx([one.p_holm for one in found])


def test_slices_are_adjusted(store: Store, make_run: Callable[..., int]) -> None:
    """By difficulty and tag, each of five problems at least, q by Benjamini and Hochberg."""
    make_run(store, "a", A + A)
    make_run(store, "b", B + B)
    slices = _compare(store).comparisons[0].slices
    assert [("difficulty", "easy", 12), ("difficulty", "hard", 12), ("tag", "third", 8)] == [
        (one.kind, one.name, one.problems) for one in slices
    ]
    assert benjamini_hochberg([one.p for one in slices]).tolist() == pytest.approx([one.q for one in slices])
    assert float(np.mean(np.array(B + B)[::2] - np.array(A + A)[::2]) / 4) == pytest.approx(slices[0].value)


def test_problems_that_drop_out_are_reported(
    store: Store, make_run: Callable[..., int], make_problems: Callable[..., Any]
) -> None:
    """Short ones are an error unless they are left out, and then from every k."""
    make_run(store, "a", [1, 2, 3, 4], [4, 4, 2, 4], problem_set=make_problems(4))
    make_run(store, "b", [1, 2, 2, 4], [4, 4, 2, 4], problem_set=make_problems(4))
    with pytest.raises(UsageError, match=r"pass@3 needs 3 samples .* 1 of 4 problems have fewer: made/2"):
        _compare(store, ks=(1, 3))
    document = _compare(store, ks=(1, 3), drop_short=True)
    assert 3 == document.problems
    assert ["made/2"] == document.dropped[0].ids
    assert any("left out of every figure: 1 problem, fewer than 3 samples" in w for w in document.warnings)


def test_sweep_chooses_the_best_setting_for_each_k(store: Store, make_run: Callable[..., int]) -> None:
    """At low temperature pass@1 is best, at a high one pass@4; ties and the same data are said."""
    rights = {"0.2": [4, 4, 4, 0, 0, 0] * 3, "0.6": [3, 3, 3, 1, 1, 0] * 3, "1.0": [2, 2, 1, 1, 1, 1] * 3}
    for value, right in rights.items():
        make_run(store, f"t{value}", right, meta={"model": "m", "temperature": value})
    document = _compare(store, "t1.0", "t0.2", "t0.6", ks=(1, 4), sweep="temperature")
    sweep = document.sweep
    assert sweep is not None
    assert ["0.2", "0.6", "1.0"] == [row.value for row in sweep.rows]
    assert {"1": "0.2", "4": "1.0"} == {k: best.value for k, best in sweep.best.items()}
    assert sweep.chosen_on_same_data
    assert [] == document.waived


def test_sweep_at_temperature_0_has_pass_at_1_alone(store: Store, make_run: Callable[..., int]) -> None:
    """Copies of one answer have no pass@4."""
    make_run(store, "cold", [4, 0] * 4, meta={"model": "m", "temperature": "0"})
    make_run(store, "warm", [3, 1] * 4, meta={"model": "m", "temperature": "0.8"})
    with pytest.raises(UsageError, match=r"pass@4 at temperature 0 \(cold\)"):
        _compare(store, "cold", "warm", ks=(1, 4), waive=("temperature",))
    sweep = _compare(store, "cold", "warm", ks=(1, 4), sweep="temperature").sweep
    assert sweep is not None
    assert [{"1"}, {"1", "4"}] == [set(row.pass_at_k) for row in sweep.rows]
    assert "warm" == sweep.best["4"].run


def test_what_is_no_sweep_is_refused(store: Store, make_run: Callable[..., int]) -> None:
    """Of two models, of the same temperature twice, or of none."""
    make_run(store, "a", A, meta={"model": "m", "temperature": "0.2"})
    make_run(store, "b", A, meta={"model": "other", "temperature": "0.8"})
    make_run(store, "c", A, meta={"model": "m", "temperature": "0.20"})
    make_run(store, "d", A, meta={"model": "m"})
    for names, message in (
        (("a", "b"), "of one model"),
        (("a", "c"), "have the same"),
        (("a", "d"), "not declared as a number for d"),
    ):
        with pytest.raises(UsageError, match=message):
            _compare(store, *names, sweep="temperature")
    with pytest.raises(UsageError, match="take temperature"):
        _compare(store, "a", "b", sweep="top_p")


def test_wrong_calls(store: Store, make_run: Callable[..., int], tmp_path: Path) -> None:
    """Each in one line."""
    make_run(store, "a", A)
    make_run(store, "b", B)
    for names, settings, message in (
        (("a",), {}, "name two or more"),
        (("a", "a"), {}, "the same run twice"),
        (("a", "nothing"), {}, "no run 'nothing'"),
        (("a", "b"), {"level": 1.0}, "level 1.0"),
        (("a", "b"), {"ks": (0,)}, "of at least 1"),
        (("a", str(tmp_path / "no.json")), {}, "cannot be read"),
    ):
        with pytest.raises(UsageError, match=message):
            _compare(store, *names, **settings)
    (tmp_path / "wrong.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="no document of `judge`"):
        _compare(store, "a", str(tmp_path / "wrong.json"))


def test_nothing_in_common(store: Store, make_run: Callable[..., int]) -> None:
    """Every verdict weak: what there is, and why it is left out."""
    make_run(store, "a", A)
    make_run(store, "b", B, weak=range(12))
    with pytest.raises(UsageError, match=r"no problem in common to compare: b: weak verdicts \(12 problems\)"):
        _compare(store)


@pytest.mark.slow
def test_164_times_200_read_counts_only(store: Store, make_run: Callable[..., int]) -> None:
    """No statement reads samples, verdicts or outcomes of tests."""
    generator = np.random.default_rng(0)
    right = generator.integers(0, 201, 164)
    make_run(store, "a", right.tolist(), 200)
    make_run(store, "b", np.maximum(right - 5, 0).tolist(), 200)
    statements: list[str] = []

    @event.listens_for(store._database.engine, "before_cursor_execute")
    def _remember(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    document = _compare(store)
    assert {"1", "10", "100"} == document.comparisons[0].pass_at_k.keys()
    assert statements
    assert not [text for text in statements if re.search(r"(FROM|JOIN)\s+(samples|verdicts)\b", text)]
    assert [text for text in statements if re.search(r"(FROM|JOIN)\s+problem_counts\b", text)]
    assert all(math.isfinite(one.p) for one in document.comparisons[0].pass_at_k.values())
