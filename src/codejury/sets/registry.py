"""Problem sets by name, by file, or by an address that is pinned.

A set registers through the entry point group `codejury.sets`: a name and a function without arguments that returns
a `ProblemSet`. Its module may have a function `unavailable() -> str | None` that says, without loading the set,
why it cannot be loaded and what to do. The built-in sets are known without an installed package's metadata, and
their names cannot be taken.
"""

from __future__ import annotations

import difflib
import os
from collections import Counter
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from codejury.formats import read_problems
from codejury.model import Problem, ProblemSet, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GROUP = "codejury.sets"
"""The group of entry points."""

_BUILT_IN = (
    EntryPoint(name="humaneval", value="codejury.sets.humaneval:load", group=GROUP),
    EntryPoint(name="starter", value="codejury.sets.starter:load", group=GROUP),
)
_ADDRESSES = ("hf://", "https://", "http://")
_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz", ".parquet")


class SetInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A registered set, as far as it is known without loading it.

    Attributes:
        name: What `load` takes.
        source: "built-in", or the package that registers it.
        unavailable: Why it cannot be loaded and what to do; None if it can.
    """

    name: str
    source: str
    unavailable: str | None = None

    @property
    def available(self) -> bool:
        """Whether it can be loaded."""
        return self.unavailable is None


def load(spec: str | os.PathLike[str]) -> ProblemSet:
    """A problem set.

    Args:
        spec: A registered name, or a file of problems. A name goes before a file in the working folder that is
            called the same; write `./name` for the file. A `Path` is always a file. `hf://OWNER/NAME@COMMIT/PATH`
            is a file of the public hub, `https://…#sha256=HEX` one from anywhere: see `remote`.

    Returns:
        The set. A file's set is named by the file without its endings and has version "1-0"; one of the hub is
        named by data set and file.

    Raises:
        UsageError: There is no such set, it cannot be loaded, or it is no set of problems with distinct ids.
        InputError: The file's content is wrong.
        InfrastructureError: A server cannot be reached.
    """
    name = os.fspath(spec)
    registered = _registered()
    if not isinstance(spec, str):
        return _load_file(name)
    if name in registered:
        return _load_registered(name, registered[name])
    if name.startswith(_ADDRESSES):
        return _load_remote(name)
    if name.endswith(_ENDINGS) or os.sep in name or (name and Path(name).exists()):
        return _load_file(name)
    close = difflib.get_close_matches(name, registered, n=3)
    hint = (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"known are {', '.join(sorted(registered))}."
    )
    raise UsageError(f"no problem set {name!r}: {hint} A file of problems ends in {', '.join(_ENDINGS)}")


def names() -> list[SetInfo]:
    """The registered sets by name, each with whether it can be loaded. Imports their modules, loads none."""
    return [
        SetInfo(name=name, source=_source(points[0]), unavailable=_why_not(points))
        for name, points in sorted(_registered().items())
    ]


def _registered() -> dict[str, list[EntryPoint]]:
    built_in = {point.name: [point] for point in _BUILT_IN}
    registered: dict[str, list[EntryPoint]] = dict(built_in)
    for point in entry_points(group=GROUP):
        if point.name not in built_in:
            others = registered.setdefault(point.name, [])
            if all(point.value != other.value for other in others):
                others.append(point)
    return registered


def _load_registered(name: str, points: list[EntryPoint]) -> ProblemSet:
    if reason := _why_not(points):
        raise UsageError(f"problem set {name!r} cannot be loaded: {reason}")
    found = _function(points[0])()
    if not isinstance(found, ProblemSet):
        raise UsageError(f"problem set {name!r}: {points[0].value} returned no ProblemSet; tell its author")
    _check_distinct(found.problems, name)
    return found


def _load_file(name: str) -> ProblemSet:
    path = Path(name)
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json").removesuffix(".parquet")
    return ProblemSet(name=stem, version="1-0", problems=tuple(read_problems(path)), source=path.name)


def _load_remote(spec: str) -> ProblemSet:
    from codejury.sets.remote import fetch  # noqa: PLC0415 - HTTP and TLS are for those who need them

    file = fetch(spec)
    return ProblemSet(name=file.name, version="1-0", problems=tuple(read_problems(file.path)), source=file.source)


def _source(point: EntryPoint) -> str:
    if point in _BUILT_IN:
        return "built-in"
    return f"package {point.dist.name}" if point.dist else "an unknown package"


def _why_not(points: list[EntryPoint]) -> str | None:
    if len(points) > 1:
        return f"{' and '.join(map(_source, points))} both register it; uninstall all but one"
    point = points[0]
    try:
        _function(point)
        hook: Callable[[], str | None] | None = getattr(import_module(point.module), "unavailable", None)
        return hook() if hook else None
    except Exception as error:  # noqa: BLE001 - a broken plug-in must not hide the other sets
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return f"{_source(point)} fails at {point.value}: {reason}"


def _function(point: EntryPoint) -> Callable[[], object]:
    function: Callable[[], object] = point.load()
    return function


def _check_distinct(problems: Iterable[Problem], name: str) -> None:
    ids = Counter(problem.id for problem in problems)
    if not ids:
        raise UsageError(f"problem set {name!r} has no problems")
    repeated = next((problem_id for problem_id, count in ids.items() if count > 1), None)
    if repeated is not None:
        raise UsageError(f"problem set {name!r} has two problems {repeated!r}; ids are unique")
