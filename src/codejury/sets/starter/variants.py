"""Right and wrong answers to each problem, as `variants.toml` in its folder names them.

The file has

- `example`: a call of the entry point, for answers that end in a demonstration;
- `rename`: other names for variables of the answers, which change nothing;
- `[[right]]` and `[[wrong]]`: the answers, completions like the reference, which is a right one itself. Each has
  a `name` and its whole `body`; a wrong one may have `edits` instead, pairs of a text that stands in the reference
  exactly once and of what replaces it. A wrong one says which kind of `mistake` it makes, and whether it `hangs`.
  A right one may have `traits`: "fast" or "slow" beside the reference where the input grows, "unsafe" where it
  does what a security review would refuse.

To these come the mistakes that fit any problem, made from the reference: an answer that was cut off, talk before
the code, a printed result, a forgotten return, a stub.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from codejury.model import InputError
from codejury.sets.starter.catalogue import folder_of

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.model import Problem


Trait = Literal["fast", "slow", "unsafe"]


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to one problem.

    Attributes:
        name: Unique among the answers to the problem.
        body: The completion.
        right: Whether it keeps the whole contract. A test holds this against the problem's tests.
        mistake: The kind of mistake; empty for a right answer.
        hangs: Whether it never ends, which costs a judge the whole CPU limit.
        form_is_mistake: Whether the mistake is in the form of the text: nothing may be put before or after.
        finish_reason: Why a model would have stopped here.
        traits: Of a right answer; none for most.
    """

    name: str
    body: str
    right: bool
    traits: tuple[Trait, ...] = ()
    mistake: str = ""
    hangs: bool = False
    form_is_mistake: bool = False
    finish_reason: str = "stop"


class Variants(msgspec.Struct, frozen=True, kw_only=True):
    """All answers to one problem.

    Attributes:
        right: The reference first.
        wrong: Those of the problem itself, the hanging ones included.
        general: Those that fit any problem; all wrong.
        rename: Other names for a variable.
        example: A call of the entry point.
    """

    right: tuple[Variant, ...]
    wrong: tuple[Variant, ...]
    general: tuple[Variant, ...]
    rename: dict[str, list[str]]
    example: str

    @property
    def all(self) -> tuple[Variant, ...]:
        """Every answer."""
        return self.right + self.wrong + self.general


class _Right(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    body: str
    traits: tuple[Trait, ...] = ()


class _Wrong(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    mistake: str
    body: str = ""
    edits: list[tuple[str, str]] = []
    hangs: bool = False


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    example: str
    rename: dict[str, list[str]]
    right: list[_Right]
    wrong: list[_Wrong]


def variants(problem: Problem) -> Variants:
    """All answers to a problem of this set.

    Raises:
        InputError: The problem's `variants.toml` is wrong.
    """
    return _read(folder_of(problem))


@cache
def _read(folder: Path) -> Variants:
    path = folder / "variants.toml"
    reference = (folder / "body.py.txt").read_text(encoding="utf-8")
    try:
        file = msgspec.toml.decode(path.read_bytes(), type=_File)
    except msgspec.DecodeError as error:
        raise InputError(f"{error}; correct it", path=str(path)) from None
    right = [Variant(name="reference", body=reference, right=True)]
    right += [Variant(name=given.name, body=given.body, right=True, traits=given.traits) for given in file.right]
    wrong = [
        Variant(
            name=given.name,
            body=given.body or _edited(reference, given, path),
            right=False,
            mistake=given.mistake,
            hangs=given.hangs,
        )
        for given in file.wrong
    ]
    return Variants(
        right=tuple(right),
        wrong=tuple(wrong),
        general=_general(reference),
        rename=file.rename,
        example=file.example,
    )


def _edited(body: str, given: _Wrong, path: Path) -> str:
    if not given.edits:
        raise InputError("has neither a body nor edits; give one", path=str(path), field=given.name)
    for old, new in given.edits:
        if (times := body.count(old)) != 1:
            raise InputError(
                f"{old!r} stands in the reference {times} times; name a text that stands there once",
                path=str(path),
                field=given.name,
            )
        body = body.replace(old, new)
    return body


def _general(reference: str) -> tuple[Variant, ...]:
    """The mistakes that fit any problem. The reference ends in `return …` of the function or last method."""
    head, _, result = reference.removesuffix("\n").rpartition("return ")
    return (
        _wrong("prints the result", "prints instead of returns", f"{head}print({result})\n"),
        _wrong("keeps the result", "forgets to return", f"{head}answer = {result}\n"),
        _wrong("stub", "leaves it to others", "    raise NotImplementedError\n"),
        _misshapen("talks before the code", "talk in the code", f"Here is the completed function:\n\n{reference}"),
        _misshapen("fences the code", "talk in the code", f"```python\n{reference}```\n"),
        _misshapen("cut off", "truncated output", _cut(reference), finish_reason="length"),
    )


def _wrong(name: str, mistake: str, body: str) -> Variant:
    return Variant(name=name, mistake=mistake, body=body, right=False)


def _misshapen(name: str, mistake: str, body: str, finish_reason: str = "stop") -> Variant:
    return Variant(
        name=name, mistake=mistake, body=body, right=False, form_is_mistake=True, finish_reason=finish_reason
    )


def _cut(reference: str) -> str:
    """The reference up to an open bracket in its last third: never a whole program."""
    end = max(reference.rfind(bracket, 0, len(reference) * 5 // 6) for bracket in "([{")
    return reference[: end + 1]
