"""The judge's part where tests run in the candidate's own process: it sends them, and takes what is said of them.

It believes the form of what is said and nothing more: `controls` tell whether it can be true. Standard library
alone; from Python 3.9 on.
"""

from __future__ import annotations

import os

import codec
import controls
import frames
from observing import observes
from recorder import Stop, packed

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from judge import Judge

SAYABLE = frozenset(("passed", "wrong_answer", "exception", "early_exit", "out_of_memory", "tampered", "problem"))
SAYABLE_OF_TEST = frozenset(("passed", "wrong_answer", "exception", "early_exit", "out_of_memory", "skipped"))
MOST_TESTS = 100_000  # that are said in all: the host keeps them
MOST_NUMBER = 1 << 53


def parts(job: dict[str, Any]) -> list[str]:
    """The tests' source texts, with the change that a control run makes."""
    code = job["tests"]["code"]
    texts = code if isinstance(code, list) else [code]
    if not job["edit"]:
        return texts
    return controls.apply(texts, job["edit"])


def edits(job: dict[str, Any]) -> list[list[Any]]:
    """Changes of the tests that could be controls."""
    tests = job["tests"]
    modules = (tests["module"],) if "module" in tests else ()
    return controls.edits(parts(job), job["entry"], tests.get("function"), modules)


def observing(job: dict[str, Any]) -> str | None:
    """A name by which the tests may see more than values."""
    return observes(*parts(job))


def names(texts: list[str], context: str) -> list[str]:
    """Names that the tests use and neither define nor find among the built-in ones: the program's, then."""
    import ast
    import builtins

    used: set[str] = set()
    bound = set(dir(builtins))
    for text in (*texts, context):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                bound.add(node.name)
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return sorted(used - bound)


def run(judge: Judge, code: tuple[CodeType | None, list[CodeType]]) -> None:
    """Have the candidate run the tests, and take its word for the time being."""
    job = judge.job
    tests = {name: value for name, value in job["tests"].items() if name not in ("code", "context")}
    sent = {
        **{name: job[name] for name in ("entry", "all", "skip")},
        "tests": tests,
        "code": packed(code),
        "names": names(parts(job), job["tests"]["context"]),
    }
    nonce = int.from_bytes(os.urandom(4), "little")
    judge.calls = 1  # it cannot be seen from here
    try:
        frames.send(judge.requests, nonce, codec.dumps(sent).encode())
        while True:
            number, body = frames.receive(judge.replies, job["most"])
            if number != nonce:
                judge.settle("tampered", "a reply to another request")
            if take(judge, codec.loads(body.decode("ascii"))):
                return
    except frames.Gone:
        judge.sticky = "gone", ""
        judge.gone_line = judge.place
        raise Stop from None
    except frames.TooLarge:
        judge.settle("output_limit", "a report over the limit")
    except codec.HOSTILE as error:
        judge.settle("tampered", f"a garbled report: {type(error).__name__}: {str(error)[:300]}")


def take(judge: Judge, message: Any) -> bool:
    """One message of the candidate; whether it is the last. Raises ValueError where it has another form."""
    said: list[list[Any]] = []
    for line, outcome, us in message["tests"]:
        if not (is_count(line) and is_count(us) and outcome in SAYABLE_OF_TEST):
            raise ValueError("a test's result")
        said.append([line, outcome, us])
        judge.place = line
    judge.sequence += len(said)
    if judge.sequence > MOST_TESTS:
        raise ValueError(f"more than {MOST_TESTS} tests")
    if "end" not in message:
        if not said:
            raise ValueError("a report of nothing")
        judge.report({"tests": said})
        return False
    judge.tests = said
    outcome, detail, finished = message["end"]
    if outcome not in SAYABLE or type(detail) is not str or not is_count(finished):
        raise ValueError("the last word")
    judge.finished = finished
    judge.sticky = None if outcome == "passed" else (outcome, detail)
    return True


def is_count(value: Any) -> bool:
    """Whether it is a number as the host takes it."""
    return type(value) is int and 0 <= value <= MOST_NUMBER
