"""Samples and problems from one format to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury import extract
from codejury.formats import read_meta, read_problems, read_samples, write_problems, write_samples
from codejury.formats.targets import FACTS, TARGETS
from codejury.model import Assertions, CheckFunction, Problem, Sample, UsageError
from codejury.pipeline import Converted, ConvertSettings, convert

CALM = settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])

PROBLEMS = tuple(
    Problem(
        id=name,
        prompt=f"def f{number}(x):\n",
        entry_point=f"f{number}",
        tests=Assertions(code=(f"assert f{number}(1) == 1",)),
        reference=f"def f{number}(x):\n    return x\n",
    )
    for number, name in enumerate(("T/10", "T/9", "U/x"))
)
KNOWN = {problem.id: problem for problem in PROBLEMS}
ENDINGS = {"folder": "", "multiple": "", "bigcode": ".json", "livecodebench": ".json.gz"}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
FIGURES = st.fixed_dictionaries(
    {},
    optional={
        "finish_reason": TEXT,
        "prompt_tokens": st.integers(0, 1 << 53),
        "completion_tokens": st.integers(0, 1 << 53),
        "cost_usd": st.floats(0, 1e6),
        "latency_s": st.floats(0, 1e4),
    },
)


def sample(problem_id: str = "T/10", index: int = 0, text: str = "    return x\n", **fields: Any) -> Sample:
    """A sample."""
    return Sample(problem_id=problem_id, index=index, text=text, **fields)


def given_files(folder: Path, samples: list[Sample]) -> tuple[Path, Path]:
    """A file of samples in codejury's own format, and the file of the problem set."""
    write_samples(folder / "in.jsonl", samples)
    write_problems(folder / "set.jsonl", PROBLEMS)
    return folder / "in.jsonl", folder / "set.jsonl"


def converted(folder: Path, samples: list[Sample], to: str, **fields: Any) -> tuple[Path, Converted, list[str]]:
    """What was written of samples, what `convert` gave, and what it said before."""
    source, problems = given_files(folder, samples)
    target = folder / f"out{ENDINGS.get(to, '.jsonl')}"
    said: list[str] = []
    wanted = {"problems": str(problems)} | fields
    done = convert(ConvertSettings(source=str(source), target=str(target), to=to, **wanted), said.append)
    return target, done, said


@pytest.mark.parametrize("to", TARGETS)
@CALM
@given(data=st.data())
def test_round_trips_keep_every_field(
    tmp_path_factory: pytest.TempPathFactory, to: str, data: st.DataObject
) -> None:
    """What a format holds without loss comes back the same from it: kind, text, index, and the facts."""
    target = TARGETS[to]
    samples = [
        sample(
            problem.id,
            index,
            data.draw(TEXT.filter(lambda text: to != "folder" or "\0" not in text)),
            kind=data.draw(st.sampled_from(target.kinds)),
            **(data.draw(FIGURES) if target.facts else {}),
        )
        for problem in PROBLEMS
        for index in range(data.draw(st.integers(1, 3)))
    ]
    if not target.counted:  # it has the index itself
        samples = [msgspec.structs.replace(one, index=one.index * 7 + 1) for one in samples]
    folder = tmp_path_factory.mktemp("trip")
    path, done, said = converted(folder, samples, to)
    assert ([], (), len(samples)) == (said, done.lost, done.count)
    back = read_samples(path, known=KNOWN, source="bigcode" if to == "bigcode" else None)
    assert {one.id: one for one in samples} == {one.id: one for one in back}


def test_completions_become_whole_programs(tmp_path: Path) -> None:
    """The same programs, to the byte; it is a note, not a loss. Back again they are completions."""
    samples = [sample(name, 0, f"    return x  # {name}\n") for name in KNOWN]
    path, done, said = converted(tmp_path, samples, "bigcode")
    assert [[f"{problem.prompt}    return x  # {problem.id}\n"] for problem in PROBLEMS] == json.loads(
        path.read_text()
    )
    assert ([], ("3 completions were written as solutions: the programs are the same",)) == (said, done.notes)
    again = tmp_path / "again.jsonl"
    convert(
        ConvertSettings(
            source=str(path),
            target=str(again),
            to="humaneval",
            origin="bigcode",
            problems=str(tmp_path / "set.jsonl"),
        )
    )
    assert samples == list(read_samples(again))


# What would be lost: samples, the format, and what is said of it.
LOSSES: dict[str, tuple[list[Sample], str, str]] = {
    "facts": (
        [sample(finish_reason="stop", completion_tokens=5, kind="solution"), sample(index=1, kind="solution")],
        "livecodebench",
        "finish_reason of 1 samples; completion_tokens of 1 samples",
    ),
    "an order": (
        [sample(index=1), sample(index=0)],
        "humaneval",
        "the index of 2 samples, which are not in the order",
    ),
    "a gap": (
        [sample(index=0, kind="solution"), sample(index=2, kind="solution")],
        "livecodebench",
        "the indices of the samples of 1 problems",
    ),
    "prose": (
        [sample(text="Here:\n\n```python\ndef f0(x):\n    return x\n```\nDone.", kind="chat")],
        "evalplus",
        "the prose around the code of 1 answers of chats",
    ),
    "white space": ([sample(text="  \n")], "folder", "the text of 1 answers without code, which become empty"),
}


@pytest.mark.parametrize("case", LOSSES)
def test_nothing_is_lost_unasked(tmp_path: Path, case: str) -> None:
    """What would be lost is said, and nothing is written; with `lossy` it is said and the rest is written."""
    samples, to, expected = LOSSES[case]
    with pytest.raises(UsageError) as caught:
        converted(tmp_path, samples, to)
    assert f"--to {to} cannot hold {expected}" in str(caught.value)
    assert str(caught.value).endswith("nothing is written; --lossy writes the rest")
    assert ["in.jsonl", "set.jsonl"] == sorted(path.name for path in tmp_path.iterdir())
    path, done, said = converted(tmp_path, samples, to, lossy=True)
    assert path.exists()
    assert len(samples) == done.count
    assert expected in "; ".join(done.lost)
    assert [f"lost: {line}" for line in done.lost] == said


def test_code_of_chats(tmp_path: Path) -> None:
    """It is what judging takes."""
    chat = sample(
        text="Here:\n\n```python\ndef f0(x):\n    return x\n```\nDone.", kind="chat", finish_reason="stop"
    )
    path, _, _ = converted(tmp_path, [chat], "evalplus", lossy=True)
    [found] = read_samples(path)
    assert "def f0(x):\n    return x" == found.text.strip()
    assert ("solution", "stop") == (found.kind, found.finish_reason)


@pytest.mark.parametrize(
    ("samples", "to", "fields", "message"),
    [
        ([sample()], "nothing", {}, "--to nothing: samples are written as codejury, humaneval"),
        (
            [sample()],
            "bigcode",
            {"problems": None},
            "--to bigcode is written with the problem set: name it with --pro",
        ),
        (
            [sample()],
            "folder",
            {"problems": None},
            "holds no completion, as sample 'T/10#0' is: name the problem set",
        ),
        ([sample()], "bigcode", {}, "2 problems of the set have no sample, the first 'T/9'"),
        ([sample()], "chat", {}, "holds answers of chats, and sample 'T/10#0' is a completion"),
        (
            [sample(text="x = 1", kind="solution")],
            "humaneval",
            {},
            "does not begin with its prompt: take a format of",
        ),
        ([sample("T/0")], "codejury", {}, "the problem set has no problem 'T/0'"),
        ([sample()], "codejury", {"origin": "csv"}, "no format of samples 'csv': known are codejury"),
        (
            [sample(text="\ud800", kind="solution")],
            "folder",
            {},
            "has a NUL or half of a surrogate pair, which a",
        ),
    ],
)
def test_what_cannot_be_converted(
    tmp_path: Path, samples: list[Sample], to: str, fields: dict[str, Any], message: str
) -> None:
    """Refused with what to do; nothing is written."""
    with pytest.raises(UsageError) as caught:
        converted(tmp_path, samples, to, **fields)
    assert message in str(caught.value)
    assert ["in.jsonl", "set.jsonl"] == sorted(path.name for path in tmp_path.iterdir())


def test_how_samples_were_drawn_goes_with_them(tmp_path: Path) -> None:
    """What rows and the file beside them say of model and settings is in the file beside the new ones."""
    row = {"task_id": "T/10", "completion": "    return x\n", "model": "m", "temperature": 0.8}
    (tmp_path / "in.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "in.jsonl.meta.json").write_text('{"top_p": 0.95}')
    write_problems(tmp_path / "set.jsonl", PROBLEMS)
    target = tmp_path / "out"
    common: dict[str, Any] = {"source": str(tmp_path / "in.jsonl"), "problems": str(tmp_path / "set.jsonl")}
    convert(ConvertSettings(target=str(target), to="multiple", **common))
    assert {"model": "m", "temperature": "0.8", "top_p": "0.95"} == read_meta(target)
    assert {"model": "m", "temperature": "0.8", "top_p": "0.95"} == read_meta(f"{target}/")
    [found] = read_samples(target, known=KNOWN)
    assert sample() == found
    with pytest.raises(UsageError, match="is there already, and not an empty folder"):
        convert(ConvertSettings(target=str(target), to="multiple", **common))


def test_former_settings_do_not_stay(tmp_path: Path) -> None:
    """A file beside samples that were there before says nothing of the new ones."""
    (tmp_path / "out.jsonl.meta.json").write_text('{"model": "old"}')
    converted(tmp_path, [sample()], "codejury")
    assert {} == read_meta(tmp_path / "out.jsonl")


def test_problems(tmp_path: Path) -> None:
    """From HumanEval's format to our own and back, with the same problems."""
    tests = CheckFunction(code="def check(candidate):\n    assert candidate(1) == 1\n", context="def f(x):\n")
    fields: dict[str, Any] = {"prompt": "def f(x):\n", "entry_point": "f", "tests": tests, "difficulty": "easy"}
    problem = Problem(id="T/0", reference="def f(x):\n    return x\n", **fields)
    write_problems(tmp_path / "theirs.jsonl", [problem], form="humaneval")
    for source, target, to in (("theirs", "own", "codejury"), ("own", "back", "humaneval")):
        paths: dict[str, Any] = {
            "source": str(tmp_path / f"{source}.jsonl"),
            "target": str(tmp_path / f"{target}.jsonl"),
        }
        assert Converted(noun="problems", count=1) == convert(ConvertSettings(to=to, **paths))
    assert [problem] == list(read_problems(tmp_path / "back.jsonl"))
    assert (tmp_path / "theirs.jsonl").read_bytes() == (tmp_path / "back.jsonl").read_bytes()


def test_fields_of_problems_are_not_lost_unasked(tmp_path: Path) -> None:
    """What does not come back when it is read again is named."""
    tests = CheckFunction(code="def check(candidate):\n    assert candidate(1) == 1\n", context="def f(x):\n")
    problem = Problem(
        id="T/0",
        prompt="def f(x):\n",
        entry_point="f",
        tests=tests,
        reference="def f(x):\n    return x\n",
        inputs="def inputs(scale, seed):\n    return [[scale]]\n",
    )
    write_problems(tmp_path / "own.jsonl", [problem])
    wanted = ConvertSettings(
        source=str(tmp_path / "own.jsonl"), target=str(tmp_path / "out.jsonl"), to="humaneval"
    )
    with pytest.raises(UsageError, match="--to humaneval cannot hold inputs of 1 problems: nothing is written"):
        convert(wanted)
    assert not (tmp_path / "out.jsonl").exists()
    done = convert(msgspec.structs.replace(wanted, lossy=True))
    assert ("inputs of 1 problems",) == done.lost
    with pytest.raises(UsageError, match="is a problem set, which is written as codejury or humaneval"):
        convert(msgspec.structs.replace(wanted, to="bigcode"))


def test_facts_are_those_of_samples() -> None:
    """No field of a sample is forgotten."""
    assert {*FACTS, "problem_id", "index", "text", "kind"} == set(Sample.__struct_fields__)


@pytest.mark.shared
def test_published_samples_come_back(tmp_path: Path) -> None:
    """CodeGen-16B's 16,400 answers as a list of lists and as completions again: the same programs, to the byte."""
    data = Path(__file__).parents[2].parent / "shared" / "data"
    problems = str(data / "problems" / "HumanEval_no_examples.jsonl.gz")
    source = str(data / "samples" / "codegen16b_humaneval_n100.jsonl.gz")
    lists, again = str(tmp_path / "generations.json.gz"), str(tmp_path / "again.jsonl.gz")
    common: dict[str, Any] = {"problems": problems, "allow_empty": True, "lossy": True}
    there = convert(ConvertSettings(source=source, target=lists, to="bigcode", **common))
    back = convert(ConvertSettings(source=lists, target=again, to="humaneval", **common))
    assert (16_400, 16_400) == (there.count, back.count)
    assert ("the text of 127 answers without code, which become empty",) == there.lost
    known = {problem.id: problem for problem in read_problems(problems)}
    before, after = (
        {one.id: extract.program(known[one.problem_id], one) for one in read_samples(path, allow_empty=True)}
        for path in (source, again)
    )
    assert before == after
