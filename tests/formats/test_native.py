"""codejury's own format."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import read_problems, read_samples, write_problems, write_samples
from codejury.formats.values import written
from codejury.model import (
    Assertions,
    CheckFunction,
    ContextFile,
    Inputs,
    LimitOverrides,
    Problem,
    ProblemSet,
    Pytest,
    Sample,
    Script,
    Unittest,
    Unjudged,
)

if TYPE_CHECKING:
    import pytest

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
IDS = st.from_regex(r"[A-Za-z]{1,5}/[0-9]{1,3}", fullmatch=True)
WORDS = st.text(string.ascii_letters, min_size=1, max_size=8)
CODE = st.text().map("assert True  # {}".format)
AMOUNTS = st.none() | st.integers(1, 1 << 53)
SECONDS = st.none() | st.floats(0.001, 1e6)
LIMITS = st.builds(
    LimitOverrides,
    cpu_s=SECONDS,
    cpu_total_s=SECONDS,
    memory_bytes=AMOUNTS,
    value_bytes=AMOUNTS,
    file_bytes=AMOUNTS,
    processes=AMOUNTS,
)
NUMBERS = st.floats() | st.integers() | st.complex_numbers() | st.none() | st.text("ab")
VALUES = st.recursive(
    NUMBERS, lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple), max_leaves=6
)
CALLS = st.lists(VALUES.map(written), max_size=2).map(tuple)
INPUTS = st.lists(CALLS, min_size=1, max_size=3).flatmap(
    lambda calls: st.builds(
        Inputs,
        base=st.just(tuple(calls)),
        expected=st.tuples(*[VALUES.map(written)] * len(calls)),
    )
)
PROBLEMS = st.builds(
    Problem,
    id=IDS,
    prompt=st.text(),
    entry_point=WORDS.map("f_{}".format),
    tests=st.builds(CheckFunction, code=CODE, function=WORDS.map("c_{}".format), context=st.text())
    | st.builds(Assertions, code=st.lists(CODE, min_size=1, max_size=3).map(tuple), context=st.text())
    | INPUTS
    | st.builds(Unittest, code=CODE, context=st.text(), module=WORDS.map("m_{}".format))
    | st.builds(Pytest, code=CODE, context=st.text(), module=WORDS.map("m_{}".format))
    | st.builds(Script, code=CODE, before=st.text()),
    suffix=st.text(),
    language=st.sampled_from(["python", "c++", "c#", "objective-c"]),
    reference=st.none() | st.text(),
    difficulty=st.none() | WORDS,
    tags=st.lists(WORDS, max_size=2).map(tuple),
    cluster=st.none() | WORDS,
    created=st.none() | st.dates().map(str),
    licence=st.none() | WORDS,
    limits=st.none() | LIMITS,
    inputs=st.none() | st.text(),
    instruction=st.text(),
    preamble=st.text(),
    stop=st.lists(st.text(), max_size=2).map(tuple),
    context=st.lists(st.builds(ContextFile, path=st.text(), text=st.text()), max_size=2).map(tuple),
)
SAMPLES = st.builds(
    Sample,
    problem_id=IDS,
    index=st.integers(0, 1 << 53),
    text=st.text(min_size=1) | st.just("\ud800"),
    kind=st.sampled_from(["completion", "solution"]),
    finish_reason=st.none() | st.text(),
    prompt_tokens=st.none() | st.integers(0, 1 << 53),
    completion_tokens=st.none() | st.integers(0, 1 << 53),
    cost_usd=st.none() | st.floats(0, 1e6),
    latency_s=st.none() | st.floats(0, 1e4),
)


@CALM
@given(given_problems=st.lists(PROBLEMS, min_size=1, max_size=4, unique_by=lambda problem: problem.id))
def test_problems_survive(tmp_path_factory: pytest.TempPathFactory, given_problems: list[Problem]) -> None:
    """Every field of a problem is read back the same, and so is the hash of the set."""
    path = tmp_path_factory.mktemp("set") / "p.jsonl"
    assert len(given_problems) == write_problems(path, given_problems)
    read = tuple(read_problems(path))
    assert given_problems == list(read)
    hashes = {ProblemSet(name="x", version="1-0", problems=tuple(each)).hash for each in (given_problems, read)}
    assert 1 == len(hashes)


def test_problems_without_tests_survive(tmp_path: Path) -> None:
    """They need a reference, and no entry point; nor do tests that are joined to the program."""
    kept = [
        Problem(
            id="T/0", prompt="a", suffix="c", entry_point="", tests=Unjudged(), reference="abc", language="go"
        ),
        Problem(id="T/1", prompt="a", entry_point="", tests=Script(code="main()"), language="php"),
    ]
    write_problems(tmp_path / "p.jsonl", kept)
    assert kept == list(read_problems(tmp_path / "p.jsonl"))


@CALM
@given(given_samples=st.lists(SAMPLES, min_size=1, unique_by=lambda sample: sample.id))
def test_samples_survive(tmp_path_factory: pytest.TempPathFactory, given_samples: list[Sample]) -> None:
    """Every field of a sample is read back the same, in any order of indexes."""
    path = tmp_path_factory.mktemp("answers") / "s.jsonl.gz"
    assert len(given_samples) == write_samples(path, given_samples)
    assert given_samples == list(read_samples(path))


def test_a_file_without_indexes_is_counted(tmp_path: Path) -> None:
    """In the order of the file, for each problem."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f'{{"problem_id": "T/{n}", "text": "x"}}\n' for n in (0, 1, 0, 0)))
    assert ["T/0#0", "T/1#0", "T/0#1", "T/0#2"] == [sample.id for sample in read_samples(path)]


def test_numbers_that_json_loses_are_kept(tmp_path: Path) -> None:
    """Python's `json` writes them into files; once read they have tags, and so survive the store."""
    path = tmp_path / "p.jsonl"
    tests = {"type": "inputs", "base": [[float("inf")], [1 << 70]], "expected": [float("nan"), [float("-inf")]]}
    path.write_text(json.dumps({"id": "T/0", "prompt": "x", "entry_point": "f", "tests": tests}))
    [problem] = read_problems(path)
    tagged = Inputs(base=(({"inf": 1},), ({"i": hex(1 << 70)},)), expected=({"nan": 0}, [{"inf": -1}]))
    assert tagged == problem.tests
    write_problems(path, [problem])
    assert [problem] == list(read_problems(path))


def test_white_space_is_an_answer(tmp_path: Path) -> None:
    """Only no characters at all need the caller's word."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps({"problem_id": "T/0", "text": text}) + "\n" for text in ("\n", "")))
    assert ["\n", ""] == [sample.text for sample in read_samples(path, allow_empty=True)]


def test_the_documented_examples_are_read(tmp_path: Path) -> None:
    """Each block of JSON in the users' pages is a row that a reader takes."""
    pages = [(Path(__file__).parents[2] / "docs" / name).read_text() for name in ("formats.md", "samples.md")]
    blocks = [block.split("\n```", 1)[0] for page in pages for block in page.split("```json\n")[1:]]
    assert 7 <= len(blocks)
    for number, block in enumerate(blocks):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(block)
        reader = read_problems if '"prompt"' in block or '"test_list"' in block else read_samples
        assert len(block.splitlines()) == len(list(reader(path)))
