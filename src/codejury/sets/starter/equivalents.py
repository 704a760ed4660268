"""Mutants of the references that no test can fail, each with the reason, as `mutants.toml` in its folder argues.

The file has tables `[[equivalent]]` with the label of a mutant as `mutant`, and `reason`. `codejury sets strength`
judges these mutants as well: one that a test fails, or that is there no longer, is an error of the set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.sets.equivalents import Equivalent, read_equivalents
from codejury.sets.starter.catalogue import folder_of, load

if TYPE_CHECKING:
    from codejury.model import ProblemSet


def equivalents() -> list[Equivalent]:
    """Those of all problems, in the order of the set.

    Raises:
        InputError: A `mutants.toml` is wrong.
    """
    found = []
    for problem in load().problems:
        path = folder_of(problem) / "mutants.toml"
        if path.exists():
            found += read_equivalents(path, problem=problem.id)
    return found


def equivalents_of(problem_set: ProblemSet) -> list[Equivalent]:
    """Those of the built-in set if `problem_set` is this one; none of any other."""
    return equivalents() if problem_set == load() else []
