"""Packages that judged programs and their tests see: those that are named, and what tests are written for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.model import InputError, Pytest, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from codejury.model import Problem
    from codejury.sandbox import Interpreter

PYTEST = ("pytest", "_pytest", "pluggy", "iniconfig")
PYTEST_BESIDE = ("packaging", "pygments", "py", "exceptiongroup", "tomli", "attr", "attrs", "typing_extensions")
"""What pytest imports where it is there; which of these, depends on the versions of pytest and Python."""


def visible(problems: Iterable[Problem], named: tuple[str, ...], interpreter: Interpreter) -> tuple[str, ...]:
    """Import names of the packages to show: those named, then pytest and what it needs, if there are its tests.

    Args:
        problems: That will be judged.
        named: Packages that the user names.
        interpreter: Where they are installed.

    Raises:
        UsageError: A named package is not installed.
        InputError: The problems have tests of pytest, and it is not installed.
    """
    interpreter.find_packages(named)
    first = next((problem.id for problem in problems if isinstance(problem.tests, Pytest)), None)
    if first is None:
        return named
    try:
        interpreter.find_packages(PYTEST)
    except UsageError:
        raise InputError(
            f"problem {first!r} has tests of pytest, which is not installed for {interpreter.executable}: install"
            " it there, or name an interpreter that has it with --python"
        ) from None
    wanted = [*PYTEST, *filter(interpreter.has_package, PYTEST_BESIDE)]
    return (*named, *(name for name in wanted if name not in named))
