"""Samples and problems from one format to another; what would be lost is said before anything is written."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from codejury import extract, formats, sets
from codejury.formats.samples import source_of
from codejury.formats.targets import FACTS, TARGETS, Beside, Target
from codejury.model import Problem, ProblemSet, Sample, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FILES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
_PROBLEM_FORMATS = get_args(formats.Format)


class ConvertSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What to convert.

    Attributes:
        source: A file or folder of samples, a file of problems, or the name of a problem set.
        target: What to write.
        to: The format to write: of `formats.targets.TARGETS`, for problems of `formats.Format`.
        origin: The format to read; the first row tells it if None.
        problems: The problem set that samples answer; some formats cannot be read or written without.
        lossy: Write although something is lost.
        allow_empty: Keep answers of no characters.
    """

    source: str
    target: str
    to: str
    origin: str | None = None
    problems: str | None = None
    lossy: bool = False
    allow_empty: bool = False


class Converted(msgspec.Struct, frozen=True, kw_only=True):
    """What was written.

    Attributes:
        noun: "samples", "problems" or "results".
        count: How many of them.
        lost: What the target does not have of the source, a line each.
        notes: What else to know, a line each.
    """

    noun: str
    count: int
    lost: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def convert(settings: ConvertSettings, say: Callable[[str], None] = lambda _: None) -> Converted:
    """Read, find what would be lost, and write, unless that is refused.

    Args:
        settings: What to convert.
        say: Is told, a line each, what is lost, before anything is written.

    Raises:
        UsageError: The format is not known or cannot hold something at all, or something would be lost and
            `lossy` does not allow it. Nothing is written.
        InputError: The source is wrong.
        InfrastructureError: Writing failed.
    """
    if _is_samples(settings):
        return _convert_samples(settings, say)
    return _convert_problems(settings, say)


def accept_loss(lost: list[str], to: str, *, lossy: bool, say: Callable[[str], None]) -> None:
    """Say what is lost, or refuse it.

    Raises:
        UsageError: Something is lost, and that is not allowed.
    """
    if lost and not lossy:
        raise UsageError(f"--to {to} cannot hold {'; '.join(lost)}: nothing is written; --lossy writes the rest")
    for line in lost:
        say(f"lost: {line}")


def _is_samples(settings: ConvertSettings) -> bool:
    if settings.origin is not None:
        source_of(settings.origin)
        return True
    path = Path(settings.source)
    return path.exists() and (path.is_dir() or path.name.endswith(_FILES)) and formats.holds_samples(path)


# ---- samples


def _convert_samples(settings: ConvertSettings, say: Callable[[str], None]) -> Converted:
    target = TARGETS.get(settings.to)
    if target is None:
        raise UsageError(f"--to {settings.to}: samples are written as {', '.join(TARGETS)}")
    problem_set = None if settings.problems is None else sets.load(settings.problems)
    problems = None if problem_set is None else problem_set.by_id()
    if target.problems and problems is None:
        raise UsageError(f"--to {settings.to} is written with the problem set: name it with --problems")
    notes: list[str] = []
    drawn_with: dict[str, Any] = {}
    seen = _Seen(target, settings.to, problems)
    for sample in _read(settings, problems, notes, drawn_with):
        seen.add(sample)
    accept_loss(seen.lost(), settings.to, lossy=settings.lossy, say=say)
    written = (fitted(sample, target, settings.to, problems) for sample in _read(settings, problems))
    meta = drawn_with | formats.read_meta(settings.source)
    count = target.write(settings.target, written, Beside(problems or {}, drawn_with))
    formats.write_meta(settings.target, meta)
    return Converted(noun="samples", count=count, lost=tuple(seen.lost()), notes=(*notes, *seen.notes()))


def _read(
    settings: ConvertSettings,
    problems: dict[str, Problem] | None,
    notes: list[str] | None = None,
    drawn_with: dict[str, Any] | None = None,
) -> Iterator[Sample]:
    return formats.read_samples(
        settings.source,
        known=problems,
        allow_empty=settings.allow_empty,
        notes=notes,
        source=None if settings.origin is None else source_of(settings.origin),
        drawn_with=drawn_with,
    )


def fitted(sample: Sample, target: Target, to: str, problems: dict[str, Problem] | None) -> Sample:
    """A sample as a format takes it: as it is, or as the program that it stands for.

    Args:
        sample: The sample.
        target: The format.
        to: Its name, for errors.
        problems: The problem set, where it is known.

    Raises:
        UsageError: It takes the problem set, or the program does not begin with the prompt and the format holds
            completions alone, or it holds chats alone.
    """
    if sample.kind in target.kinds:
        return sample
    if target.kinds == ("chat",):
        raise UsageError(f"--to {to} holds answers of chats, and sample {sample.id!r} is a {sample.kind}")
    if problems is None:
        raise UsageError(
            f"--to {to} holds no {sample.kind}, as sample {sample.id!r} is: name the problem set with --problems,"
            " so that it can be made one"
        )
    problem = msgspec.structs.replace(problems[sample.problem_id], preamble="")
    program = extract.program(problem, sample).source
    if "solution" in target.kinds:
        return msgspec.structs.replace(sample, text=program, kind="solution")
    begins = program.startswith(problem.prompt) and len(program) >= len(problem.prompt) + len(problem.suffix)
    if program and not (begins and program.endswith(problem.suffix)):
        raise UsageError(
            f"--to {to} holds completions alone, and the program of sample {sample.id!r} does not begin with its"
            " prompt: take a format of whole programs, as evalplus"
        )
    text = program[len(problem.prompt) : len(program) - len(problem.suffix)]
    return msgspec.structs.replace(sample, text=text, kind="completion")


class _Seen:
    """What of samples a format does not hold, as they are read."""

    def __init__(self, target: Target, to: str, problems: dict[str, Problem] | None) -> None:
        self._target, self._to, self._problems = target, to, problems
        self._facts: Counter[str] = Counter()
        self._changed: Counter[tuple[str, str]] = Counter()
        self._counts: Counter[str] = Counter()
        self._largest: dict[str, int] = {}
        self._blank = self._unordered = 0

    def add(self, sample: Sample) -> None:
        """One more sample; raises what `fitted` does."""
        made = fitted(sample, self._target, self._to, self._problems)
        if made.kind != sample.kind:
            self._changed[sample.kind, made.kind] += 1
            self._blank += not made.text and bool(sample.text)
        if not self._target.facts:
            self._facts.update(name for name in FACTS if getattr(sample, name) is not None)
        self._unordered += sample.index != self._counts[sample.problem_id]
        self._counts[sample.problem_id] += 1
        self._largest[sample.problem_id] = max(sample.index, self._largest.get(sample.problem_id, 0))

    def lost(self) -> list[str]:
        """What is lost, a line each."""
        lines = [f"{name} of {count} samples" for name, count in self._facts.items()]
        chats = sum(count for (kind, _), count in self._changed.items() if kind == "chat")
        if chats:
            lines.append(f"the prose around the code of {chats} answers of chats")
        if self._blank:
            lines.append(f"the text of {self._blank} answers without code, which become empty")
        gaps = sum(self._largest[name] + 1 != count for name, count in self._counts.items())
        if self._target.counted == "rows" and self._unordered:
            lines.append(f"the index of {self._unordered} samples, which are not in the order of their indices")
        elif self._target.counted == "together" and gaps:
            lines.append(f"the indices of the samples of {gaps} problems, some of which are missing between")
        return lines

    def notes(self) -> list[str]:
        """What is not lost and yet to be known, a line each."""
        return [
            f"{count} {old}s were written as {new}s: the programs are the same"
            for (old, new), count in self._changed.items()
            if old != "chat"
        ]


# ---- problems


def _convert_problems(settings: ConvertSettings, say: Callable[[str], None]) -> Converted:
    form = next((form for form in _PROBLEM_FORMATS if form == settings.to), None)
    if form is None:
        raise UsageError(
            f"--to {settings.to}: {settings.source} is a problem set, which is written as"
            f" {' or '.join(_PROBLEM_FORMATS)}"
        )
    problem_set = sets.load(settings.source)
    lost = _lost_fields(problem_set, form)
    accept_loss(lost, settings.to, lossy=settings.lossy, say=say)
    count = formats.write_problems(settings.target, problem_set.problems, form=form)
    return Converted(noun="problems", count=count, lost=tuple(lost))


def _lost_fields(problem_set: ProblemSet, form: formats.Format) -> list[str]:
    """The fields that do not come back when what was written is read, with how many problems lose each."""
    lost: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="codejury-") as folder:
        draft = Path(folder) / "problems.jsonl"
        formats.write_problems(draft, problem_set.problems, form=form)
        for before, after in zip(problem_set.problems, formats.read_problems(draft), strict=True):
            fields = Problem.__struct_fields__
            lost.update(name for name in fields if getattr(before, name) != getattr(after, name))
    return [f"{name} of {count} problems" for name, count in lost.items()]
