"""Samples as lm-evaluation-harness logs them: `samples_TASK_DATE.jsonl`, written by its `--log_samples`.

A row is of one document and one filter: `{doc_id, doc, target, arguments, resps, filtered_resps, filter, …}`. The
document is the data set's own row, whose `task_id` names the problem. `resps` has the raw answers, a list for each
request; `filtered_resps` has what the filter made of them, which is what the harness judges: whole programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codejury.formats import checks
from codejury.formats.jsonl import Row, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.answers import Answers, Kind
    from codejury.model import Sample

_RAW = "none"
"""The name of the filter that leaves answers as they are."""

_IDS = ("task_id", "question_id", "name")
"""Fields of a document that may name its problem; the first that it has."""


def samples(rows: Iterable[Row], answers: Answers) -> Iterator[Sample]:
    """The samples of a log.

    Answers are whole programs where a filter made them; where none did, they are as the model gave them, in prose
    and code.

    Raises:
        InputError: A row is no such log, its document names no problem that is known, a document comes twice, rows
            are of several filters, or were drawn at several temperatures.
    """
    first: tuple[object, int] | None = None
    for row in rows:
        for field in ("doc", "filtered_resps"):
            if field not in row.fields:
                raise row.error(f"is missing; the row has {checks.names(row.fields)}", field)
        filtered = row.fields.get("filter", _RAW)
        first = first or (filtered, row.line)
        if filtered != first[0]:
            raise row.error(
                f"is {checks.shortened(ascii(filtered))} here and {checks.shortened(ascii(first[0]))} on line"
                f" {first[1]}: each answer stands in the file once for each filter, and would be counted twice;"
                " keep the rows of one",
                "filter",
            )
        problem_id = _problem_id(row, answers)
        kind: Kind = "chat" if filtered == _RAW else "solution"
        found = row.fields["filtered_resps"]
        drawn = Row(row.path, row.line, _settings(row))
        for place, item in enumerate(_list(row, "filtered_resps", found)):
            field = f"filtered_resps[{place}]"
            if isinstance(item, list):
                yield from answers.listed(drawn, field, problem_id, item, kind)
            else:
                yield answers.sample(drawn, field, problem_id, item, kind)


def _problem_id(row: Row, answers: Answers) -> str:
    doc = row.fields["doc"]
    if not isinstance(doc, dict):
        raise row.error(f"Expected an object, got {kind_of(doc)}", "doc")
    name = next((name for name in _IDS if name in doc), None)
    if name is None:
        raise row.error(f"names no problem: it has {checks.names(doc)}, and none of {', '.join(_IDS)}", "doc")
    problem_id = answers.problem_id(row, f"doc.{name}", doc[name])
    answers.once(row, f"doc.{name}", problem_id)
    return problem_id


def _list(row: Row, field: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise row.error(f"Expected a list, got {kind_of(value)}", field)
    return value


def _settings(row: Row) -> dict[str, Any]:
    """How the answers were drawn, as the arguments of the first request say.

    Logs have `{"gen_args_0": {"arg_0": prompt, "arg_1": settings}}`, older ones `[[prompt, settings]]`.
    """
    found: Any = row.fields.get("arguments")
    for key, place in (("gen_args_0", 0), ("arg_1", 1)):
        if isinstance(found, dict):
            found = found.get(key)
        elif isinstance(found, list):
            found = found[place] if len(found) > place else None
    return {key: found[key] for key in ("temperature", "top_p") if key in found} if isinstance(found, dict) else {}
