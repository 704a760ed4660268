"""MBPP in its four forms: full, sanitized, MBPP+ with plain tests, and sanitized as functions (CodeT).

The first three are `{task_id, code, test_list}` with `text` or `prompt`: a description, a program without entry
point, and assertions. The entry point is the function of the program that most assertions call. `test_setup_code`
and `test_imports` run before the assertions; MBPP+ has further tests in `test`. The prompt is a docstring of the
description and the assertions: MBPP's authors show both to a model.

CodeT's form has HumanEval's fields with ids that begin with "MbppEval/". Its tests call a function by name that
need not be its `entry_point`, and its solutions are indented in another way than the docstring before them.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from codejury.formats import checks
from codejury.formats.evalplus import TOO_LARGE
from codejury.formats.sources import imports_used, parse_field
from codejury.model import Assertions, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from codejury.formats.jsonl import Row

CODET = "MbppEval/"
"""How the ids of CodeT's form begin."""

_PREFIX = "Mbpp/"  # of ids that are numbers: EvalPlus's samples name the tasks so


class _ProblemRow(msgspec.Struct):
    task_id: int | str
    code: str
    test_list: tuple[str, ...]
    text: str = ""
    prompt: str = ""
    test_setup_code: str = ""
    test_imports: tuple[str, ...] = ()
    test: str = ""


class _CodetRow(msgspec.Struct):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows in MBPP's formats, full, sanitized or MBPP+ with plain tests.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        number = str(fields.task_id)
        name = _PREFIX + number if number.isdigit() else number
        checks.check_id(row, "task_id", name)
        checks.check_first(row, "task_id", name, seen)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        field = "text" if fields.text else "prompt"
        if not getattr(fields, field).strip():
            raise row.error("is missing or empty: it says what is asked", field)
        if not fields.test_list:
            raise row.error("has no assertions; give at least one", "test_list")
        for place, test in enumerate(fields.test_list):
            checks.check_filled(row, f"test_list[{place}]", test)
        code = _lines(fields.code)
        tests = tuple(map(_lines, fields.test_list))
        reference = parse_field(row, "code", code)
        parsed = [parse_field(row, f"test_list[{place}]", test) for place, test in enumerate(tests)]
        setup = "\n".join((*fields.test_imports, fields.test_setup_code))
        yield Problem(
            id=name,
            prompt=_prompt(row, field, getattr(fields, field), tests),
            entry_point=_entry_point(row, "test_list", reference, parsed),
            tests=Assertions(
                code=_plain_tests(row, name, _lines(fields.test)) or tests,
                context=imports_used(reference, parsed) + _lines(setup).strip("\n"),
            ),
            reference=code,
        )


def codet_problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows in CodeT's form of sanitized MBPP.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _CodetRow)
        checks.check_id(row, "task_id", fields.task_id)
        checks.check_first(row, "task_id", fields.task_id, seen)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        code = _without_docstring(row, fields.prompt) + fields.canonical_solution
        reference = parse_field(row, "canonical_solution", code)
        tests = parse_field(row, "test", fields.test)
        check = tests.body[0] if len(tests.body) == 1 else None
        if not isinstance(check, ast.FunctionDef):
            raise row.error("must define one function and do nothing else", "test")
        context = imports_used(reference, check.body) + "import math\n"  # which tests use where no solution does
        yield Problem(
            id=fields.task_id,
            prompt=fields.prompt,
            entry_point=_entry_point(row, "test", reference, check.body),
            tests=Assertions(code=tuple(map(ast.unparse, check.body)), context=context),
            reference=code,
        )


def _plain_tests(row: Row, task_id: str, test: str) -> tuple[str, ...]:
    """The plain tests of MBPP+, without the calls whose outputs cannot cross; none where they assert nothing.

    In its release, the tests of Mbpp/737, 787 and 794 compute whether an output is right and say nothing of it.
    """
    for call in TOO_LARGE.get(task_id, ()):
        test = test.replace(f"{list(call)!r}, ", "")
    asserting = any(isinstance(node, ast.Assert) for node in ast.walk(parse_field(row, "test", test)))
    return (test,) if asserting else ()


def _prompt(row: Row, field: str, text: str, tests: Sequence[str]) -> str:
    """A docstring that a completion continues, as EvalPlus and the bigcode harness write it."""
    body = "\n".join((_lines(text).strip(), *map(str.strip, tests)))
    quotes = "'''" if '"""' in body else '"""'
    prompt = f"{'r' * (chr(92) in body)}{quotes}\n{body}\n{quotes}\n"
    parse_field(row, field, prompt)
    return prompt


def _entry_point(row: Row, field: str, reference: ast.Module, tests: Sequence[ast.AST]) -> str:
    """The function of the reference that most tests call; of several the outermost."""
    functions = {node.name for node in reference.body if isinstance(node, ast.FunctionDef)}
    counts: Counter[str] = Counter()
    for test in tests:
        called = [node.func for node in ast.walk(test) if isinstance(node, ast.Call)]
        names = [node.id for node in called if isinstance(node, ast.Name) and node.id in functions]
        counts.update(list(dict.fromkeys(names)))  # each once, in order
    if not counts:
        raise row.error("calls no function that the solution defines", field)
    return counts.most_common(1)[0][0]


def _without_docstring(row: Row, prompt: str) -> str:
    """A prompt up to the docstring that ends it."""
    last = parse_field(row, "prompt", prompt).body[-1:]
    if not last or not isinstance(last[0], ast.FunctionDef) or ast.get_docstring(last[0]) is None:
        raise row.error("must end with a function of which it has the docstring alone", "prompt")
    return "".join(prompt.splitlines(keepends=True)[: last[0].body[0].lineno - 1])


def _lines(source: str) -> str:
    """A source with the line ends that Python itself makes of others."""
    return source.replace("\r\n", "\n").replace("\r", "\n")
