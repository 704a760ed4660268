"""Faults of a well-known sanitizer, each with what is right: what it drops, keeps and prefers."""

from __future__ import annotations

import ast

import pytest

from codejury.extract import program
from codejury.model import CheckFunction, Problem, Sample

PROBLEM = Problem(id="T/0", prompt="Write f.", entry_point="f", tests=CheckFunction(code="x"))

CODES = {
    "a decorated function is dropped": ("from functools import cache\n\n@cache\ndef f(n):\n    return n\n"),
    "a decorated helper is dropped": (
        "import functools\n\n@functools.cache\ndef g(n):\n    return n\n\ndef f(n):\n    return g(n)\n"
    ),
    "a helper without return is dropped": (
        "def swap(xs):\n    xs[0], xs[1] = xs[1], xs[0]\n\ndef f(xs):\n    swap(xs)\n    return xs\n"
    ),
    "a generator is dropped": (
        "def numbers(n):\n    yield from range(n)\n\ndef f(n):\n    return list(numbers(n))\n"
    ),
    "a loop at the top is dropped": (
        "T = {}\nfor i in range(9):\n    T[i] = i * i\n\ndef f(n):\n    return T[n]\n"
    ),
    "a loop after the function is dropped": (
        "T = {}\n\ndef f(n):\n    return T[n]\n\nfor i in range(9):\n    T[i] = i\n"
    ),
    "A, B = ... is dropped": ("A, B = 1, 2\n\ndef f(n):\n    return A + B * n\n"),
    "an annotated constant is dropped": ("LIMIT: int = 5\n\ndef f(n):\n    return min(n, LIMIT)\n"),
    "an augmented constant is dropped": ("K = 1\nK += 1\n\ndef f(n):\n    return n * K\n"),
    "try: import is dropped": (
        "try:\n"
        "    from math import isqrt\n"
        "except ImportError:\n"
        "    isqrt = None\n"
        "\n"
        "def f(n):\n"
        "    return isqrt(n)\n"
    ),
    "if TYPE_CHECKING is dropped": (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n"
        "    from x import Y\n"
        "\n"
        "def f(n: 'Y'):\n"
        "    return n\n"
    ),
    "with at the top is dropped": (
        "import decimal\n"
        "\n"
        "with decimal.localcontext() as context:\n"
        "    context.prec = 50\n"
        "    THIRD = decimal.Decimal(1) / 3\n"
        "\n"
        "def f(n):\n"
        "    return n * THIRD\n"
    ),
    "a class that is used is dropped": (
        "class P:\n    x = 1\n\nclass Q(P):\n    pass\n\ndef f(n):\n    return Q().x\n"
    ),
    "a lambda is dropped": ("half = lambda n: n / 2\n\ndef f(n):\n    return half(n)\n"),
    "a name in a default is not seen": ("START = 3\n\ndef f(n, start=START):\n    return n + start\n"),
    "a name in the argument of a decorator is not seen": (
        "N = 8\nimport functools\n\n@functools.lru_cache(maxsize=N)\ndef f(n):\n    return n\n"
    ),
    "an async helper is dropped": (
        "import asyncio\n\nasync def g(n):\n    return n\n\ndef f(n):\n    return asyncio.run(g(n))\n"
    ),
    "a global is dropped": (
        "seen = 0\n\ndef count():\n    global seen\n    seen += 1\n\ndef f(n):\n    count()\n    return seen\n"
    ),
    "non-ASCII names are mangled": ("π = 3\n\ndef f(r):\n    return π * r * r\n"),
    "a string with a fence is cut": ('FENCE = "`" * 3\n\ndef f(n):\n    return f"{FENCE}{n}{FENCE}"\n'),
    "a match statement is dropped": (
        "def kind(n):\n"
        "    match n:\n"
        "        case 0:\n"
        "            return 'zero'\n"
        "    return 'more'\n"
        "\n"
        "def f(n):\n"
        "    return kind(n)\n"
    ),
}


@pytest.mark.parametrize("code", CODES.values(), ids=list(CODES))
@pytest.mark.parametrize("wrapped", ["{}", "Here:\n\n```python\n{}```\n\nBye.\n"], ids=["plain", "fence"])
def test_the_whole_module_is_kept(code: str, wrapped: str) -> None:
    """Every line that the entry point depends on is in the program."""
    assert (
        code == program(PROBLEM, Sample(problem_id="T/0", index=0, text=wrapped.format(code), kind="chat")).source
    )


def test_the_later_of_two_definitions_counts() -> None:
    """As in Python; the sanitizer keeps the first."""
    code = "def f(n):\n    return 'first'\n\n\ndef f(n):\n    return 'second'\n"
    made = program(PROBLEM, Sample(problem_id="T/0", index=0, text=f"```python\n{code}```", kind="chat"))
    names = [node.name for node in ast.parse(made.source).body if isinstance(node, ast.FunctionDef)]
    assert ["f", "f"] == names
    assert made.source.rstrip().endswith("'second'")


def test_the_final_block_goes_before_a_longer_draft() -> None:
    """The sanitizer takes the longest text that parses."""
    draft = "def f(n):\n" + "".join(f"    step_{k} = {k}\n" for k in range(30)) + "    return 'draft'\n"
    final = "def f(n):\n    return 'final'\n"
    text = f"Draft:\n```python\n{draft}```\nFinal:\n```python\n{final}```\n"
    assert final == program(PROBLEM, Sample(problem_id="T/0", index=0, text=text, kind="chat")).source


def test_code_is_never_emptied() -> None:
    """A syntax error is judged as one; the sanitizer gives an empty program."""
    code = "def f(n):\n    return n +\n"
    made = program(PROBLEM, Sample(problem_id="T/0", index=0, text=f"```python\n{code}```", kind="chat"))
    assert (code, ("unparsed",)) == (made.source, made.flags)
