"""Texts by hash, and the library that workers read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.formats.values import written
from codejury.model import InfrastructureError, Inputs, Library, Problem, text_hash
from codejury.store.texts import pack, printable, problem_text, unpack

if TYPE_CHECKING:
    from codejury.store import Store

Build = Any
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_every_text_comes_back(text: str) -> None:
    """Lone surrogates and NUL included."""
    assert text == unpack(pack(text))


@given(ANY_TEXT)
def test_printable_is_storable(text: str) -> None:
    """It encodes, has no NUL, and is the same where nothing was wrong."""
    shown = printable(text)
    assert b"\0" not in shown.encode()
    if "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text):
        assert text == shown


@given(st.lists(st.floats() | st.integers() | st.complex_numbers(), min_size=1, max_size=4))
def test_calls_come_back(values: list[complex]) -> None:
    """Infinities, NaN and large integers included, as `formats` writes them."""
    tests = Inputs(base=(tuple(map(written, values)),), expected=(written(values),))
    problem = Problem(id="P/0", prompt="", entry_point="f", tests=tests)
    back = msgspec.json.decode(unpack(pack(problem_text(problem))), type=Problem)
    assert problem == back
    assert problem.hash == back.hash


def test_problem_hash_is_the_hash_of_its_text(build: Build) -> None:
    """Problems are stored as texts under their own hash."""
    problem = build.problem_set().problems[0]
    assert problem.hash == text_hash(problem_text(problem))


def test_library_gives_problems_and_programs(store: Store, build: Build) -> None:
    """By hash, exactly as they came."""
    problem_set = build.problem_set()
    source = "s = '\ud800'\r\n\0\U0001f600"
    run = store.create_run(build.manifest(), problem_set, [build.pair("P/0", 0, source)])
    library: Library = store.library(run)
    assert problem_set.problems[1] == library.problem(problem_set.problems[1].hash)
    assert source == library.program(text_hash(source))
    assert source == library.program(text_hash(source))


def test_library_says_what_it_has_not(store: Store, run: int, build: Build) -> None:
    """A problem of no run, and of another run; a program that was never stored."""
    other = build.problem_set(9).problems[8]
    library = store.library(run)
    with pytest.raises(InfrastructureError, match="has no problem"):
        library.problem(other.hash)
    store.create_run(build.manifest("second"), build.problem_set(9), [])
    with pytest.raises(InfrastructureError, match="has no problem"):
        library.problem(other.hash)
    with pytest.raises(InfrastructureError, match="has no program"):
        library.program(text_hash("never stored"))


def test_programs_are_fetched_together(store: Store, build: Build) -> None:
    """Programs are the same, fetched before or not; problems at hand are not fetched at all."""
    sources = [f"x = {i}\n" for i in range(5)]
    pairs = [build.pair("P/0", i, source) for i, source in enumerate(sources)]
    run = store.create_run(build.manifest(), build.problem_set(), pairs)
    other = build.problem_set(9).problems[8]
    library = store.library(run, {other.hash: other})
    for some in (sources[:2], sources[2:4], []):
        library.fetch([text_hash(source) for source in some])
        assert sources == [library.program(text_hash(source)) for source in sources]
    assert other == library.problem(other.hash)


def test_pending_is_counted(store: Store, build: Build) -> None:
    """As many as `pending` gives: each program once a problem."""
    pairs = [build.pair(f"P/{i % 2}", i // 2, f"x = {i % 3}\n") for i in range(12)]
    run = store.create_run(build.manifest(), build.problem_set(2), pairs)
    assert 6 == store.count_pending(run) == len(list(store.pending(run)))
