"""The commands: what they print, refuse, write and leave behind."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.formats import read_problems, read_samples
from codejury.model import (
    InfrastructureError,
    Manifest,
    Outcome,
    ProblemSet,
    ProblemSetInfo,
    Program,
    TierUnavailable,
)
from codejury.pipeline import engines
from codejury.report import (
    CheckFailure,
    JudgeDocument,
    ProblemSetRef,
    References,
    SetsCheckDocument,
    TimingRow,
)
from codejury.sandbox import describe
from codejury.sets import SetInfo
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codejury.pipeline import Progress

JUDGE = ("judge", "samples.jsonl", "--problems", "set.jsonl")
CHECK = ("sets", "check", "set.jsonl")


def _runs(folder: Path) -> list[str]:
    """Names of the runs in the folder's store."""
    path = folder / ".codejury" / "runs.db"
    if not path.exists():
        return []
    with Store.open(path) as store:
        return [info.name for info in store.runs()]


def _begin(folder: Path, name: str) -> None:
    """A run of which nothing is judged."""
    problem_set = ProblemSet(name="set", version="1-0", problems=tuple(read_problems(folder / "set.jsonl")))
    pairs = ((sample, Program(sample.text, "whole")) for sample in read_samples(folder / "samples.jsonl"))
    manifest = Manifest(run=name, created="", problem_set=ProblemSetInfo.of(problem_set), tier="namespaces")
    with Store.open() as store:
        store.create_run(manifest, problem_set, pairs)


# ---- what is refused


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("judge samples.jsonl --problems starte", "no problem set 'starte': did you mean 'starter'?"),
        ("judge samples.jsonl --problems absent.jsonl", "absent.jsonl: "),
        ("judge absent.jsonl --problems set.jsonl", "absent.jsonl: "),
        ("judge broken.jsonl --problems set.jsonl", "broken.jsonl:2: "),
        ("judge unknown.jsonl --problems set.jsonl", "unknown.jsonl:2: field 'task_id': "),
        (
            "judge part.jsonl --problems set.jsonl",
            "part.jsonl: 1 of 2 problems have no sample (t/b): complete",
        ),
        ("judge samples.jsonl", "Missing option '--problems'"),
        ("judge", "Missing argument 'SAMPLES'"),
        ("J --cpuu 3", "No such option: --cpuu"),
        ("jugde samples.jsonl", "No such command 'jugde'"),
        ("J --k 1,x", "--k '1,x': take whole numbers with commas, as 1,10"),
        ("J --k 0", "k 0: give one or more k of at least 1"),
        (
            "J --k 1,3",
            "samples.jsonl: pass@3 needs 3 samples of each problem, and 1 of 2 have fewer: t/a (2): take a",
        ),
        ("J --k 9", "samples.jsonl: no problem has 9 samples: take a"),
        (
            "J --meta model",
            "--meta 'model': take KEY=VALUE, as temperature",
        ),
        ("J --meta =m", "--meta '=m': take KEY=VALUE"),
        ("J --meta a=1 --meta a=2", "--meta 'a=2': a is '1' already"),
        ("J --meta temperature=0 --k 2", "pass@2 at temperature 0: "),
        ("J --cpu 0", "--cpu 0: take a number of seconds above 0"),
        ("J --cpu nan", "--cpu nan: take a number of seconds above 0"),
        ("J --cpu-total -1", "--cpu-total -1: take a number of seconds"),
        ("J --cpu much", "Invalid value for '--cpu': "),
        ("J --memory 1", "Invalid value for '--memory': "),
        ("J --slots 0", "Invalid value for '--slots': "),
        ("J --level 95", "level 95.0: a confidence level lies between 0"),
        ("J --python ./absent", "--python ./absent: not an interpreter"),
        ("J --packages nope", "package 'nope' is not installed"),
        ("J --json absent/out.json", "--json absent/out.json: cannot be"),
        ("J --json .", "--json .: cannot be written: Is a directory"),
        ("J --resume", "--resume needs the run's name: add --run NAME"),
        ("J --resume --run no", "no run 'no' in store .codejury/runs.db"),
        ("J --retry infra", "--retry judges a run's samples again: add"),
        ("J --retry all", "Invalid value for '--retry': "),
        ("J --store set.jsonl", "store set.jsonl is not a usable database"),
        ("report r", "no store at .codejury/runs.db: judge something first, or say where it is"),
        ("report r s --json out.json", "--json writes the document of one run: name one"),
        ("report r --k one", "--k 'one': take whole numbers"),
        ("sets show startr", "no problem set 'startr': did you mean 'starter'?"),
        ("sets show set.jsonl t/c", "set 'set' has no problem 't/c': `codejury sets show set.jsonl` lists them"),
        ("sets check nothing", "no problem set 'nothing': known are humaneval, starter."),
        ("sets check set.jsonl --json absent/out.json", "--json absent/out.json: cannot be written: No such file"),
        ("schema judges", "no schema 'judges': take one of compare, doctor, "),
    ],
)
def test_wrong_call_is_one_line(codejury: Callable[..., Any], tiny: Path, arguments: str, line: str) -> None:
    """Exit code 2, one line on standard error, nothing on standard output, no run and no document."""
    rows = (tiny / "samples.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tiny / "broken.jsonl").write_text(rows[0] + "{\n", encoding="utf-8")
    (tiny / "unknown.jsonl").write_text(rows[0] + rows[1].replace("t/a", "t/z"), encoding="utf-8")
    (tiny / "part.jsonl").write_text(rows[0], encoding="utf-8")
    ended = codejury(*arguments.replace("J ", f"{' '.join(JUDGE)} ").split())
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"codejury: {line}")
    assert 1 == ended.err.count("\n")
    assert [] == _runs(tiny)
    assert not (tiny / "out.json").exists()


def test_name_of_a_run_is_taken_once(codejury: Callable[..., Any], tiny: Path) -> None:
    """The run that is there stays as it was."""
    _begin(tiny, "mine")
    ended = codejury(*JUDGE, "--run", "mine")
    expected = (
        "codejury: run 'mine' is already in store .codejury/runs.db:"
        " go on with --resume, or give another name with --run\n"
    )
    assert (2, "", expected) == ended
    assert ["mine"] == _runs(tiny)


def test_wrong_settings_file_stops_every_command(codejury: Callable[..., Any], tiny: Path) -> None:
    """It says which key of which table."""
    (tiny / "codejury.toml").write_text("[judge]\ncpus = 3\n", encoding="utf-8")
    ended = codejury("sets", "list")
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith("codejury: codejury.toml [judge]: 'cpus' is no option; known: all_tests,")
    assert 1 == ended.err.count("\n")


def test_document_that_becomes_unwritable_leaves_the_old_one(codejury: Callable[..., Any], tiny: Path) -> None:
    """Looking whether a place can be written changes nothing there."""
    (tiny / "out.json").write_text("old", encoding="utf-8")
    before = sorted(path.name for path in tiny.iterdir())
    assert 2 == codejury(*JUDGE, "--json", "out.json", "--k", "9").code
    assert "old" == (tiny / "out.json").read_text(encoding="utf-8")
    assert before == sorted(path.name for path in tiny.iterdir() if path.name != ".codejury")


# ---- infrastructure


@pytest.mark.parametrize("arguments", [JUDGE, CHECK])
def test_missing_tier_is_infrastructure(
    codejury: Callable[..., Any], tiny: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """Exit code 3, the missing layer named, no run kept."""

    class NoTier:
        """An engine on a machine without user namespaces."""

        library, tier = None, "namespaces"
        interpreter = describe()

        def __init__(self, *_: object, **__: object) -> None:
            pass

        def start(self) -> None:
            """Nothing: that there is no tier shows when it is entered."""

        async def __aenter__(self) -> None:
            raise TierUnavailable("namespaces", "user namespaces", "the kernel refuses them")

        async def __aexit__(self, *_: object) -> None:
            raise AssertionError

    monkeypatch.setattr(engines, "LocalEngine", NoTier)
    line = "codejury: tier 'namespaces' cannot be had: user namespaces missing: the kernel refuses them\n"
    assert (3, "", line) == codejury(*arguments)
    assert [] == _runs(tiny)


# ---- sets


def test_sets_list(codejury: Callable[..., Any]) -> None:
    """Names, where they come from, whether they can be had."""
    ended = codejury("sets", "list")
    assert (0, "") == (ended.code, ended.err)
    rows = [line.split() for line in ended.out.splitlines()]
    assert ["set", "source", "state"] == rows[0]
    assert ["humaneval", "starter"] == [row[0] for row in rows[1:3]]
    assert ["starter", "built-in", "available"] in rows


def test_sets_list_says_how_to_get_a_set(codejury: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets are printed as they are."""
    info = SetInfo(name="mine", source="a package", unavailable="pip install 'codejury[mine]'")
    monkeypatch.setattr("codejury.sets.names", lambda: [info])
    assert "pip install 'codejury[mine]'" in codejury("sets", "list").out


def test_sets_show(codejury: Callable[..., Any], tiny: Path) -> None:
    """The set with its hash and problems, and a problem with prompt, reference and tests."""
    ended = codejury("sets", "show", "set.jsonl")
    assert (0, "") == (ended.code, ended.err)
    assert ended.out.startswith("set 1-0: 2 problems, from set.jsonl\nhash ")
    assert "t/b" in ended.out
    ended = codejury("sets", "show", "set.jsonl", "t/b")
    assert (0, "") == (ended.code, ended.err)
    lines = [line.rstrip() for line in ended.out.splitlines()]
    assert "t/b: python, entry point f" == lines[0]
    expected = ["prompt", "def f(x):", "", "reference", "def f(x):", "    return x + 2", "", "tests"]
    assert expected == lines[2:10]
    assert ["assert f(1) == 3", "assert f(41) == 43"] == lines[10:]


def _checked(*outcomes: Outcome) -> Any:
    """Stands in for `pipeline.check`: a document with these failures."""

    async def check(problem_set: ProblemSet, **_: object) -> SetsCheckDocument:
        return SetsCheckDocument(
            problem_set=ProblemSetRef(name=problem_set.name, version=problem_set.version, hash=problem_set.hash),
            tier="namespaces",
            problems=2,
            references=References(passed=2, failed=0, absent=0),
            probes={},
            failures=[CheckFailure(id="t/a", program="pass", outcome=outcome) for outcome in outcomes],
            ok=not outcomes,
            timing=TimingRow(wall_s=1.0, samples_per_s=2.0),
            warnings=[],
        )

    return check


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ((), 0),
        ((Outcome.PASSED,), 1),
        ((Outcome.INFRA_ERROR,), 3),
        ((Outcome.INFRA_ERROR, Outcome.PASSED), 1),
    ],
)
def test_sets_check_ends_by_what_it_found(
    codejury: Callable[..., Any],
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
    outcomes: tuple[Outcome, ...],
    code: int,
) -> None:
    """1 for a set that is not sound, 3 where that could not be found out; the document is written either way."""
    monkeypatch.setattr("codejury.pipeline.check", _checked(*outcomes))
    ended = codejury(*CHECK, "--json", "out.json", "--quiet")
    assert (code, "", "") == ended
    assert (not outcomes) is json.loads((tiny / "out.json").read_text(encoding="utf-8"))["ok"]


# ---- schema


@pytest.mark.parametrize("name", ["judge", "sets-check", "run", "runs", "problem", "sample"])
def test_schema(codejury: Callable[..., Any], name: str) -> None:
    """JSON Schema on standard output, and nothing else."""
    ended = codejury("schema", name)
    assert (0, "") == (ended.code, ended.err)
    assert "$schema" in json.loads(ended.out)


# ---- report


def test_report_of_an_unfinished_run(codejury: Callable[..., Any], tiny: Path) -> None:
    """How far it is; figures only where they are asked for, and then there must be some."""
    _begin(tiny, "mine")
    ended = codejury("report", "mine")
    assert (0, "") == (ended.code, ended.err)
    assert "0 of 5 samples judged" in ended.out
    assert "go on with --resume" in " ".join(ended.out.split())
    assert "pass@" not in ended.out
    ended = codejury("report", "mine", "--json", "-")
    assert (0, "") == (ended.code, ended.err)
    document = msgspec.json.decode(ended.out, type=JudgeDocument)
    assert (True, 0, 5, {}) == (document.partial, document.judged, document.samples, document.pass_at_k)
    ended = codejury("report", "mine", "--partial", "--k", "1")
    assert (2, "") == (ended.code, ended.out)
    assert "judge the rest with --resume" in ended.err


def test_report_of_an_unknown_run(codejury: Callable[..., Any], tiny: Path) -> None:
    """Those that there are are named."""
    _begin(tiny, "mine")
    assert (2, "", "codejury: no run 'yours' in store .codejury/runs.db; it has mine\n") == codejury(
        "report", "yours"
    )


# ---- judge, whole


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_judge_and_report(codejury: Callable[..., Any], tiny: Path) -> None:
    """The table, the same from the store, and the document; names are kept."""
    ended = codejury(*JUDGE, "--run", "mine", "--k", "1,2", "--meta", "model=m", "--json", "out.json")
    assert (0, "") == (ended.code, ended.err)
    assert ended.out.startswith("Run mine\n  set 1-0: 2 problems, 2 to 3 samples each\n")
    assert max(map(len, ended.out.splitlines())) <= 80
    document = msgspec.json.decode((tiny / "out.json").read_bytes(), type=JudgeDocument)
    assert pytest.approx((1 / 2 + 2 / 3) / 2) == document.pass_at_k["1"].value
    assert 1.0 == document.pass_at_k["2"].value
    assert ({"passed": 3, "wrong_answer": 2}, {"model": "m"}) == (document.verdicts, document.meta)
    again = codejury("report", "mine", "--k", "1,2")
    assert ended.out == again.out
    quiet = codejury("report", "mine", "--k", "1,2", "--quiet", "--json", "again.json")
    assert (0, "", "") == quiet
    assert (tiny / "out.json").read_bytes() == (tiny / "again.json").read_bytes()


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_json_on_standard_output_is_alone_there(
    codejury: Callable[..., Any],
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Progress is on standard error, and is silent with --quiet."""
    monkeypatch.setattr("codejury.cli.progress.EVERY_S", 0.0)
    ended = codejury(*JUDGE, "--json", "-")
    assert 0 == ended.code
    assert 5 == msgspec.json.decode(ended.out, type=JudgeDocument).samples
    assert "references: 2/2" in ended.err
    assert "judging: 4/4" in ended.err
    assert "passed 2" in ended.err.splitlines()[-1]
    ended = codejury(*JUDGE, "--json", "-", "--quiet")
    assert (0, "") == (ended.code, ended.err)
    assert 5 == msgspec.json.decode(ended.out, type=JudgeDocument).samples


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_sets_check_of_a_file(codejury: Callable[..., Any], tiny: Path) -> None:
    """Sound; then with a test that accepts anything, not sound."""
    ended = codejury(*CHECK)
    assert (0, "") == (ended.code, ended.err)
    assert ended.out.rstrip().endswith("The set is sound.")
    rows = (tiny / "set.jsonl").read_text(encoding="utf-8").replace("assert f(41) == 43", "assert True")
    (tiny / "set.jsonl").write_text(rows.replace("assert f(1) == 3", "assert f(1) == f(1)"), encoding="utf-8")
    ended = codejury(*CHECK)
    assert (1, "") == (ended.code, ended.err)
    assert "The set is not sound." in ended.out
    assert "t/b: return 0: passed" in ended.out


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_infrastructure_errors_are_told(
    codejury: Callable[..., Any],
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 3 with what to do, and doing it gives the figures."""

    async def fail(*_: object, **__: object) -> None:
        raise InfrastructureError("no lanes")

    with monkeypatch.context() as patched:
        patched.setattr(importlib.import_module("codejury.engine.local"), "judge", fail)
        ended = codejury(*JUDGE, "--run", "mine")
    assert (3, "") == (ended.code, ended.out)
    assert "5 of 5 judged samples (100.0 %) ended in infrastructure errors" in ended.err
    assert "--resume --retry infra" in ended.err
    ended = codejury(*JUDGE, "--run", "mine", "--resume", "--retry", "infra", "--json", "-")
    assert 0 == ended.code
    document = msgspec.json.decode(ended.out, type=JudgeDocument)
    assert ({"passed": 3, "wrong_answer": 2}, 0) == (document.verdicts, document.infra_errors)


def test_lists_of_packages_and_limits_reach_the_check(
    codejury: Callable[..., Any],
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the pipeline wants them."""
    seen: dict[str, Any] = {}

    async def check(problem_set: ProblemSet, *, progress: Progress, **settings: Any) -> SetsCheckDocument:
        assert progress is not None
        seen.update(settings)
        document: SetsCheckDocument = await _checked()(problem_set)
        return document

    monkeypatch.setattr("codejury.pipeline.check", check)
    options = "--packages numpy,scipy --cpu 2 --cpu-total 1 --memory 64 --slots 3 --python /usr/bin/python3"
    assert 0 == codejury(*CHECK, *options.split()).code
    limits = seen.pop("limits")
    assert (2.0, 2.0, 64 << 20) == (limits.cpu_s, limits.cpu_total_s, limits.memory_bytes)
    assert "auto" == seen.pop("tier")
    assert {"packages": ("numpy", "scipy"), "slots": 3, "python": "/usr/bin/python3"} == seen
