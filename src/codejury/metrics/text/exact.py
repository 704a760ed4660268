"""Four rules by which two texts are the same, from the strictest on."""

from __future__ import annotations

from codejury.metrics.text.lexing import lines, without


def same(one: str, other: str) -> bool:
    """Equal, character by character."""
    return one == other


def same_stripped(one: str, other: str) -> bool:
    """Equal without the white space around them."""
    return one.strip() == other.strip()


def same_tokens(one: str, other: str) -> bool:
    """Equal in what white space separates: `a+b` and `a + b` are not."""
    return one.split() == other.split()


def code_lines(text: str, language: str, *, before: str = "") -> list[str]:
    """The lines without comments, stripped; those that are empty then are left out.

    Args:
        text: The completion.
        language: One of `lexing.LANGUAGES`.
        before: What stands before the completion.
    """
    return [line for line in map(str.strip, lines(without(text, language, before=before))) if line]


def same_lines(one: str, other: str, language: str, *, before: str = "") -> bool:
    """Equal in their `code_lines`."""
    return one == other or code_lines(one, language, before=before) == code_lines(other, language, before=before)
