"""From samples to kept verdicts, in a real sandbox."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury import sets
from codejury.formats import write_problems, write_samples
from codejury.model import (
    Assertions,
    InfrastructureError,
    LimitOverrides,
    Limits,
    Outcome,
    Problem,
    ProblemSet,
    Sample,
    TierUnavailable,
    UsageError,
)
from codejury.pipeline import JudgeSettings, Progress, default_run_name, engines, judge, judge_samples, summarise
from codejury.pipeline import judge as judge_file
from codejury.sandbox import describe
from codejury.sets.starter import contestants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.store import Store

DATA = Path(__file__).parents[2].parent / "shared" / "data"
LIMITS = Limits(cpu_s=2, cpu_total_s=10, wall_factor=30)  # a busy machine reaches no wall limit before a CPU limit
RIGHT, WRONG, EMPTY = "    return x + 1\n", "    return x\n", " "
HEAD = "def f(x):\n"
ADD = Problem(
    id="t/add",
    prompt=HEAD,
    entry_point="f",
    tests=Assertions(code=("assert f(1) == 2", "assert f(41) == 42")),
    reference=HEAD + RIGHT,
)

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox")]


def _like_add(name: str, **changes: Any) -> Problem:
    return msgspec.structs.replace(ADD, id=name, **changes)


def _set(*problems: Problem) -> ProblemSet:
    return ProblemSet(name="tiny", version="1-0", problems=problems)


def _samples(problem: Problem, *texts: str) -> list[Sample]:
    return [Sample(problem_id=problem.id, index=i, text=text) for i, text in enumerate(texts)]


def _settings(run: str | None = "r", **changes: Any) -> JudgeSettings:
    return JudgeSettings(**{"samples": "s", "problems": "tiny", "run": run, "limits": LIMITS, **changes})


def _judge(
    store: Store,
    problems: ProblemSet,
    samples: Sequence[Sample],
    progress: Progress | None = None,
    **settings: Any,
) -> str:
    return asyncio.run(judge_samples(store, _settings(**settings), problems, samples, progress))


def _outcomes(store: Store, run: str = "r") -> dict[str, Outcome]:
    """The outcome of each sample, by its id."""
    return {f"{v.problem_id}#{v.index}": v.outcome for v in store.verdicts(store.find_run(run).id)}


def _files(folder: Path, problems: ProblemSet, samples: Sequence[Sample]) -> dict[str, str]:
    """A set and samples as files, as settings."""
    paths = {"problems": str(folder / "tiny.jsonl"), "samples": str(folder / "s.jsonl")}
    write_problems(paths["problems"], problems.problems)
    write_samples(paths["samples"], samples)
    return paths


def test_duplicates_are_judged_once_and_counted_each(store: Store, heard: Any, sandbox: str) -> None:
    """Three programs of six samples; an equal program of another problem is another job."""
    other = _like_add("t/other", tests=Assertions(code=("assert f(1) == 2", "assert f(2) == 3")))
    samples = _samples(ADD, RIGHT, WRONG, RIGHT, RIGHT) + _samples(other, RIGHT, RIGHT)
    _judge(store, _set(ADD, other), samples, heard)
    assert [("references", 2), ("judging", 3)] == heard.stages
    document = summarise(store, "r", [1])
    assert (6, 3) == (document.samples, document.programs)
    assert [("t/add", 4, 3), ("t/other", 2, 2)] == [(row.id, row.n, row.c) for row in document.per_problem]
    assert {"passed": 5, "wrong_answer": 1} == document.verdicts
    assert 0.875 == document.pass_at_k["1"].value
    assert (sandbox, 0) == (document.tier, document.infra_errors)


def test_every_kind_of_answer_gets_its_outcome(store: Store) -> None:
    """Also of whole programs, and of none."""
    texts = {
        RIGHT: Outcome.PASSED,
        WRONG: Outcome.WRONG_ANSWER,
        EMPTY: Outcome.NO_CODE,
        "    return y\n": Outcome.EXCEPTION,
        "    return (\n": Outcome.SYNTAX_ERROR,
        "    import os; os._exit(0)\n": Outcome.EARLY_EXIT,
        "    while True: pass\n": Outcome.TIMEOUT_CPU,
    }
    samples = _samples(ADD, *texts)
    samples.append(Sample(problem_id=ADD.id, index=len(texts), text=HEAD + RIGHT, kind="solution"))
    _judge(store, _set(ADD), samples)
    expected = [*texts.values(), Outcome.PASSED]
    assert {f"t/add#{i}": outcome for i, outcome in enumerate(expected)} == _outcomes(store)
    assert {"completion": 6, "empty": 1, "solution": 1} == store.manifest(store.find_run("r").id).rules


def test_references_are_judged_once_for_all_runs(store: Store, heard: Any) -> None:
    """What a reference showed is kept in the store; other limits are another question."""
    problems, samples = _set(ADD, _like_add("t/b", entry_point="f")), _samples(ADD, RIGHT)
    samples += [msgspec.structs.replace(sample, problem_id="t/b") for sample in samples]
    _judge(store, problems, samples)
    _judge(store, problems, samples, heard, run="again")
    assert [("judging", 2)] == heard.stages
    heard.stages.clear()
    _judge(store, problems, samples, heard, run="other", limits=msgspec.structs.replace(LIMITS, cpu_s=1))
    assert ["references", "judging"] == [name for name, _ in heard.stages]


def test_problem_at_fault_is_refused_before_judging(store: Store, heard: Any) -> None:
    """Tests that assert nothing can judge nobody; no run is left behind."""
    vacuous = _like_add("t/vacuous", tests=Assertions(code=("f(1)",)))
    with pytest.raises(UsageError, match=r"problems that cannot be judged: t/vacuous: .*mend or remove"):
        _judge(store, _set(ADD, vacuous), _samples(ADD, RIGHT) + _samples(vacuous, RIGHT), heard)
    assert [("references", 2)] == heard.stages
    assert [] == store.runs()


def test_reference_that_fails_is_noted(store: Store) -> None:
    """As is a problem without one; the samples are judged by the tests all the same."""
    unsound = _like_add("t/unsound", reference=HEAD + WRONG)
    without = _like_add("t/without", reference=None)
    samples = [s for problem in (ADD, unsound, without) for s in _samples(problem, RIGHT)]
    _judge(store, _set(ADD, unsound, without), samples)
    document = summarise(store, "r", [1])
    assert "the reference fails its own tests on 1 problem: t/unsound (wrong_answer)" in document.warnings
    assert any("1 problem without a reference" in warning for warning in document.warnings)
    assert {"passed": 3} == document.verdicts


def test_weak_verdicts_are_reported_apart(store: Store) -> None:
    """Tests that interpret a candidate's value are within its reach: their problem is in no headline figure."""
    weak = _like_add(
        "t/weak",
        tests=Assertions(code=("assert eval(f(1)) == 2",)),
        reference=HEAD + "    return str(x + 1)\n",
    )
    samples = _samples(ADD, RIGHT, WRONG) + _samples(weak, "    return '2'\n", "    return '3'\n")
    _judge(store, _set(ADD, weak), samples)
    document = summarise(store, "r", [1])
    assert ["t/add"] == [row.id for row in document.per_problem]
    assert document.weak is not None
    assert (1, 2, 0.5) == (document.weak.problems, document.weak.samples, document.weak.pass_at_k["1"].value)
    assert (2, 2) == (document.integrity.strong, document.integrity.weak)


def test_all_tests_run_on_after_a_failure(store: Store) -> None:
    """Two tests instead of one."""
    for run, all_tests in (("first", False), ("all", True)):
        _judge(store, _set(ADD), _samples(ADD, WRONG), run=run, all_tests=all_tests)
    ran = [next(iter(store.verdicts(store.find_run(run).id))).n_tests for run in ("first", "all")]
    assert [1, 2] == ran


def test_limits_of_a_problem_go_before_those_of_the_run(store: Store) -> None:
    """A problem may ask for more time than the run gives."""
    busy = "    import time\n    end = time.process_time() + 0.6\n    while time.process_time() < end: pass\n"
    patient = _like_add("t/patient", limits=LimitOverrides(cpu_s=10, cpu_total_s=20))
    samples = _samples(ADD, busy + RIGHT) + _samples(patient, busy + RIGHT)
    _judge(store, _set(ADD, patient), samples, limits=msgspec.structs.replace(LIMITS, cpu_s=0.3))
    assert {"t/add#0": Outcome.TIMEOUT_CPU, "t/patient#0": Outcome.PASSED} == _outcomes(store)


def test_files_of_problems_and_samples(store: Store, tmp_path: Path, sandbox: str) -> None:
    """The manifest says what was judged, without folders; an unnamed run is named by file and time."""
    files = _files(tmp_path, _set(ADD), _samples(ADD, RIGHT, WRONG))
    name = asyncio.run(judge(store, _settings(**files, run=None, meta={"model": "m"})))
    assert name.startswith("s-")
    manifest = store.manifest(store.find_run(name).id)
    assert ("s.jsonl", 2, 64) == (manifest.samples.file, manifest.samples.count, len(manifest.samples.sha256))
    assert ("tiny", "1-0") == (manifest.problem_set.name, manifest.problem_set.version)
    assert ({"model": "m"}, LIMITS, sandbox) == (manifest.meta, manifest.limits, manifest.tier)
    assert manifest.python is not None
    assert manifest.machine is not None


def test_as_many_samples_as_tests_is_noted(store: Store, tmp_path: Path) -> None:
    """What the file makes one doubt stands beside the figures, and is kept with the run."""
    paths = _files(tmp_path, _set(ADD), [])
    rows = [{"task_id": ADD.id, "completion": text, "tests_total": 2} for text in (RIGHT, WRONG)]
    Path(paths["samples"]).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    asyncio.run(judge(store, _settings(**paths)))
    assert any(warning.startswith("n equals tests_total") for warning in summarise(store, "r").warnings)


def test_names_by_time_differ() -> None:
    """Endings and folders are no part of them."""
    name = default_run_name("some/where/s.jsonl.gz")
    assert name.startswith("s-")
    assert name != default_run_name("some/where/s.jsonl.gz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ks": (1, 3)}, r"s: pass@3 needs 3 samples of each problem, and 1 of 2 have fewer: t/add \(2\): take"),
        ({"ks": (4,)}, "s: no problem has 4 samples: take a smaller k"),
        ({"ks": (1, 2), "meta": {"temperature": "0.0"}}, "pass@2 at temperature 0: .* take k = 1"),
        ({"ks": (2,), "meta": {"attempts": "dependent"}}, "pass@2 of dependent attempts: .* take k = 1"),
        ({"ks": ()}, "k none: give one or more k of at least 1"),
        ({"ks": (0, 1)}, "k 0, 1: give one or more k of at least 1"),
        ({"level": 1.0}, "level 1.0: a confidence level lies between 0 and 1"),
        ({"resume": True, "run": None}, "--resume needs the run's name"),
        ({"retry_infra": True}, "--retry judges a run's samples again: add --resume"),
        ({"packages": ("no_such_package",)}, "package 'no_such_package' is not installed"),
        ({"python": "/no/such/python"}, "--python /no/such/python: not an interpreter"),
    ],
)
def test_what_cannot_be_answered_is_refused_first(
    store: Store, heard: Any, changes: dict[str, Any], message: str
) -> None:
    """Nothing is judged, and no run is kept."""
    other = _like_add("t/other", entry_point="f")
    samples = _samples(ADD, RIGHT, WRONG) + _samples(other, RIGHT, WRONG, EMPTY)
    with pytest.raises(UsageError, match=message):
        _judge(store, _set(ADD, other), samples, heard, **changes)
    assert [] == heard.stages
    assert [] == store.runs()


def test_short_problems_may_be_dropped(store: Store) -> None:
    """What is asked for with --drop-short is judged."""
    other = _like_add("t/other")
    _judge(store, _set(ADD, other), _samples(ADD, RIGHT) + _samples(other, RIGHT, WRONG), ks=(2,), drop_short=True)
    document = summarise(store, "r", [2], drop_short=True)
    assert (["t/add"], 1.0) == (document.dropped, document.pass_at_k["2"].value)


def test_missing_problems_stop_the_run_unless_allowed(store: Store, heard: Any) -> None:
    """Then they are named, and neither judged nor counted."""
    absent = [_like_add(f"t/absent{i}") for i in range(7)]
    with pytest.raises(UsageError, match=r"7 of 8 problems have no sample \(t/absent0, .*t/absent4 and 2 more\)"):
        _judge(store, _set(ADD, *absent), _samples(ADD, RIGHT), heard)
    assert [] == store.runs()
    _judge(store, _set(ADD, *absent), _samples(ADD, RIGHT), heard, allow_missing=True)
    assert [("references", 1), ("judging", 1)] == heard.stages
    assert [problem.id for problem in absent] == summarise(store, "r", [1]).missing
    with pytest.raises(UsageError, match="no samples"):
        _judge(store, _set(ADD), [], run="none", allow_missing=True)


def test_missing_tier_leaves_no_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same command works with the same name once the layer is there."""

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

    with monkeypatch.context() as patched:
        patched.setattr(engines, "LocalEngine", NoTier)
        with pytest.raises(TierUnavailable, match="user namespaces missing"):
            _judge(store, _set(ADD), _samples(ADD, RIGHT))
    assert [] == store.runs()
    _judge(store, _set(ADD), _samples(ADD, RIGHT))
    assert {"t/add#0": Outcome.PASSED} == _outcomes(store)


class _Interrupts(Progress):
    """Cancels the work after some verdicts, as Ctrl-C does."""

    def __init__(self, after: int) -> None:
        self.left = after

    def step(self, outcome: Outcome | None) -> None:
        """Count verdicts, not references."""
        self.left -= outcome is not None
        if not self.left:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()


def _many() -> tuple[ProblemSet, list[Sample]]:
    """Thirty programs of three problems, one in three wrong."""
    problems = [ADD, _like_add("t/b"), _like_add("t/c", reference=None)]
    texts = [f"    # {i}\n{WRONG if i % 3 == 0 else RIGHT}" for i in range(10)]
    return _set(*problems), [sample for problem in problems for sample in _samples(problem, *texts)]


def test_interrupted_run_goes_on_to_the_same_figures(store: Store, tmp_path: Path, heard: Any) -> None:
    """What was judged is kept, and not judged again."""
    problems, samples = _many()
    files = _files(tmp_path, problems, samples)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(judge_file(store, _settings(**files), _Interrupts(after=7)))
    kept = store.find_run("r").judged
    assert 7 <= kept < len(samples)
    document = summarise(store, "r", [1])
    assert (True, {}) == (document.partial, document.pass_at_k)
    asyncio.run(judge_file(store, _settings(**files, resume=True), heard))
    assert [("judging", len(samples) - kept)] == [stage for stage in heard.stages if stage[0] == "judging"]
    asyncio.run(judge_file(store, _settings(**files, run="undisturbed")))
    assert _outcomes(store) == _outcomes(store, "undisturbed")
    resumed, undisturbed = (summarise(store, run, [1, 5]) for run in ("r", "undisturbed"))
    assert undisturbed.pass_at_k == resumed.pass_at_k
    assert undisturbed.per_problem == resumed.per_problem
    assert resumed.warnings == undisturbed.warnings


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"limits": msgspec.structs.replace(LIMITS, cpu_s=1)}, "cpu_s 2 then, 1 now"),
        ({"all_tests": True}, "all_tests False then, True now"),
        ({"meta": {"model": "other"}}, "meta {'model': 'm'} then, {'model': 'other'} now"),
    ],
)
def test_resuming_with_other_settings_is_refused(
    store: Store, tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    """The message names what differs."""
    files = _files(tmp_path, _set(ADD), _samples(ADD, RIGHT))
    asyncio.run(judge_file(store, _settings(**files, meta={"model": "m"})))
    with pytest.raises(UsageError, match="run 'r' was begun with other settings: ") as refused:
        asyncio.run(judge_file(store, _settings(**{**files, "resume": True, **changes})))
    assert named in str(refused.value)


def test_resuming_with_other_files_is_refused(store: Store, tmp_path: Path) -> None:
    """Other samples, other problems."""
    files = _files(tmp_path, _set(ADD), _samples(ADD, RIGHT))
    asyncio.run(judge_file(store, _settings(**files)))
    changed = msgspec.structs.replace(ADD, tests=Assertions(code=("assert f(1) == 2",)))
    _files(tmp_path, _set(changed), _samples(ADD, WRONG))
    with pytest.raises(UsageError, match="the problems; the samples"):
        asyncio.run(judge_file(store, _settings(**files, resume=True)))
    with pytest.raises(UsageError, match="no run 'unknown'"):
        asyncio.run(judge_file(store, _settings(**files, run="unknown", resume=True)))
    with pytest.raises(UsageError, match=r"'r' is already in store .* --resume"):
        asyncio.run(judge_file(store, _settings(**files)))


def test_infrastructure_errors_can_be_judged_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    """Only those; without --retry, a finished run has nothing to do."""
    from codejury.engine import local  # noqa: PLC0415 - patched here alone

    texts = (RIGHT, WRONG, f"    # lost\n{RIGHT}")
    files = _files(tmp_path, _set(ADD), _samples(ADD, *texts))
    really_judge = local.judge  # type: ignore[attr-defined]

    async def fail(slot: Any, problem: Problem, source: str, *rest: Any, **options: Any) -> Any:
        if "lost" in source:
            raise InfrastructureError("no lanes")
        return await really_judge(slot, problem, source, *rest, **options)

    with monkeypatch.context() as patched:
        patched.setattr(local, "judge", fail)
        asyncio.run(judge_file(store, _settings(**files)))
    assert Outcome.INFRA_ERROR == _outcomes(store)["t/add#2"]
    asyncio.run(judge_file(store, _settings(**files, resume=True), heard))
    assert ("judging", 0) == heard.stages[-1]
    asyncio.run(judge_file(store, _settings(**files, resume=True, retry_infra=True), heard))
    assert ("judging", 1) == heard.stages[-1]
    assert Outcome.PASSED == _outcomes(store)["t/add#2"]


@pytest.mark.slow
@pytest.mark.parametrize("name", contestants.contestants())
def test_verdicts_on_contestants_equal_their_labels(store: Store, name: str) -> None:
    """It is known of each of their samples whether it is right."""
    _judge(store, sets.load("starter"), contestants.samples(name))
    found = {sample: outcome is Outcome.PASSED for sample, outcome in _outcomes(store).items()}
    assert contestants.expected(name) == found
    assert Outcome.INFRA_ERROR not in _outcomes(store).values()


@pytest.mark.slow
def test_same_samples_get_the_same_verdicts(store: Store) -> None:
    """Twice, to the single test."""
    name = contestants.contestants()[0]
    seen = []
    for run in ("once", "twice"):
        _judge(store, sets.load("starter"), contestants.samples(name), run=run)
        verdicts = store.verdicts(store.find_run(run).id)
        seen.append(
            [(v.problem_id, v.index, v.key, v.outcome, v.n_tests, v.passed, v.integrity) for v in verdicts]
        )
    assert seen[0] == seen[1]


@pytest.mark.slow
@pytest.mark.shared
def test_published_figures_of_codegen(store: Store) -> None:
    """CodeGen-16B on HumanEval, n = 100: pass@10 and pass@100 were published as 50.3 and 73.7 %."""
    samples = DATA / "samples" / "codegen16b_humaneval_n100.jsonl.gz"
    problems = DATA / "problems" / "HumanEval_no_examples.jsonl.gz"
    if not samples.exists():
        pytest.skip(f"{samples} is absent")
    settings = _settings(
        samples=str(samples),
        problems=str(problems),
        limits=Limits(cpu_s=3),
        meta={"model": "CodeGen-16B", "temperature": "0.8"},
    )
    asyncio.run(judge_file(store, settings))
    document = summarise(store, "r", [1, 10, 100])
    assert (16400, 164, 0) == (document.samples, document.problems, document.infra_errors)
    expected = {"1": 0.2210, "10": 0.5037, "100": 0.7378}
    for k, value in expected.items():
        assert pytest.approx(value, abs=0.001) == document.pass_at_k[k].value


def test_rows_say_how_samples_were_made(store: Store, tmp_path: Path) -> None:
    """Their model and temperature are kept; what is declared goes before that, and is noted if it differs."""
    files = _files(tmp_path, _set(ADD), [])
    rows = [{"task_id": ADD.id, "completion": RIGHT, "model": "mine", "temperature": 0.8} for _ in range(2)]
    Path(files["samples"]).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    declared = {"temperature": "0.80", "model": "yours"}
    for run, meta in (("rows", {}), ("declared", declared)):
        asyncio.run(judge_file(store, _settings(run, **files, meta=meta)))
    first, second = (store.manifest(store.find_run(run).id) for run in ("rows", "declared"))
    assert ({"model": "mine", "temperature": "0.8"}, {}) == (first.meta, first.meta_replaced)
    assert (declared, {"model": "mine"}) == (second.meta, second.meta_replaced)
    note = "declared otherwise than the samples and the file beside them say: model 'yours' for 'mine'"
    assert note in summarise(store, "declared", [1]).warnings
    for run, meta in (
        ("rows", {}),
        ("rows", {"temperature": "0.8"}),
        ("declared", declared),
    ):  # goes on, either way
        asyncio.run(judge_file(store, _settings(run, **files, meta=meta, resume=True)))
    with pytest.raises(UsageError, match="temperature"):
        asyncio.run(judge_file(store, _settings("rows", **files, meta={"temperature": "0.2"}, resume=True)))


def test_temperature_0_of_rows_refuses_more_than_one_draw(store: Store, tmp_path: Path) -> None:
    """As where it is declared."""
    files = _files(tmp_path, _set(ADD), [])
    rows = [{"task_id": ADD.id, "completion": RIGHT, "temperature": 0} for _ in range(2)]
    Path(files["samples"]).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(UsageError, match="temperature 0"):
        asyncio.run(judge_file(store, _settings(**files, ks=(2,))))
    assert [] == store.runs()
