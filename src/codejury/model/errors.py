"""The errors of codejury, each with the exit code that the command line gives it.

CodejuryError
├── UsageError            2  the call or its input is wrong; says what, where, what to do
│   └── InputError        2  a file's content is wrong: path, line, field
├── InfrastructureError   3  the machine could not do what was asked
│   └── TierUnavailable   3  an isolation layer is missing; says which one and why
└── NotComparableError    4  two runs must not be compared
"""

from __future__ import annotations


class CodejuryError(Exception):
    """Base of all errors that are told to the user in one line."""

    exit_code = 1


class UsageError(CodejuryError):
    """The call or its input is wrong."""

    exit_code = 2


class InputError(UsageError):
    """A file's content is wrong.

    Args:
        message: What is wrong and what to do, one line.
        path: The file.
        line: 1-based line number, where there is one.
        field: Name of the field, where there is one.
    """

    def __init__(
        self, message: str, *, path: str | None = None, line: int | None = None, field: str | None = None
    ) -> None:
        self.message, self.path, self.line, self.field = message, path, line, field
        place = path or ""
        if line is not None:
            place += f":{line}"
        if field is not None:
            place += f": field {field!r}" if place else f"field {field!r}"
        super().__init__(f"{place}: {message}" if place else message)


class InfrastructureError(CodejuryError):
    """The machine could not do what was asked: a sandbox, a store, a disk."""

    exit_code = 3


class TierUnavailable(InfrastructureError):  # noqa: N818 - reads as the state that it is
    """An isolation tier cannot be had on this machine.

    Args:
        tier: The tier's name.
        layer: The layer that is missing, as "user namespaces".
        reason: Why, and what to do.
    """

    def __init__(self, tier: str, layer: str, reason: str) -> None:
        self.tier, self.layer, self.reason = tier, layer, reason
        super().__init__(f"tier {tier!r} cannot be had: {layer} missing: {reason}")


class NotComparableError(CodejuryError):
    """Two runs must not be compared; says which settings differ."""

    exit_code = 4
