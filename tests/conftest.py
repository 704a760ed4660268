"""What the tests of all rooms share: the isolation that this machine gives."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging import ROLES
from codejury.model import (
    Assertions,
    Interpreter,
    Job,
    Judged,
    Limits,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Program,
    Sample,
    SamplesInfo,
    TierUnavailable,
    Verdict,
    text_hash,
)
from codejury.sandbox import Sandbox, Settings, choose_tier, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from codejury.store import Store


SHARED = Path(__file__).parents[2] / "shared" / "data"
"""Real problems and samples, beside the checkout where they are at hand."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What uses the real data is skipped where there is none."""
    if not SHARED.is_dir():
        for item in items:
            if item.get_closest_marker("shared") is not None:
                item.add_marker(pytest.mark.skip(reason="no shared data beside the checkout"))


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """Plain Python, which programs are compared with, starts as from a shell's foreground.

    In a shell's background these tests, and all that they start, would ignore SIGINT.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def sandbox() -> str:
    """The strongest isolation tier of this machine, as `--tier auto` takes it; skips where there is none."""

    async def probe() -> str:
        tier = choose_tier().tier
        async with Sandbox(Settings(interpreter=describe(), limits=Limits(), tier=tier), ROLES):
            return tier

    try:
        return asyncio.run(probe())
    except TierUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def processes(sandbox: str) -> None:
    """Skips in a tier in which programs may not start processes."""
    if sandbox == "landlock":
        pytest.skip("no user namespaces here, and in tier 'landlock' programs may not start processes")


def made_problems(number: int, name: str = "made", **fields: Any) -> ProblemSet:
    """A set of easy and hard problems in turn, every third one with the tag "third"."""
    problems = tuple(
        Problem(
            **{
                "id": f"{name}/{i}",
                "prompt": "",
                "entry_point": "f",
                "tests": Assertions(code=(f"assert f() == {i}",)),
                "difficulty": ("easy", "hard")[i % 2],
                "tags": ("third",) * (i % 3 == 0),
                **fields,
            }
        )
        for i in range(number)
    )
    return ProblemSet(name=name, version="1-0", problems=problems)


@pytest.fixture
def make_run() -> Callable[..., int]:
    """Makes a run of which the verdicts are made, not judged: `right` samples of each problem of n pass.

    `problem_set` is one of `made_problems` unless given, `sampled` has further fields of the samples, `weak` are
    the places of problems with weak verdicts, all else is the manifest's.
    """

    def make(
        store: Store,
        name: str,
        right: Sequence[int],
        n: int | Sequence[int] = 4,
        *,
        problem_set: ProblemSet | None = None,
        sampled: Callable[[int, int], Mapping[str, Any]] = lambda _problem, _index: {},
        weak: Sequence[int] = (),
        **fields: Any,
    ) -> int:
        problem_set = problem_set or made_problems(len(right))
        sizes = [n] * len(right) if isinstance(n, int) else list(n)
        manifest = Manifest(
            run=name,
            created="2026-11-01T00:00:00Z",
            problem_set=ProblemSetInfo.of(problem_set),
            **{
                "samples": SamplesInfo(file=f"{name}.jsonl", count=sum(sizes)),
                "tier": "namespaces",
                "python": Interpreter(implementation="CPython", version="3.11.7"),
                "judge_version": "7",
                "rules": {"completion": sum(sizes)},
                "meta": {"model": "m", "temperature": "0.8", "top_p": "0.95", "max_tokens": "512"},
                **fields,
            },
        )
        pairs, judged = [], []
        for place, (problem, passing, size) in enumerate(zip(problem_set.problems, right, sizes, strict=True)):
            for index in range(size):
                source = f"{name} {index}"
                pairs.append(
                    (
                        Sample(problem_id=problem.id, index=index, text=source, **sampled(place, index)),
                        Program(source, "completion"),
                    )
                )
                program = text_hash(source)
                job = Job(key=program, problem_hash=problem.hash, program_hash=program, limits=Limits())
                outcome = Outcome.PASSED if index < passing else Outcome.WRONG_ANSWER
                verdict = Verdict(
                    outcome=outcome, integrity="weak" if place in weak else "strong", tier=manifest.tier
                )
                judged.append(Judged(job, verdict))
        run = store.create_run(manifest, problem_set, pairs)
        store.sink(run).put(judged)
        return run

    return make


@pytest.fixture
def make_problems() -> Callable[..., ProblemSet]:
    """See `made_problems`."""
    return made_problems
