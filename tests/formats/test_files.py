"""Which format a file has."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import missing_ids, read_problems, read_rows, read_samples, write_problems
from codejury.model import CheckFunction, InputError, Problem, Sample

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA}")
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

HUMANEVAL = {
    "task_id": "T/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "test": "def check(candidate):\n    assert candidate(1) == 1\n",
}
H = json.dumps(HUMANEVAL).encode() + b"\n"
C = b'{"task_id": "T/0", "completion": "    return x\\n"}\n'
A = b'{"problem_id": "T/0", "text": "    return x\\n"}\n'


def test_the_first_row_tells_the_format(tmp_path: Path) -> None:
    """The same two problems and answers in both formats, as lines and as a list."""
    expected = Problem(
        id="T/0",
        prompt="def f(x):\n",
        entry_point="f",
        tests=CheckFunction(code=HUMANEVAL["test"], context="def f(x):\n"),
        reference="def f(x):\n    return x\n",
    )
    write_problems(tmp_path / "own.jsonl.gz", [expected])
    (tmp_path / "theirs.jsonl").write_bytes(H)
    (tmp_path / "list.json").write_bytes(b"[" + H + b"]")
    for name in ("own.jsonl.gz", "theirs.jsonl", "list.json"):
        assert [expected] == list(read_problems(tmp_path / name))
    (tmp_path / "own.jsonl").write_bytes(A)
    (tmp_path / "theirs.jsonl").write_bytes(C)
    for name in ("own.jsonl", "theirs.jsonl"):
        assert [Sample(problem_id="T/0", index=0, text="    return x\n")] == list(read_samples(tmp_path / name))


@CALM
@given(expected=st.lists(st.text(max_size=2), unique=True), answered=st.sets(st.text(max_size=2)))
def test_missing_ids(expected: list[str], answered: set[str]) -> None:
    """Those that nobody answered, in the order of the set."""
    missing = missing_ids(expected, answered)
    assert set(expected) - answered == set(missing)
    assert sorted(missing, key=expected.index) == missing


@pytest.mark.shared
@needs_data
def test_published_samples() -> None:
    """CodeGen-16B's published answers: 100 each to 164 problems, 127 of them blank, none empty."""
    known = {problem.id for problem in read_problems(DATA / "problems" / "HumanEval_no_examples.jsonl.gz")}
    counts = dict.fromkeys(known, 0)
    blank = 0
    for sample in read_samples(DATA / "samples" / "codegen16b_humaneval_n100.jsonl.gz", known=known):
        assert counts[sample.problem_id] == sample.index
        counts[sample.problem_id] += 1
        blank += not sample.text.strip()
    assert (164, 127) == (len(counts), blank)
    assert {100} == set(counts.values())


@pytest.mark.shared
@needs_data
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("HumanEval_no_examples.jsonl.gz", 164),
        ("HumanEvalPlus-OriginFmt.jsonl.gz", 164),
        ("HumanEvalPlus.jsonl.gz", 164),
        ("MbppPlus.jsonl.gz", 378),
        ("MbppPlus-OriginFmt.jsonl.gz", 378),
        ("mbpp.jsonl.gz", 974),
        ("mbpp_sanitized_codet.jsonl.gz", 427),
        ("infilling/HumanEval-SingleLineInfilling.jsonl.gz", 1033),
        ("infilling/HumanEval-RandomSpanInfillingLight.jsonl.gz", 164),
        *(
            (f"humaneval-x/humaneval_{name}.jsonl.gz", 164)
            for name in ("cpp", "go", "java", "js", "python", "rust")
        ),
        *(
            (f"multipl-e/humaneval-{name}.jsonl.gz", count)
            for name, count in (
                *(("cpp", 161), ("cs", 158), ("go", 154), ("java", 158), ("js", 161), ("lua", 161)),
                *(("php", 161), ("pl", 161), ("rb", 161), ("rs", 156), ("sh", 158), ("ts", 159)),
            )
        ),
    ],
)
def test_published_problems(tmp_path: Path, name: str, count: int) -> None:
    """Every published set is read whole, and written in codejury's format it is the same."""
    problems = list(read_problems(DATA / "problems" / name))
    assert count == len(problems)
    assert count == write_problems(tmp_path / "p.jsonl", problems)
    assert problems == list(read_problems(tmp_path / "p.jsonl"))


@pytest.mark.shared
@needs_data
def test_the_holes_of_infilling_are_filled_by_their_solutions() -> None:
    """Prompt, solution and suffix make the reference, to the byte."""
    path = DATA / "problems" / "infilling" / "HumanEval-SingleLineInfilling.jsonl.gz"
    solutions = {row.fields["task_id"]: row.fields["canonical_solution"] for row in read_rows(path)}
    assert solutions == {problem.id: problem.missing for problem in read_problems(path)}


@pytest.mark.parametrize(
    ("read", "rows"),
    [
        (read_problems, ({"id": "a", "prompt": ""}, {"id": "b", "prompt": ""})),
        (read_problems, ({"no": "format"},)),
        (read_samples, ({"task_id": "a", "completion": "x"}, {"task_id": "a"})),
        (read_samples, ({"problem_id": "a", "text": "x"}, {"problem_id": "a", "text": "x", "more": 1})),
        (read_samples, ({"no": "format"},)),
    ],
)
def test_a_file_that_is_refused_is_closed(tmp_path: Path, read: Any, rows: tuple[dict[str, Any], ...]) -> None:
    """At once, not when the error is forgotten; and where reading ends early, too."""
    path = tmp_path / "f.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) * 2)
    with pytest.raises(InputError) as caught:
        list(read(path))
    assert not _is_open(path)
    assert caught.value.path == str(path)
    path.write_text('{"task_id": "a", "completion": "x"}\n' * 3)
    samples = read_samples(path)
    next(samples)
    assert _is_open(path)
    assert isinstance(samples, Generator)
    samples.close()
    assert not _is_open(path)


def _is_open(path: Path) -> bool:
    links = (str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink())
    return str(path) in links
