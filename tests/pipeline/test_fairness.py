"""What is refused before a comparison, what is waived, and what nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import Interpreter, Limits, NotComparableError, UsageError
from codejury.pipeline import CompareSettings, compare, summarise
from codejury.pipeline.conditions import CONDITIONS, same
from codejury.report import write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codejury.report import CompareDocument
    from codejury.store import Store

META = {"model": "m", "temperature": "0.8", "top_p": "0.95", "max_tokens": "512", "prompt_hash": "abc"}
RIGHT = [4, 2, 0, 3, 1, 4]


def _compare(store: Store, *names: str, **settings: Any) -> CompareDocument:
    return compare(store, CompareSettings(names=names or ("a", "b"), **settings))


@pytest.mark.parametrize(
    ("condition", "fields"),
    [
        ("temperature", {"meta": META | {"temperature": "0.2"}}),
        ("top_p", {"meta": META | {"top_p": "1"}}),
        ("max_tokens", {"meta": META | {"max_tokens": "1024"}}),
        ("prompt_hash", {"meta": META | {"prompt_hash": "def"}}),
        ("limits", {"limits": Limits(cpu_s=3.0)}),
        ("confirm", {"confirm": "all"}),
        ("judge", {"judge_version": "8"}),
        ("extraction", {"rules": {"solution": 24}}),
        ("interpreter", {"python": Interpreter(implementation="CPython", version="3.12.1")}),
        ("packages", {"packages": ("numpy==2.0",)}),
        ("n", {"n": 5}),
    ],
)
def test_each_condition_is_refused_by_name_and_can_be_waived(
    store: Store, make_run: Callable[..., int], condition: str, fields: dict[str, Any]
) -> None:
    """The error has exit code 4, names what differs with both values, and nothing else; the waiver is kept."""
    make_run(store, "a", RIGHT, meta=META)
    make_run(store, "b", RIGHT, **{"meta": META, **fields})
    with pytest.raises(NotComparableError, match=f"cannot be compared: {condition} ") as refused:
        _compare(store)
    assert refused.value.exit_code == 4
    assert str(refused.value).count("--waive") == 1
    document = _compare(store, waive=(condition,))
    assert [condition] == [waived.condition for waived in document.waived]
    assert {"a", "b"} == document.waived[0].values.keys()
    assert f"waived: {condition} differs" in document.warnings[0]
    assert [] == document.unverified


def test_all_differences_are_listed(store: Store, make_run: Callable[..., int]) -> None:
    """With their values, and how to waive them."""
    make_run(store, "a", RIGHT, meta=META)
    make_run(store, "b", RIGHT, meta=META | {"temperature": "0.2"}, limits=Limits(cpu_s=3.0))
    with pytest.raises(
        NotComparableError, match=r"temperature 0\.8 \(a\), 0\.2 \(b\).*cpu_s 5 \(a\), cpu_s 3"
    ) as e:
        _compare(store)
    assert "--waive temperature --waive limits" in str(e.value)
    with pytest.raises(NotComparableError, match=r"--waive limits$"):
        _compare(store, waive=("temperature",))


def test_unknown_on_both_sides_is_unverified(store: Store, make_run: Callable[..., int]) -> None:
    """And said."""
    for name in ("a", "b"):
        make_run(store, name, RIGHT, meta={"temperature": "0.8"})
    document = _compare(store)
    assert ["top_p", "max_tokens", "prompt_hash"] == document.unverified
    assert any(w.startswith("unverified, as no run says: top_p, max_tokens") for w in document.warnings)


def test_unknown_on_one_side_is_not_comparable(store: Store, make_run: Callable[..., int]) -> None:
    """What one run says, and the other does not, may be anything."""
    make_run(store, "a", RIGHT, meta=META)
    make_run(store, "b", RIGHT, meta={k: v for k, v in META.items() if k != "top_p"})
    with pytest.raises(NotComparableError, match=r"top_p 0\.95 \(a\), unknown \(b\)"):
        _compare(store)


def test_numbers_are_equal_however_they_are_written() -> None:
    """0.8 is 0.80; words are words."""
    assert same("0.8", "0.80")
    assert same("512", "512.0")
    assert not same("0.8", None)
    assert not same("a", "b")
    assert same(None, None)


def test_tiers_may_differ_when_all_verdicts_are_strong(store: Store, make_run: Callable[..., int]) -> None:
    """With a weak one they may not."""
    make_run(store, "a", RIGHT)
    make_run(store, "b", RIGHT, tier="landlock")
    make_run(store, "c", RIGHT, tier="landlock", weak=[1])
    assert [] == _compare(store).waived
    with pytest.raises(NotComparableError, match=r"compared: tier namespaces \(a\), landlock \(c\)"):
        _compare(store, "a", "c")
    document = _compare(store, "a", "c", waive=("tier",))
    assert [("c", "weak verdicts", ["made/1"])] == [(d.run, d.reason, d.ids) for d in document.dropped]
    assert 6 == _compare(store, "a", "c", waive=("tier",), include_weak=True).problems


def test_other_tests_are_refused_where_common_problems_differ(
    store: Store, make_run: Callable[..., int], make_problems: Callable[..., Any]
) -> None:
    """A larger set with the same problems may be compared over these; other tests of one may not."""
    six, eight = make_problems(6), make_problems(8)
    other = msgspec.structs.replace(
        six, problems=(*six.problems[:5], msgspec.structs.replace(six.problems[5], prompt="other"))
    )
    make_run(store, "a", RIGHT, problem_set=six)
    make_run(store, "b", [*RIGHT, 1, 1], problem_set=eight)
    make_run(store, "c", RIGHT, problem_set=other)
    document = _compare(store)
    assert 6 == document.problems
    assert [("a", "not in the run", ["made/6", "made/7"])] == [(d.run, d.reason, d.ids) for d in document.dropped]
    with pytest.raises(NotComparableError, match="compared: tests"):
        _compare(store, "a", "c")


def test_another_major_version_is_refused(
    store: Store, make_run: Callable[..., int], make_problems: Callable[..., Any]
) -> None:
    """N of N-X is part of the set's name for comparisons."""
    make_run(store, "a", RIGHT)
    make_run(store, "b", RIGHT, problem_set=msgspec.structs.replace(make_problems(6), version="2-0"))
    with pytest.raises(NotComparableError, match=r"compared: set made 1 \(a\), made 2 \(b\)"):
        _compare(store)


def test_document_of_a_run_has_its_conditions(store: Store, make_run: Callable[..., int], tmp_path: Path) -> None:
    """A run can be compared with its own exported document without a waiver; without conditions it cannot."""
    make_run(store, "a", RIGHT, meta=META)
    make_run(store, "b", RIGHT[::-1], meta=META)
    exported = summarise(store, "a")
    assert set(CONDITIONS) == set(exported.conditions)
    write_json(exported, tmp_path / "a.json")
    from_file, from_store = _compare(store, str(tmp_path / "a.json"), "b"), _compare(store)
    assert from_store.comparisons[0].pass_at_k == from_file.comparisons[0].pass_at_k
    assert from_store.comparisons[0].slices == from_file.comparisons[0].slices
    assert "a (a.json)" == from_file.baseline
    write_json(msgspec.structs.replace(exported, conditions={}), tmp_path / "old.json")
    with pytest.raises(NotComparableError, match="limits unknown"):
        _compare(store, str(tmp_path / "old.json"), "b")


def test_waivers_have_names(store: Store, make_run: Callable[..., int]) -> None:
    """A wrong one is an error that lists them."""
    make_run(store, "a", RIGHT)
    make_run(store, "b", RIGHT)
    with pytest.raises(UsageError, match="--waive temprature: no such condition; take of set, tests, n, temp"):
        _compare(store, waive=("temprature",))
    assert [] == _compare(store, waive=("temperature",)).waived
