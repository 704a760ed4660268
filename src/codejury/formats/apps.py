"""APPS: problems of contests, by stdin and stdout or by a function.

A problem is `{problem_id, question, solutions, input_output, difficulty, url, starter_code}`; `solutions` and
`input_output` are strings of JSON, a list of programs and `{inputs, outputs}`, with `fn_name` for functions, whose
inputs are lists of arguments. Source: github.com/hendrycks/apps.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.formats import checks
from codejury.formats.inputs_outputs import InputsOutputs, made_tests
from codejury.formats.methods import ENTRY_POINT, decoded
from codejury.model import Checker, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

FIELDS = ("problem_id", "question", "input_output")
"""The fields that every problem has."""

CHECKER = Checker(kind="decimal", rel_tol=1e-5, abs_tol=1e-8)
"""Words, and decimal fractions within the tolerance of `numpy.allclose`, which APPS calls."""

PREAMBLE = """\
import collections
import fractions
import heapq
import itertools
import math
import random
import sys
import time
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from functools import lru_cache
from heapq import *
from itertools import accumulate, combinations, permutations, product
from math import ceil, cos, exp, fabs, floor, gcd, log, log2, sin, sqrt, tan
from typing import List, Tuple
try:
    import numpy as np
except ImportError:
    pass
"""
"""The names that APPS gives every answer."""


class _Whole(msgspec.Struct):
    input_output: InputsOutputs


class _ProblemRow(msgspec.Struct):
    problem_id: int | str
    question: str
    input_output: str | dict[str, Any]
    solutions: str | list[str] = ""
    difficulty: str | None = None
    starter_code: str | None = None


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of APPS; the first solution is the reference, which the set does not promise to pass.

    Raises:
        InputError: A row is no such problem, or repeats an id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        name = f"APPS/{fields.problem_id}" if isinstance(fields.problem_id, int) else fields.problem_id
        checks.check_new(row, "problem_id", name, seen)
        tests = _tests(row, fields)
        starter = (fields.starter_code or "").strip("\n")
        in_class = re.search(rf"^class {ENTRY_POINT}\b", starter, re.MULTILINE) is not None
        made, entry_point = made_tests(row, "input_output", tests, CHECKER, in_class=in_class)
        problem = Problem(
            id=name,
            prompt=f"{fields.question}\n\n{starter}\n" if starter else fields.question,
            entry_point=entry_point,
            tests=made,
            reference=_reference(row, fields.solutions),
            preamble=PREAMBLE,
            difficulty=fields.difficulty,
        )
        checks.check_encodable(
            row, {"question": problem.prompt, "input_output": problem.tests, "solutions": problem.reference}
        )
        yield problem


def _tests(row: Row, fields: _ProblemRow) -> InputsOutputs:
    given = fields.input_output
    if isinstance(given, str):
        if not given.strip():
            raise row.error("is empty: the problem has no tests; leave it out", "input_output")
        given = decoded(row, "input_output", given)
    return checks.convert(row, _Whole, {"input_output": given}).input_output


def _reference(row: Row, solutions: str | list[str]) -> str | None:
    if isinstance(solutions, str):
        solutions = decoded(row, "solutions", solutions) if solutions.strip() else []
    if not isinstance(solutions, list) or not all(isinstance(one, str) for one in solutions):
        raise row.error("must be a list of programs", "solutions")
    return PREAMBLE + solutions[0] if solutions else None
