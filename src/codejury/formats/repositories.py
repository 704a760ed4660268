"""Completions within repositories: CrossCodeEval, RepoBench v1.1 and ExecRepoBench. They have no tests.

A problem has the text before the hole, the text after it where there is any, pieces of other files, and what was
there; answers are compared with that. The repository is the cluster. Sources:
github.com/amazon-science/cceval, github.com/Leolty/repobench, github.com/QwenLM/Qwen2.5-Coder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from codejury.formats import checks
from codejury.formats.languages import language_of_file
from codejury.model import ContextFile, Problem, Unjudged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

CROSSCODEEVAL = ("prompt", "groundtruth", "metadata")
"""The fields that every problem of CrossCodeEval has; `right_context` and `crossfile_context` go with them."""

REPOBENCH = ("repo_name", "file_path", "import_statement", "cropped_code", "next_line")
"""The fields that every problem of RepoBench has; `context`, `created_at` and `level` go with them."""

EXECREPOBENCH = ("repo_name", "file_name", "prefix_code", "middle_code", "suffix_code")
"""The fields that every problem of ExecRepoBench has; `context_code` and `fill_type` go with them."""


class _Chunk(msgspec.Struct):
    retrieved_chunk: str
    filename: str


class _CrossFile(msgspec.Struct):
    chunks: list[_Chunk] = msgspec.field(name="list", default_factory=list)


class _Metadata(msgspec.Struct):
    task_id: str
    repository: str
    file: str


class _CrossCodeEvalRow(msgspec.Struct):
    prompt: str
    groundtruth: str
    metadata: _Metadata
    right_context: str = ""
    crossfile_context: _CrossFile = msgspec.field(default_factory=_CrossFile)


class _Snippet(msgspec.Struct):
    path: str
    snippet: str


class _RepoBenchRow(msgspec.Struct):
    repo_name: str
    file_path: str
    import_statement: str
    cropped_code: str
    next_line: str
    context: list[_Snippet] = []
    created_at: str | None = None
    level: str | None = None


class _ExecRepoBenchRow(msgspec.Struct):
    repo_name: str
    file_name: str
    prefix_code: str
    middle_code: str
    suffix_code: str
    context_code: list[tuple[str, str]] = []
    fill_type: str | None = None


def crosscodeeval_problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of CrossCodeEval, with what was retrieved from other files where the file has that.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _CrossCodeEvalRow)
        checks.check_new(row, "metadata.task_id", fields.metadata.task_id, seen)
        chunks = fields.crossfile_context.chunks
        yield _completion(
            row,
            id=fields.metadata.task_id,
            prompt=fields.prompt,
            suffix=fields.right_context,
            middle=fields.groundtruth,
            language=language_of_file(fields.metadata.file),
            cluster=fields.metadata.repository,
            context=tuple(ContextFile(path=one.filename, text=one.retrieved_chunk) for one in chunks),
        )


def repobench_problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of RepoBench, which have no ids: they are counted, from RepoBench/0.

    The prompt is the file's imports and the code up to the line that is asked for, as RepoBench joins them.

    Raises:
        InputError: A row is no such problem.
    """
    for number, row in enumerate(rows):
        fields = checks.convert(row, _RepoBenchRow)
        created = fields.created_at[:10] if fields.created_at else None
        checks.check_date(row, "created_at", created)
        yield _completion(
            row,
            id=f"RepoBench/{number}",
            prompt=f"{fields.import_statement}\n{fields.cropped_code}\n",
            middle=fields.next_line,
            language=language_of_file(fields.file_path),
            cluster=fields.repo_name,
            context=tuple(ContextFile(path=one.path, text=one.snippet) for one in fields.context),
            tags=(fields.level,) if fields.level else (),
            created=created,
        )


def execrepobench_problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of ExecRepoBench, which have no ids: they are counted, from ExecRepoBench/0.

    Its tests run in the repositories themselves, which its file does not have.

    Raises:
        InputError: A row is no such problem.
    """
    for number, row in enumerate(rows):
        fields = checks.convert(row, _ExecRepoBenchRow)
        yield _completion(
            row,
            id=f"ExecRepoBench/{number}",
            prompt=fields.prefix_code,
            suffix=fields.suffix_code,
            middle=fields.middle_code,
            language=language_of_file(fields.file_name),
            cluster=fields.repo_name,
            context=tuple(ContextFile(path=path, text=text) for path, text in fields.context_code),
            tags=(fields.fill_type,) if fields.fill_type else (),
        )


def _completion(row: Row, *, prompt: str, middle: str, suffix: str = "", **described: Any) -> Problem:
    """A problem without tests; `described` are fields of it."""
    checks.check_language(row, described["language"])
    if not middle.strip():
        raise row.error("has nothing to complete: the text that was there is blank")
    problem = Problem(
        prompt=prompt,
        suffix=suffix,
        entry_point="",
        tests=Unjudged(),
        reference=prompt + middle + suffix,
        **described,
    )
    checks.check_encodable(row, msgspec.structs.asdict(problem))
    return problem
