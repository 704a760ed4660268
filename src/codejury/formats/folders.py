"""Samples in folders: a program a file as EvalPlus and BigCodeBench have them, or MultiPL-E's files.

In EvalPlus's form, `FOLDER/HumanEval_0/3.py` is sample 3 of problem `HumanEval/0`, a whole program.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import secrets
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from codejury.formats import lists
from codejury.formats.jsonl import MAX_BYTES, Row, read_rows
from codejury.model import MIB, InfrastructureError, InputError, Sample, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from codejury.formats.answers import Answers

_PROGRAM = ".py"
_ANSWERS = (".json", ".json.gz")
_RESULTS = (".results.json", ".results.json.gz")


def samples(path: str | os.PathLike[str], answers: Answers) -> Iterator[Sample]:
    """The samples of a folder; its entries tell the form.

    Raises:
        InputError: It cannot be read, holds nothing known, or one of its files is no sample.
    """
    name = os.fspath(path)
    try:
        entries = sorted(Path(name).iterdir())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    files = [entry for entry in entries if entry.name.endswith(_ANSWERS) and not entry.name.endswith(_RESULTS)]
    folders = [entry for entry in entries if entry.is_dir() and any(entry.glob(f"*{_PROGRAM}"))]
    if files and folders:
        raise InputError(
            f"holds files of answers, as {files[0].name}, and folders of programs; give one", path=name
        )
    if files:
        yield from lists.multiple(itertools.chain.from_iterable(map(read_rows, files)), answers)
    elif folders:
        for folder, problem_id in _problems(name, folders, answers):
            yield from _programs(folder, problem_id, answers)
    else:
        raise InputError(
            "is a folder without samples; known are those with a folder for each problem and a program a file"
            " (HumanEval_0/0.py), and MultiPL-E's with a .json or .json.gz for each problem",
            path=name,
        )


def _problems(name: str, folders: Iterable[Path], answers: Answers) -> Iterator[tuple[Path, str]]:
    """The problem of each folder, whose name has "_" for the "/" of an id."""
    known: dict[str, list[str]] = {}
    if isinstance(answers.known, Collection):
        for problem_id in answers.known:
            known.setdefault(folder_name(problem_id), []).append(problem_id)
    for folder in folders:
        row = Row(f"{name.rstrip(os.sep)}{os.sep}{folder.name}", 1, {})
        ids = known.get(folder.name, [])
        if len(ids) > 1:
            raise InputError(f"could be {' or '.join(map(repr, ids))} of the problem set", path=row.path)
        yield (
            folder,
            answers.problem_id(row, "name of the folder", ids[0] if ids else folder.name.replace("_", "/")),
        )


def _programs(folder: Path, problem_id: str, answers: Answers) -> Iterator[Sample]:
    """The samples of a problem, in the order of their numbers."""
    numbered: list[tuple[int, Path]] = []
    for file in sorted(folder.glob(f"*{_PROGRAM}")):
        if not re.fullmatch(r"[0-9]{1,9}", file.stem):
            raise InputError("is not named by the number of a sample, as 0.py", path=str(file))
        numbered.append((int(file.stem), file))
    for number, file in sorted(numbered):
        text = _text(file)
        yield answers.sample(Row(str(file), 1, {}), "program", problem_id, text, "solution", index=number)


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=str(file)) from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"more than {MAX_BYTES // MIB} MiB in a program", path=str(file))
    if (at := raw.find(0)) >= 0:
        line = 1 + raw.count(b"\n", 0, at)
        raise InputError("holds a NUL byte: damaged, or not text in UTF-8", path=str(file), line=line)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = 1 + raw.count(b"\n", 0, error.start)
        raise InputError(f"not UTF-8: {error.reason}", path=str(file), line=line) from None


def folder_name(problem_id: str) -> str:
    """The name that stands for a problem's id in file systems."""
    return problem_id.replace("/", "_")


def check_names(problem_ids: Iterable[str]) -> None:
    """Refuse ids that would share one name.

    Raises:
        UsageError: As said.
    """
    seen: dict[str, str] = {}
    for problem_id in problem_ids:
        other = seen.setdefault(folder_name(problem_id), problem_id)
        if other != problem_id:
            raise UsageError(
                f"problems {other!r} and {problem_id!r} would both be {folder_name(problem_id)!r} in a folder:"
                " take a format of one file"
            )


def write_programs(path: str | os.PathLike[str], grouped: Mapping[str, Iterable[Sample]]) -> int:
    """Write whole programs as EvalPlus reads them from a folder; returns how many.

    Args:
        path: The folder; see `new_folder`.
        grouped: Samples of kind "solution" by problem id.

    Raises:
        UsageError: The folder cannot be made, two ids would share a name, or a text is none that a file can hold.
        InfrastructureError: Writing failed.
    """
    check_names(grouped)
    count = 0
    with new_folder(path) as folder:
        for problem_id, given in grouped.items():
            place = folder / folder_name(problem_id)
            place.mkdir()
            for sample in given:
                (place / f"{sample.index}{_PROGRAM}").write_bytes(_bytes(sample))
                count += 1
    return count


def _bytes(sample: Sample) -> bytes:
    try:
        raw = sample.text.encode()
    except UnicodeEncodeError:
        raw = b"\0"
    if b"\0" in raw:
        raise UsageError(
            f"sample {sample.id!r} has a NUL or half of a surrogate pair, which a file of text cannot hold: take"
            " another format"
        )
    return raw


@contextlib.contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to write to, which appears only when it is complete.

    Raises:
        UsageError: There is a file, or a folder that is not empty, or it cannot be made.
        InfrastructureError: Writing failed; nothing is left.
    """
    name = os.fspath(path)
    target = Path(name).resolve()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise UsageError(f"{name}: is there already, and not an empty folder; name another output")
    draft = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.tmp")
    try:
        draft.mkdir()
    except OSError as error:
        raise UsageError(f"{name}: cannot be made: {error.strerror or error}") from None
    try:
        yield draft
        if target.exists():
            target.rmdir()
        draft.rename(target)
    except OSError as error:
        raise InfrastructureError(f"{name}: writing failed: {error.strerror or error}; nothing is left") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
