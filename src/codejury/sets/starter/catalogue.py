"""The problems of the set, each read from its own folder below `problems/`.

A folder is named like the problem and holds

- `problem.toml`: difficulty, tags and the date of creation; the entry point where it is not the folder's name;
- `prompt.py.txt`: what is asked, a signature and a docstring that is the whole contract; for a class, its head and
  docstring;
- `body.py.txt`: the reference, as a completion of the prompt;
- `check.py.txt`: the tests, with a function `check(candidate)`;
- `inputs.py.txt`, where a scale makes sense: a function `inputs(scale, seed)`, see `codejury.model.Problem`;
- `variants.toml`: right and wrong answers for the synthetic contestants, see `codejury.sets.starter.variants`.

The files are text and stay text here: nothing of a problem is imported or run. To add a problem, add a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from codejury.model import CheckFunction, Problem, ProblemSet

FOLDER = Path(__file__).parent / "problems"
"""Where the problems' folders lie."""

DIFFICULTIES = ("easy", "medium", "hard")
"""In the order of the set."""

_PREFIX = "starter/"


class _Facts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a `problem.toml`."""

    difficulty: Literal["easy", "medium", "hard"]
    tags: tuple[str, ...]
    created: str
    entry_point: str | None = None


def load() -> ProblemSet:
    """The set: easy problems first, then medium, then hard, each by id."""
    problems = [_problem(facts.parent) for facts in FOLDER.glob("*/problem.toml")]
    problems.sort(key=lambda problem: (DIFFICULTIES.index(problem.difficulty or ""), problem.id))
    return ProblemSet(name="starter", version="1-0", problems=tuple(problems), source="built-in")


def folder_of(problem: Problem) -> Path:
    """The folder that a problem of this set was read from."""
    return FOLDER / problem.id.removeprefix(_PREFIX)


def _problem(folder: Path) -> Problem:
    facts = msgspec.toml.decode((folder / "problem.toml").read_bytes(), type=_Facts)
    prompt = _text(folder, "prompt")
    inputs = _text(folder, "inputs") if (folder / "inputs.py.txt").exists() else None
    return Problem(
        id=_PREFIX + folder.name,
        prompt=prompt,
        entry_point=facts.entry_point or folder.name,
        tests=CheckFunction(code=_text(folder, "check")),
        reference=prompt + _text(folder, "body"),
        difficulty=facts.difficulty,
        tags=facts.tags,
        created=facts.created,
        licence="Apache-2.0",
        inputs=inputs,
    )


def _text(folder: Path, name: str) -> str:
    return (folder / f"{name}.py.txt").read_text(encoding="utf-8")
