"""Reading and writing samples, in whichever known format they are."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast, get_args

from codejury.formats import chat, checks, drawn, folders, humaneval, lists, lmeval, native
from codejury.formats.answers import Answers
from codejury.formats.jsonl import Entry, Row, read_entries
from codejury.model import InputError, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Container, Iterable, Iterator

    from codejury.model import Sample

SampleSource = Literal["codejury", "humaneval", "bigcode", "livecodebench", "multiple", "lm-eval", "chat"]
"""A format that samples are read in; "humaneval" is that of EvalPlus and BigCodeBench as well."""

_SHAPES = (
    "codejury (problem_id, text)",
    "HumanEval, EvalPlus and BigCodeBench (task_id with completion or solution)",
    "bigcode harness (a list of lists of programs, in .json)",
    "LiveCodeBench (question_id, code_list)",
    "MultiPL-E (name, completions)",
    "lm-eval (doc, resps, filtered_resps)",
    f"chats (task_id or custom_id with {', '.join(chat.FIELDS)})",
)


def read_samples(
    path: str | os.PathLike[str],
    *,
    known: Container[str] | None = None,
    allow_empty: bool = False,
    notes: list[str] | None = None,
    source: SampleSource | None = None,
    drawn_with: dict[str, Any] | None = None,
) -> Iterator[Sample]:
    """The samples of a file or folder, one at a time.

    Args:
        path: A file, see `read_rows`; or a folder, see `folders.samples`.
        known: The problems that may be answered, by id or their ids alone; None allows all. Files that name no
            problems need it in the order of the problem set.
        allow_empty: Keep answers of no characters; else each is an error.
        notes: What to know of how the samples were drawn is added here when the last is read, a line each.
        source: The format; if None, the first row tells it.
        drawn_with: What the rows say of the model and its settings, one for all samples, is added here when the
            last is read.

    Raises:
        InputError: The file cannot be read, its format is not known, or a row does not fit it, counts tests
            instead of giving an answer, or is of another model or setting than one before. Raised while
            iterating, as everything else is.
    """
    answers = Answers(known, allow_empty=allow_empty, notes=notes)
    if Path(path).is_dir():
        if source not in (None, "multiple"):
            raise InputError(
                f"is a folder, and none of the format {source!r}: what is in it tells", path=str(path)
            )
        yield from folders.samples(path, answers)
        answers.close(drawn_with)
        return
    with contextlib.closing(read_entries(path)) as entries:
        first = next(entries)  # a file without values is an error of `read_entries`
        everything = itertools.chain([first], entries)
        found = source or _source(first)
        rows = (entry.row for entry in everything)
        if found == "codejury":
            yield from native.samples(rows, known=known, allow_empty=allow_empty)
        elif found == "humaneval":
            yield from humaneval.samples(
                rows, known=known, allow_empty=allow_empty, notes=notes, drawn_with=drawn_with
            )
        else:
            if found == "bigcode" or (found == "livecodebench" and isinstance(first.value, list)):
                yield from lists.placed_lists(everything, answers, None if source is None else _order(source))
            else:
                yield from _READERS[found](rows, answers)
            answers.close(drawn_with)


def holds_samples(path: str | os.PathLike[str]) -> bool:
    """Whether a file's first row, or a folder, has answers; else it may hold problems.

    Raises:
        InputError: The file cannot be read, or holds no row.
    """
    if Path(path).is_dir():
        return True
    with contextlib.closing(read_entries(path)) as entries:
        first = next(entries)
    return isinstance(first.value, list) or (isinstance(first.value, dict) and _shape(first.value) is not None)


def samples_hash(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file's bytes, in hex; of a folder, over the names and the bytes of all files in it.

    Raises:
        OSError: Something cannot be read.
    """
    place = Path(path)
    if not place.is_dir():
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    digest = hashlib.sha256()
    for file_path in sorted(entry for entry in place.rglob("*") if entry.is_file()):
        digest.update(f"{file_path.relative_to(place)}\0{samples_hash(file_path)}\n".encode())
    return digest.hexdigest()


def write_samples(
    path: str | os.PathLike[str], samples: Iterable[Sample], *, form: Literal["codejury", "humaneval"] = "codejury"
) -> int:
    """Write samples, as they come, to a file that appears only when it is complete.

    Args:
        path: See `write_rows`.
        samples: What to write.
        form: "codejury" keeps the index, "humaneval" leaves it to the order of the file.

    Returns:
        The number of samples written.

    Raises:
        UsageError: The file cannot be made, or the format cannot hold a sample.
        InfrastructureError: Writing failed; what was there before is unharmed.
    """
    write = humaneval.write_samples if form == "humaneval" else native.write_samples
    return write(path, samples)


_READERS: dict[str, Callable[[Iterable[Row], Answers], Iterator[Sample]]] = {
    "livecodebench": lists.livecodebench,
    "multiple": lists.multiple,
    "lm-eval": lmeval.samples,
    "chat": chat.samples,
}


def _source(first: Entry) -> SampleSource:
    """The format that the first value of a file has."""
    if isinstance(first.value, list) and first.path.removesuffix(".gz").endswith(".json"):
        return "bigcode"
    row = first.row
    found = _shape(row.fields)
    if found is None and "task_id" in row.fields:
        return "humaneval"  # which says what is missing
    if found is None:
        drawn.refuse_tests(row)
        _refuse(row)
    return found


def _shape(fields: dict[str, Any]) -> SampleSource | None:
    found: SampleSource | None = None
    if "problem_id" in fields:
        found = "codejury"
    elif "task_id" in fields and {"completion", "solution"} & fields.keys():
        found = "humaneval"
    elif {"name", "completions"} <= fields.keys():
        found = "multiple"
    elif {"question_id", "code_list"} <= fields.keys():
        found = "livecodebench"
    elif {"doc", "filtered_resps"} <= fields.keys():
        found = "lm-eval"
    elif {"task_id", "custom_id"} & fields.keys() and {*chat.FIELDS} & fields.keys():
        found = "chat"
    return found


def _order(source: SampleSource) -> lists.Order:
    return "livecodebench" if source == "livecodebench" else "bigcode"


def _refuse(first: Row) -> NoReturn:
    raise first.error(
        f"no known format of samples: the row has {checks.names(first.fields)}; known are {', '.join(_SHAPES)}"
    )


def source_of(name: str) -> SampleSource:
    """The format that a user names.

    Raises:
        UsageError: There is none.
    """
    if name in get_args(SampleSource):
        return cast("SampleSource", name)
    raise UsageError(f"no format of samples {name!r}: known are {', '.join(get_args(SampleSource))}")
