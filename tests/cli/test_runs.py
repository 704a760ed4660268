"""The commands on runs: list, show, delete, merge."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.formats import write_samples
from codejury.model import Manifest, Outcome, ProblemSetInfo, SamplesInfo, text_hash
from codejury.report import JudgeDocument, RunDocument, RunsDocument
from codejury.sets import starter
from codejury.sets.starter import contestants
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

JUDGE = ("judge", "samples.jsonl", "--problems", "set.jsonl", "--quiet")


def _names() -> list[str]:
    with Store.open() as store:
        return [info.name for info in store.runs()]


def _verdicts(name: str) -> list[tuple[str, int, str, Outcome]]:
    with Store.open() as store:
        return [
            (v.problem_id, v.index, v.program_hash, v.outcome) for v in store.verdicts(store.find_run(name).id)
        ]


def _report(codejury: Callable[..., Any], name: str) -> JudgeDocument:
    ended = codejury("report", name, "--json", "-")
    assert (0, "") == (ended.code, ended.err)
    return msgspec.json.decode(ended.out, type=JudgeDocument)


def _figures(document: JudgeDocument) -> JudgeDocument:
    """Without what no two runs have in common."""
    return msgspec.structs.replace(
        document, run="", timing=msgspec.structs.replace(document.timing, wall_s=0.0, samples_per_s=0.0)
    )


@pytest.fixture
def two(codejury: Callable[..., Any], tiny: Path) -> Path:
    """A store with runs `one` and `two`, of which nothing is judged."""
    from codejury import sets  # noqa: PLC0415 - not needed where this fixture is not
    from codejury.formats import read_samples  # noqa: PLC0415
    from codejury.model import Program  # noqa: PLC0415

    problem_set = sets.load("set.jsonl")
    with Store.open() as store:
        for name in ("one", "two"):
            manifest = Manifest(
                run=name,
                created="2026-11-01T10:20:30Z",
                problem_set=ProblemSetInfo.of(problem_set),
                samples=SamplesInfo(file="samples.jsonl", sha256=text_hash(name), count=5),
                meta={"model": "m[1]", "temperature": "0.8"},
                notes=("a note",),
            )
            pairs = ((sample, Program(sample.text, "whole")) for sample in read_samples("samples.jsonl"))
            store.create_run(manifest, problem_set, pairs)
    return tiny


# ---- list, show


def test_list(codejury: Callable[..., Any], two: Path) -> None:
    """A line each, at 80 columns, and a document."""
    ended = codejury("runs", "list")
    assert (0, "") == (ended.code, ended.err)
    rows = [line.split() for line in ended.out.splitlines()]
    assert ["run", "set", "model", "temp.", "samples", "judged", "pass@1", "created", "(UTC)"] == rows[0]
    assert ["one", "set", "m[1]", "0.8", "5", "0", "-", "2026-11-01", "10:20"] == rows[2]
    assert max(map(len, ended.out.splitlines())) <= 80
    ended = codejury("runs", "list", "--json", "-")
    document = msgspec.json.decode(ended.out, type=RunsDocument)
    assert [("one", "m[1]", "0.8", 5, 0, 2, None), ("two", "m[1]", "0.8", 5, 0, 2, None)] == [
        (row.run, row.model, row.temperature, row.samples, row.judged, row.problems, row.pass_at_1)
        for row in document.runs
    ]


def test_show(codejury: Callable[..., Any], two: Path) -> None:
    """Everything of the manifest."""
    ended = codejury("runs", "show", "two")
    assert (0, "") == (ended.code, ended.err)
    lines = [line.rstrip() for line in ended.out.splitlines()]
    assert "judged            0 of 5 samples, 4 distinct programs" in lines
    assert "meta model        m[1]" in lines
    assert "note              a note" in lines
    ended = codejury("runs", "show", "two", "--json", "out.json", "--quiet")
    assert (0, "", "") == ended
    document = msgspec.json.decode((two / "out.json").read_bytes(), type=RunDocument)
    assert ("two", 4, text_hash("two")) == (
        document.run.run,
        document.programs,
        document.manifest.samples.sha256,
    )


# ---- delete


class _Terminal:
    """Standard input on which an answer is typed."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def isatty(self) -> bool:
        """It is one."""
        return True

    def readline(self, _size: int = -1) -> str:
        """The answer."""
        return self._answer


def test_delete(codejury: Callable[..., Any], two: Path) -> None:
    """All or none; without a terminal it must be said that it is meant."""
    assert (2, "", "codejury: no run 'three' in store .codejury/runs.db; it has one, two\n") == codejury(
        "runs", "delete", "one", "three", "--yes"
    )
    assert (2, "", "codejury: one: there is no terminal to ask on; delete with --yes\n") == codejury(
        "runs", "delete", "one"
    )
    assert ["one", "two"] == _names()
    assert (0, "", "") == codejury("runs", "delete", "one", "two", "one", "--yes")
    assert [] == _names()
    assert (0, "no runs\n", "") == codejury("runs", "list")


@pytest.mark.parametrize(("answer", "left"), [("y\n", ["two"]), ("n\n", ["one", "two"]), ("\n", ["one", "two"])])
def test_delete_asks_on_a_terminal(
    codejury: Callable[..., Any], two: Path, monkeypatch: pytest.MonkeyPatch, answer: str, left: list[str]
) -> None:
    """On standard error; no is the default."""
    monkeypatch.setattr("sys.stdin", _Terminal(answer))
    ended = codejury("runs", "delete", "one")
    assert 0 == ended.code
    assert "Delete one with 5 samples and their verdicts? [y/N]" in ended.err
    assert ("" if left == ["two"] else "Nothing is deleted.\n") == ended.out
    assert left == _names()


# ---- refusals


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("runs show three", "no run 'three' in store .codejury/runs.db; it has one, two"),
        ("runs list --store absent.db", "no store at absent.db: "),
        ("runs list --json absent/out.json", "--json absent/out.json: cannot be written"),
        ("runs delete", "Missing argument 'RUN'"),
        ("runs merge one two", "Missing option '--into'"),
        ("runs merge one --into all", "merging takes two or more runs: name them"),
        ("runs merge one one --into all", "run 'one' is named twice"),
        ("runs merge one three --into all", "no run 'three'"),
        ("runs merge one two --into two", "run 'two' is already in store"),
        ("runs merge one two --into all", "run 'one': 0 of 5 samples are judged: go on with --resume first"),
        ("runs merge one two --into all --alpha 2", "alpha 2.0: take a probability"),
        ("runs merge one two --into all --waive all", "Invalid value for '--waive'"),
    ],
)
def test_wrong_call_is_one_line(codejury: Callable[..., Any], two: Path, arguments: str, line: str) -> None:
    """Exit code 2, and the runs stay."""
    ended = codejury(*arguments.split())
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"codejury: {line}")
    assert 1 == ended.err.count("\n")
    assert ["one", "two"] == _names()


# ---- merge, whole


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_shards_of_the_built_in_set_are_the_whole(codejury: Callable[..., Any], folder: Path) -> None:
    """Judged in three and merged: each verdict, each problem and pass@k are those of the run judged at once."""
    ids = [problem.id for problem in starter.load().problems][:10]
    name = contestants.contestants()[0]
    samples = (s for s in contestants.samples(name) if s.index < 5)
    write_samples("samples.jsonl", samples)
    (folder / "samples.jsonl.meta.json").write_text(json.dumps({"model": name}), encoding="utf-8")
    (folder / "ids.txt").write_text("\n".join(ids), encoding="utf-8")
    call = ("judge", "samples.jsonl", "--problems", "starter", "--quiet", "--ids", "@ids.txt")
    for run, shard in (("whole", "1/1"), ("a", "1/3"), ("b", "2/3")):
        assert (0, "", "") == codejury(*call, "--run", run, "--shard", shard)
    elsewhere = ("--store", "elsewhere.db")
    assert (0, "", "") == codejury(*call, "--run", "c", "--shard", "3/3", *elsewhere)
    assert (0, "Copied c.\n", "") == codejury("runs", "import", "elsewhere.db")
    ended = codejury("runs", "merge", "b", "a", "c", "--into", "all", "--delete-parts")
    assert (0, "") == (ended.code, ended.err)
    assert ended.out.startswith("Run all: a, b, c\n  10 problems, 50 samples\n")
    assert ["whole", "all"] == _names()
    whole, merged = _report(codejury, "whole"), _report(codejury, "all")
    assert _figures(whole) == _figures(merged)
    assert {"1"} == set(merged.pass_at_k)
    assert _verdicts("whole") == _verdicts("all")
    listed = msgspec.json.decode(codejury("runs", "list", "--json", "-").out, type=RunsDocument).runs
    assert [whole.pass_at_k["1"].value] * 2 == [row.pass_at_1 for row in listed]
    assert [name] * 2 == [row.model for row in listed]
    resumed = codejury(*call, "--run", "all", "--resume")  # it is a run like one that was judged at once
    assert (0, "", "") == resumed
    assert _figures(whole) == _figures(_report(codejury, "all"))


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_independent_runs_are_pooled_or_told_apart(codejury: Callable[..., Any], tiny: Path) -> None:
    """Samples add up; what differs ends with exit code 4 and leaves no run, unless that is waived."""
    for file, right, wrong in (("a", 5, 3), ("b", 4, 4), ("c", 0, 8)):
        rows = [
            {"task_id": f"t/{problem}", "completion": f"    return x + {step if i < right else 7}  # {file}{i}\n"}
            for problem, step in (("a", 1), ("b", 2))
            for i in range(right + wrong)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tiny / f"{file}.jsonl").write_text(text, encoding="utf-8")
        call = ("judge", f"{file}.jsonl", "--problems", "set.jsonl", "--quiet", "--run", file)
        assert (
            0 == codejury(*call, "--meta", "model=m", "--meta", "temperature=0.8", "--meta", f"seed={file}").code
        )
    ended = codejury("runs", "merge", "a", "b", "--into", "pool")
    assert (0, "") == (ended.code, ended.err)
    expected = (
        "Run pool: a, b\n"
        "  2 problems, 32 samples\n"
        "  over all problems: CMH chi-square 0.48, df 1, p = 0.49\n"
        "  on single problems: sum of chi-squares 0.48, df 2, p = 1\n"
    )
    assert ended.out.startswith(expected)  # a note on a weaker tier may follow
    pool = _report(codejury, "pool")
    assert [("t/a", 16, 9), ("t/b", 16, 9)] == [(row.id, row.n, row.c) for row in pool.per_problem]
    assert ({"model": "m", "temperature": "0.8"}, []) == (
        pool.meta,
        [w for w in pool.warnings if not w.startswith(("pass@", "isolated by"))],
    )
    ended = codejury("runs", "merge", "a", "c", "--into", "all")
    assert (4, "") == (ended.code, ended.out)
    assert ended.err.startswith(
        "codejury: the runs differ over all problems: CMH chi-square 13.64 with df 1, p = "
    )
    assert 1 == ended.err.count("\n")
    assert ["a", "b", "c", "pool"] == _names()
    ended = codejury("runs", "merge", "a", "c", "--into", "all", "--waive", "homogeneity", "--quiet")
    assert (0, "", "") == ended
    assert any(
        warning.startswith("pooled although the runs differ") for warning in _report(codejury, "all").warnings
    )
    ended = codejury(*JUDGE, "--run", "pool", "--resume")
    assert (2, "", "codejury: run 'pool' was merged of a, b: resume those, merge again\n") == ended


# ---- import


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("none.db", "no store at none.db: judge something first, or say where it is"),
        ("notes.txt", "store notes.txt is not a usable database"),
        (".codejury/runs.db", "store .codejury/runs.db is the store itself: name another file"),
        (".codejury/runs.db three", "no run 'three' in store .codejury/runs.db; it has one, two"),
        (
            ".codejury/runs.db one two --as new",
            "--as new: one name for 2 runs: name the one run that shall have it",
        ),
    ],
)
def test_wrong_import_is_one_line(codejury: Callable[..., Any], two: Path, arguments: str, line: str) -> None:
    """Exit code 2, and nothing is copied."""
    (two / "notes.txt").write_text("no database " * 100, encoding="ascii")
    ended = codejury("runs", "import", *arguments.split())
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"codejury: {line}")
    assert ["one", "two"] == _names()


def test_import_under_another_name(codejury: Callable[..., Any], two: Path) -> None:
    """From a copy of the store, where the names would be taken; into a new store, where they are not."""
    shutil.copy(".codejury/runs.db", "copy.db")
    taken = codejury("runs", "import", "copy.db", "one")
    assert (2, "") == (taken.code, taken.out)
    assert taken.err.startswith("codejury: run 'one' is already in store .codejury/runs.db: ")
    assert (0, "Copied third.\n", "") == codejury("runs", "import", "copy.db", "one", "--as", "third")
    assert ["one", "two", "third"] == _names()
    assert (0, "Copied one, two.\n", "") == codejury("runs", "import", "copy.db", "--store", "new.db")
