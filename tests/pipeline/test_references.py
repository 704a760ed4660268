"""Limits that a slow reference raises: who is judged with them, who is told, and what stays as it was."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from codejury.model import Assertions, Limits, Outcome, Problem, ProblemSet, Sample
from codejury.pipeline import JudgeSettings, judge_samples
from codejury.pipeline.references import raised_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.store import Store

HEAD = "def f(s):\n"
SPIN = (
    "    import time\n    end = time.process_time() + {factor} * s\n"
    "    while time.process_time() < end: pass\n    return s\n"
)
SLOW = Problem(
    id="t/slow",
    prompt=HEAD,
    entry_point="f",
    tests=Assertions(code=("assert f(0.4) == 0.4",)),
    reference=HEAD + SPIN.format(factor=1),
)
QUICK = Problem(
    id="t/quick",
    prompt=HEAD,
    entry_point="f",
    tests=Assertions(code=("assert f(0) == 0",)),
    reference=HEAD + "    return s\n",
)
LIMITS = Limits(cpu_s=0.5, cpu_total_s=10.0, wall_factor=40.0)


def _judge(store: Store, run: str, samples: Sequence[Sample]) -> None:
    settings = JudgeSettings(samples="s", problems="tiny", run=run, limits=LIMITS)
    problems = ProblemSet(name="tiny", version="1-0", problems=(QUICK, SLOW))
    asyncio.run(judge_samples(store, settings, problems, samples))


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_a_run_with_a_slow_reference(store: Store) -> None:
    """A sample over the run's limit passes; the manifest says which problem, and what limit it had."""
    samples = [
        Sample(problem_id="t/slow", index=0, text=SPIN.format(factor=2)),
        Sample(problem_id="t/slow", index=1, text=SPIN.format(factor=20)),
        Sample(problem_id="t/quick", index=0, text="    return s\n"),
    ]
    _judge(store, "first", samples)
    run = store.find_run("first").id
    assert [Outcome.PASSED, Outcome.TIMEOUT_CPU, Outcome.PASSED] == [
        verdict.outcome
        for verdict in sorted(store.verdicts(run), key=lambda v: (v.problem_id == "t/quick", v.index))
    ]
    manifest = store.manifest(run)
    assert LIMITS == manifest.limits
    assert ["t/slow"] == list(manifest.raised)
    cpu_s, total_s = manifest.raised["t/slow"]
    assert (True, 10.0) == (1.5 <= cpu_s < 4.0, total_s)  # four times 0.4 s, as near as the clocks agree
    assert [raised_note(manifest.raised)] == [note for note in manifest.notes if "reference" in note]

    # The profile is kept, so that the limits of a machine are the same ever after.
    _judge(store, "second", samples)
    assert manifest.raised == store.manifest(store.find_run("second").id).raised


def test_what_a_reader_is_told() -> None:
    """Problems with both limits, the first ten."""
    assert (
        "the limit of CPU time is 4 times what the reference took here on 2 problems:"
        " a (12 s a test, 30 s in all), b (5 s a test, 48.5 s in all)"
    ) == raised_note({"b": (5.0, 48.5), "a": (12.0, 30.0)})
    many = raised_note({f"p{i:02}": (6.0, 30.0) for i in range(12)})
    assert many.startswith("the limit of CPU time is 4 times what the reference took here on 12 problems: p00 (")
    assert many.endswith("p09 (6 s a test, 30 s in all) and 2 more")
