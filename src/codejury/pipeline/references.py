"""References before samples: limits and keys of each problem, and what its reference shows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec

from codejury.judging import Profile, raised, verdict_key
from codejury.model import Confirm, Limits, Outcome, Problem, UsageError, text_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from codejury.engine import AnyEngine
    from codejury.store import Store

_SHOWN = 10
_FAULTS_SHOWN = 3


class Progress:
    """What a long judging tells of itself; this one is silent."""

    def stage(self, name: str, total: int) -> None:
        """A stage begins: its name, and how many steps it has."""

    def step(self, outcome: Outcome | None) -> None:
        """One step is done; with the outcome of a program where it was judged."""


class KeyContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a verdict's key depends on besides problem, program and limits.

    Attributes:
        tier: Isolation tier.
        interpreter: Implementation and version, as "cpython 3.11.7".
        packages: Import names of the packages that programs see.
        all_tests: Whether tests run on after a failed one.
        confirm: Which passes are confirmed in the tests' own process.
    """

    tier: str
    interpreter: str
    packages: tuple[str, ...] = ()
    all_tests: bool = False
    confirm: Confirm = "auto"

    def key(self, problem: Problem, program_hash: str, limits: Limits) -> str:
        """The key of a verdict."""
        return verdict_key(
            problem,
            program_hash,
            limits,
            tier=self.tier,
            interpreter=" ".join((self.interpreter, *self.packages)),
            all_tests=self.all_tests,
            confirm=self.confirm,
        )


def effective_limits(problem: Problem, limits: Limits) -> Limits:
    """The run's limits with the problem's own applied."""
    return problem.limits.apply(limits) if problem.limits is not None else limits


def raised_limits(
    problems: Mapping[str, Problem], profiles: Mapping[str, Profile | None], limits: Mapping[str, Limits]
) -> dict[str, tuple[float, float]]:
    """CPU seconds per test and in all of the problems whose reference raises a limit, by their ids."""
    higher = {digest: raised(limits[digest], found) for digest, found in profiles.items()}
    return {
        problems[digest].id: (round(own.cpu_s, 3), round(own.cpu_total_s, 3))
        for digest, own in higher.items()
        if own != limits[digest]
    }


def largest(all_limits: Iterable[Limits], default: Limits) -> Limits:
    """The largest of each limit: what the sandbox must be able to give."""
    result = default
    for limits in all_limits:
        larger = {name: max(getattr(result, name), getattr(limits, name)) for name in Limits.__struct_fields__}
        result = msgspec.structs.replace(result, **larger)
    return result


async def judge_references(
    engine: AnyEngine, todo: Sequence[tuple[Problem, Limits]], progress: Progress
) -> dict[str, Profile | None]:
    """What the references show, by their problems' hashes; None for those without one.

    Args:
        engine: Judges them.
        todo: Problems with their limits.
        progress: Told of each step.
    """
    progress.stage("references", len(todo))
    profiles: dict[str, Profile | None] = {}
    async with contextlib.aclosing(engine.profile(todo)) as results:
        async for problem, profile in results:
            profiles[problem.hash] = profile
            progress.step(profile.outcome if profile else None)
    return profiles


async def reference_profiles(
    store: Store,
    engine: AnyEngine,
    problems: Mapping[str, Problem],
    limits: Mapping[str, Limits],
    context: KeyContext,
    progress: Progress,
) -> dict[str, Profile | None]:
    """What the references show, from the store where it has judged them before; None for those without one.

    Args:
        store: Keeps profiles under the key of the reference's verdict.
        engine: Judges the references that the store does not know.
        problems: By hash.
        limits: Of each problem, by its hash.
        context: The rest of the keys.
        progress: Told of each step.

    Raises:
        UsageError: A problem's tests can judge nobody.
    """
    found: dict[str, Profile | None] = {}
    keys: dict[str, str] = {}
    for digest, problem in problems.items():
        if problem.reference is None:
            found[digest] = None
            continue
        keys[digest] = context.key(problem, text_hash(problem.reference), limits[digest])
    known = store.profiles(keys.values())
    found.update((d, msgspec.json.decode(known[key], type=Profile)) for d, key in keys.items() if key in known)
    todo = [(problem, limits[digest]) for digest, problem in problems.items() if digest not in found]
    if todo:
        progress.stage("references", len(todo))
    new: dict[str, bytes] = {}
    async with contextlib.aclosing(
        engine.profile(todo, all_tests=context.all_tests, confirm=context.confirm)
    ) as profiles:
        async for problem, profile in profiles:
            found[problem.hash] = profile
            progress.step(None)
            if profile is not None and profile.sound:  # a failure may be this machine's, and is looked at again
                new[keys[problem.hash]] = msgspec.json.encode(profile)
    store.put_profiles(new)
    _refuse_faults(problems, found)
    return found


def _refuse_faults(problems: Mapping[str, Problem], profiles: Mapping[str, Profile | None]) -> None:
    faults = [f"{problems[d].id}: {p.fault}" for d, p in profiles.items() if p is not None and p.fault]
    if faults:
        more = f" (and {len(faults) - _FAULTS_SHOWN} more)" if len(faults) > _FAULTS_SHOWN else ""
        shown = "; ".join(sorted(faults)[:_FAULTS_SHOWN]) + more
        raise UsageError(f"problems that cannot be judged: {shown}: mend or remove them")


def reference_notes(problems: Mapping[str, Problem], profiles: Mapping[str, Profile | None]) -> tuple[str, ...]:
    """What a reader of the figures must know of the references."""
    unsound = sorted(
        f"{problems[d].id} ({p.outcome})" for d, p in profiles.items() if p is not None and not p.sound
    )
    without = sum(p is None for p in profiles.values())
    notes = []
    if unsound:
        more = f" and {len(unsound) - _SHOWN} more" if len(unsound) > _SHOWN else ""
        notes.append(
            f"the reference fails its own tests on {_problems(len(unsound))}: {', '.join(unsound[:_SHOWN])}{more}"
        )
    if without:
        notes.append(
            f"{_problems(without)} without a reference: that samples finish all their tests is not checked there"
        )
    return tuple(notes)


def weak_problems(problems: Mapping[str, Problem], profiles: Mapping[str, Profile | None]) -> dict[str, str]:
    """Why verdicts are weak, by the ids of the problems where a reference shows it."""
    found = ((problems[digest].id, profile.weak) for digest, profile in profiles.items() if profile is not None)
    return {problem: reason for problem, reason in found if reason is not None}


def weak_note(weak: Mapping[str, str]) -> str:
    """Which problems' verdicts are weak, and why, by their ids."""
    said = [f"{problem} ({reason})" for problem, reason in sorted(weak.items())]
    more = f" and {len(said) - _SHOWN} more" if len(said) > _SHOWN else ""
    return f"verdicts are weak on {_problems(len(said))}: {'; '.join(said[:_SHOWN])}{more}"


def refuse_weak(weak: Mapping[str, str]) -> None:
    """Refuse problems whose verdicts would be weak, where strong ones are required.

    Raises:
        UsageError: There are such problems.
    """
    if weak:
        raise UsageError(f"--require-integrity strong: {weak_note(weak)}: leave them out, or drop the requirement")


def raised_note(raised: Mapping[str, tuple[float, float]]) -> str:
    """Which limits are higher than the run's, since the references take longer here than a quarter of them."""
    said = [
        f"{problem} ({cpu:.3g} s a test, {total:.3g} s in all)" for problem, (cpu, total) in sorted(raised.items())
    ]
    more = f" and {len(said) - _SHOWN} more" if len(said) > _SHOWN else ""
    return (
        f"the limit of CPU time is 4 times what the reference took here on {_problems(len(said))}:"
        f" {', '.join(said[:_SHOWN])}{more}"
    )


def _problems(number: int) -> str:
    return f"{number} problem{'' if number == 1 else 's'}"
