"""Samples of three synthetic contestants: no model wrote them.

Each contestant is a profile, a handful of numbers below. Its samples are drawn from the problems' labelled answers
(`codejury.sets.starter.variants`), in one of several looks: other names for variables, a comment, another form of
the same statement, a demonstration at the end. So it is known of each sample whether it is right, and a judge can
be held against it. Profiles and seeds were chosen so that the figures have something to tell: the hasty one leads
at k = 1 and hardly gains, with answers that are fast and unsafe; the careful one, slow and clean, overtakes it as
more tries count; the novice stays behind.

The draw of one problem depends on the contestant, its seed and that problem alone: a new problem changes no sample
of another. It uses `random.Random.random` alone, whose sequence for a seed is the same in every Python.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, TypeVar

import msgspec

from codejury.model import Sample, UsageError
from codejury.sets.starter.catalogue import load
from codejury.sets.starter.variants import Trait, Variant, Variants, variants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.model import Problem

SAMPLES = 20
"""Samples of each contestant for each problem."""

_T = TypeVar("_T")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A sample, and what is known of it.

    Attributes:
        sample: The sample.
        variant: Name of the answer that it was made of.
        right: Whether it is right.
        mistake: The kind of mistake; empty for a right one.
        hangs: Whether it never ends.
    """

    sample: Sample
    variant: str
    right: bool
    mistake: str = ""
    hangs: bool = False


class _Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What a contestant can do.

    Attributes:
        seed: Of its draws.
        rate: By difficulty, the chance of a right answer.
        prefers: The trait of the right answers that it gives: the first of these that any to the problem has.
        avoids: The trait of the right answers that it never gives.
        settled: Share of problems that it gets right nearly always, with chance `rate`, or else nearly never.
        answers: How many different right ones, and wrong ones, it gives to one problem at most; those with a
            mistake that fits any problem come on top.
        looks: How many looks it gives to its answers to one problem.
        careless: Chance that a wrong answer has such a mistake, as a printed result.
        hangs_at: Id of a problem that its last answer to hangs; each costs a judge the whole CPU limit.
    """

    seed: int
    rate: dict[str, float]
    prefers: tuple[Trait, ...] = ()
    avoids: Trait | None = None
    settled: float
    answers: int
    looks: int
    careless: float
    hangs_at: str = ""


_PROFILES = {
    "synthetic-hasty": _Profile(
        seed=36,
        rate={"easy": 0.9, "medium": 0.75, "hard": 0.6},
        prefers=("unsafe", "fast"),
        avoids="slow",
        settled=1.0,
        answers=1,
        looks=24,
        careless=0.1,
    ),
    "synthetic-careful": _Profile(
        seed=25,
        rate={"easy": 0.65, "medium": 0.5, "hard": 0.35},
        prefers=("slow",),
        avoids="unsafe",
        settled=0.0,
        answers=99,
        looks=36,
        careless=0.2,
        hangs_at="starter/dijkstra",
    ),
    "synthetic-novice": _Profile(
        seed=24,
        rate={"easy": 0.45, "medium": 0.2, "hard": 0.08},
        settled=0.4,
        answers=4,
        looks=24,
        careless=0.5,
        hangs_at="starter/merge_sort",
    ),
}

_NEARLY = 0.97
"""Chance of a right answer to a problem that is got right nearly always; of a wrong one, nearly never."""

_COMMENTS = (
    "Handle the simple cases first.",
    "Work on a copy, step by step.",
    "The edge cases follow from the general one.",
    "Straightforward implementation.",
    "One pass is enough here.",
    "Keep track of what has been seen so far.",
)

_COMMENTS_ON_CLASSES = (
    "Keep the state small and the methods short.",
    "Every method leaves the object in order.",
    "What is asked for often is kept at hand.",
    "Straightforward implementation.",
    "The edge cases follow from the general one.",
    "Nothing is shared between two objects.",
)


def contestants() -> list[str]:
    """The contestants' names, each with the word "synthetic"."""
    return list(_PROFILES)


def samples(name: str) -> list[Sample]:
    """A contestant's samples, `SAMPLES` for each problem, in the order of the set.

    Raises:
        UsageError: There is no such contestant.
    """
    return [answer.sample for answer in answers(name)]


def expected(name: str) -> dict[str, bool]:
    """Whether each of a contestant's samples is right, by sample id.

    Raises:
        UsageError: There is no such contestant.
    """
    return {answer.sample.id: answer.right for answer in answers(name)}


def answers(name: str) -> list[Answer]:
    """A contestant's samples with what is known of them, in the order of `samples`.

    Raises:
        UsageError: There is no such contestant.
    """
    if name not in _PROFILES:
        raise UsageError(f"no synthetic contestant {name!r}; they are {', '.join(_PROFILES)}")
    return [answer for problem in load().problems for answer in _answers_to(problem, name)]


def _answers_to(problem: Problem, name: str) -> list[Answer]:
    profile, known = _PROFILES[name], variants(problem)
    dice = _Dice(f"{name}:{profile.seed}:{problem.id}")
    rate = profile.rate[problem.difficulty or ""]
    if dice.chance(profile.settled):
        rate = _NEARLY if dice.chance(rate) else 1 - _NEARLY
    right = dice.some(_usual(known.right, profile), profile.answers)
    wrong = dice.some([variant for variant in known.wrong if not variant.hangs], profile.answers)
    comments = _COMMENTS_ON_CLASSES if "class" in problem.tags else _COMMENTS
    looks = [_Look.draw(dice, known, comments) for _ in range(profile.looks)]
    given = []
    for index in range(SAMPLES):
        is_right, is_careless = dice.chance(rate), dice.chance(profile.careless)
        variant = dice.pick(right if is_right else known.general if is_careless else wrong)
        look = dice.pick(looks)
        if index == SAMPLES - 1 and problem.id == profile.hangs_at:
            variant = next(variant for variant in known.wrong if variant.hangs)
        given.append(_answer(problem.id, index, variant, look.dress(variant)))
    return given


def _usual(right: tuple[Variant, ...], profile: _Profile) -> list[Variant]:
    """The right answers that a contestant gives: those with the trait that it likes best, if there are any."""
    allowed = [variant for variant in right if profile.avoids not in variant.traits]
    for trait in profile.prefers:
        if liked := [variant for variant in allowed if trait in variant.traits]:
            return liked
    return allowed


def _answer(problem_id: str, index: int, variant: Variant, text: str) -> Answer:
    return Answer(
        sample=Sample(problem_id=problem_id, index=index, text=text, finish_reason=variant.finish_reason),
        variant=variant.name,
        right=variant.right,
        mistake=variant.mistake,
        hangs=variant.hangs,
    )


class _Look(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer is written, as far as that changes nothing."""

    names: dict[str, str]
    comment: str
    long_steps: bool
    ending: str

    @classmethod
    def draw(cls, dice: _Dice, known: Variants, comments: Sequence[str]) -> _Look:
        """A look for answers to one problem."""
        demonstration = f'\n\nif __name__ == "__main__":\n    print({known.example})\n'
        return cls(
            names={name: dice.pick([name, *others]) for name, others in known.rename.items()},
            comment=dice.pick(comments) if dice.chance(0.5) else "",
            long_steps=dice.chance(0.3),
            ending=demonstration if dice.chance(0.15) else "\n" if dice.chance(0.15) else "",
        )

    def dress(self, variant: Variant) -> str:
        """A variant's body in this look. Where the form itself is the mistake, only names change."""
        body = variant.body
        for name, other in self.names.items():
            if not re.search(rf"\b{other}\b", body):
                body = re.sub(rf"(?<![\w.]){name}\b", other, body)
        if variant.form_is_mistake:
            return body
        if self.long_steps:
            body = re.sub(r"^( +)([\w.]+) \+= 1$", r"\1\2 = \2 + 1", body, flags=re.MULTILINE)
        comment = f"    # {self.comment}\n" if self.comment else ""
        return comment + body + self.ending


class _Dice:
    """Draws that come out the same in every version of Python."""

    def __init__(self, seed: str) -> None:
        self._next = Random(seed).random  # noqa: S311 - nothing here is secret

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._next() < probability

    def pick(self, items: Sequence[_T]) -> _T:
        """One of the items."""
        return items[int(self._next() * len(items))]

    def some(self, items: Sequence[_T], count: int) -> list[_T]:
        """At most `count` different items, in any order."""
        rest = list(items)
        return [rest.pop(int(self._next() * len(rest))) for _ in range(min(count, len(rest)))]
