"""Samples under several extractors, in a real sandbox; what manifests and comparisons say of extraction."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.formats import write_problems, write_samples
from codejury.model import (
    Assertions,
    Limits,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Sample,
    UsageError,
)
from codejury.pipeline import JudgeSettings, Jury, JurySettings, judge, summarise
from codejury.pipeline.conditions import conditions
from codejury.pipeline.extraction import compare_extractors, extractor_runs, judge_under_each
from codejury.pipeline.manifest import differences

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.store import Store

ADD = Problem(
    id="t/add",
    prompt="def f(x):\n",
    entry_point="f",
    tests=Assertions(code=("assert f(1) == 2",)),
    reference="def f(x):\n    return x + 1\n",
)
DRAFTED = """<think>
def f(x): return 7
</think>
First:
```python
def f(x):
    return x
```
Fixed:
```python
def f(x):
    return x + 1
```
Usage:
```python
print(f(3))
```
"""
ANSWERS = (
    DRAFTED,
    "```python\ndef f(x):\n    return x + 1\n```",
    "I cannot help.",
    "```python\ndef f(x):\n    return x +",
)


def _settings(folder: Path, **changes: Any) -> JudgeSettings:
    write_problems(folder / "set.jsonl", [ADD])
    samples = [
        Sample(problem_id=ADD.id, index=index, text=text, kind="chat") for index, text in enumerate(ANSWERS)
    ]
    write_samples(folder / "chat.jsonl", samples, form="codejury")
    given = {"samples": str(folder / "chat.jsonl"), "problems": str(folder / "set.jsonl"), "run": "r"}
    return JudgeSettings(**{**given, "limits": Limits(cpu_s=2, cpu_total_s=10, wall_factor=30), **changes})


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_the_score_under_each(store: Store, tmp_path: Path) -> None:
    """A run under each; figures, differing and empty programs; rule and flags of each sample are kept."""
    runs = extractor_runs(_settings(tmp_path), ["auto", "last-fence", "first-fence"])
    asyncio.run(judge_under_each(store, runs))
    assert ["r", "r.last-fence", "r.first-fence"] == [info.name for info in store.runs()]
    document = compare_extractors(store, [summarise(store, str(run.run)) for run in runs])
    assert ["auto 1", "last-fence 1", "first-fence 1"] == [row.extractor for row in document.rows]
    assert [0.5, 0.25, 0.25] == [row.pass_at_k["1"].value for row in document.rows]
    assert [0, 2, 2] == [row.differing for row in document.rows]
    assert [1, 0, 0] == [row.empty for row in document.rows]
    assert {"thinking": 1, "cut-off": 1, "unparsed": 1} == document.rows[0].flags
    assert {"fence": 3, "none": 1} == document.rows[0].rules
    assert "answers: 1 cut off within their code, 1 without any code (extractor auto 1)" in document.warnings

    verdicts = list(store.verdicts(store.find_run("r").id))
    assert [("thinking",), (), (), ("cut-off", "unparsed")] == [verdict.flags for verdict in verdicts]
    assert ["fence", "fence", "none", "fence"] == [verdict.rule for verdict in verdicts]
    assert list(ANSWERS) == [store.text(verdict.text_hash) for verdict in verdicts]
    assert "no_code" == verdicts[2].outcome

    with pytest.raises(UsageError, match=r"'r' is already in store"):
        asyncio.run(judge_under_each(store, extractor_runs(_settings(tmp_path), ["raw"])))
    more = extractor_runs(_settings(tmp_path, resume=True), ["auto", "raw"])
    asyncio.run(judge_under_each(store, more))
    assert "raw 1" == store.manifest(store.find_run("r.raw").id).extractor
    with pytest.raises(UsageError, match=r"extractor 'auto 1' then, 'raw 1' now"):
        asyncio.run(judge(store, _settings(tmp_path, resume=True, extractor="raw")))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "no extractor is named"),
        (["auto", "auto"], "named twice"),
        (["best"], "none of this name; take of auto,"),
    ],
)
def test_wrong_names_are_refused(names: list[str], said: str, tmp_path: Path) -> None:
    """Before anything is read."""
    with pytest.raises(UsageError, match=said):
        extractor_runs(_settings(tmp_path), names)


def test_judge_refuses_an_unknown_extractor(store: Store, tmp_path: Path) -> None:
    """In one line that names those that there are."""
    with pytest.raises(UsageError, match=r"^extractor 'best': there is none of this name; take of auto, chat,"):
        asyncio.run(judge(store, _settings(tmp_path, extractor="best")))
    assert [] == store.runs()


def _manifest(extractor: str, *rules: str) -> Manifest:
    info = ProblemSetInfo(name="s", version="1-0", hash="h")
    return Manifest(
        run="r",
        created="",
        problem_set=info,
        extractor=extractor,
        rules=dict.fromkeys(rules, 1),
        judge_version="1",
    )


def _condition(manifest: Manifest) -> str | None:
    return conditions(manifest, [1], ["t"]).get("extraction")


def test_the_condition_is_the_extractor() -> None:
    """Not what it did with each answer; answers that are judged to the byte are what they always were."""
    assert "auto 1" == _condition(_manifest("auto 1", "fence", "plain", "empty"))
    assert "auto 1" == _condition(_manifest("auto 1", "fence", "none"))
    assert "last-fence 1" == _condition(_manifest("last-fence 1", "fence"))
    assert "stop 1" == _condition(_manifest("stop 1", "stop"))
    assert "completion" == _condition(_manifest("auto 1", "completion", "empty"))
    assert "completion, solution" == _condition(_manifest("", "solution", "completion", "empty"))
    assert "fence" == _condition(_manifest("", "fence"))
    assert _condition(_manifest("", "empty")) is None


def test_differences_of_extractors() -> None:
    """Runs that name none, as older ones, may go on."""
    auto = _manifest("auto 1")
    assert [] == differences(auto, auto)
    assert ["extractor 'auto 1' then, 'raw 1' now"] == differences(auto, _manifest("raw 1"))
    assert [] == differences(_manifest(""), auto)
    assert [] == differences(msgspec.structs.replace(auto, flags={"cut-off": 1}), auto)


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_a_jury_takes_chats() -> None:
    """Of an answer in prose the code is judged."""
    with Jury(ProblemSet(name="s", version="1-0", problems=(ADD,)), JurySettings(slots=1)) as jury:
        assert Outcome.PASSED == jury.judge(ADD.id, DRAFTED, kind="chat").outcome
        assert Outcome.NO_CODE == jury.judge(ADD.id, ANSWERS[2], kind="chat").outcome
