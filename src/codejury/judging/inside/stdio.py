"""Tests that run a whole program, once for each input. Standard library alone; from Python 3.9 on.

The program runs behind a shim (`script.py`), which says how each run ended and what it wrote. A run that did not
end with status 0 has failed, whatever it wrote.
"""

from __future__ import annotations

import binascii

from checkers import NoAnswer, checker
from instrument import interprets, repeatable

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from judge import Judge

    Check: TypeAlias = Callable[[str, str, str], str]

MOST_SAID = 300


def prepare(judge: Judge) -> Check:
    """The checker of the outputs; completes the tests of a further sample of the same problem.

    Raises:
        ValueError: The problem's texts or its checker cannot be used.
    """
    tests = judge.job["tests"]
    if "cases" in tests:
        for case in tests["cases"]:
            for text in case:
                text.encode()  # half of a surrogate pair is a fault of the problem
        judge.runs = tests["cases"], tests["checker"]
    assert judge.runs is not None
    rules = judge.runs[1]
    right = checker(rules)
    judge.job["most"] = 2 * tests["output_bytes"]  # base64 takes a third more
    if judge.job["scan"]:
        code = rules.get("code", "")
        judge.acting = interprets(code)
        judge.report({"tests": [], "lasting": judge.acting is None and repeatable(code)})
    return right


def run(judge: Judge, right: Check) -> None:
    """Make all runs and check what they wrote."""
    tests = judge.job["tests"]
    assert judge.runs is not None
    judge.begin_tests()
    spent_us = 0
    for place, (given, expected) in enumerate(judge.runs[0], 1):
        judge.place = place
        if judge.job["all"] and not judge.begin(place):
            continue
        judge.calls += 1
        end, number, cpu_us, written, said = judge.exchange(given.encode())
        spent_us += cpu_us
        try:
            failure = too_slow(tests, cpu_us, spent_us) or ended(end, number, said)
            failure = failure or wrong(right, given, expected, binascii.a2b_base64(written))
        except NoAnswer as error:
            judge.sticky = "problem", str(error)
            return
        except Exception as error:
            failure = judge.judge_exception(error)
        if failure is None:
            judge.ok(place)
        else:
            judge.failed_test(place, failure[0], f"{failure[1]}, in run {place}")


def too_slow(tests: dict[str, Any], cpu_us: int, spent_us: int) -> tuple[str, str] | None:
    """Whether the kernel counted too much CPU time, of one run or of all; the host may not see it in time."""
    for used, most, where in ((cpu_us, tests["cpu_s"], "one test"), (spent_us, tests["cpu_total_s"], "all")):
        if used > most * 1e6:
            return "timeout_cpu", f"more than {most:g} s of CPU in {where}"
    return None


def ended(end: str, number: int, said: str) -> tuple[str, str] | None:
    """What is wrong with how a run ended."""
    if end == "output":
        return "output_limit", f"more than {number} bytes of output"
    if end == "signal":
        return "crashed", f"signal {number}"
    if number == 0:
        return None
    lines = [line for line in said.split("\n") if line.strip()]
    detail = f"{lines[-1][:MOST_SAID]} (exit status {number})" if lines else f"exit status {number}"
    return ("exception" if number == 1 else "early_exit"), detail


def wrong(right: Check, given: str, expected: str, written: bytes) -> tuple[str, str] | None:
    """What is wrong with an output."""
    try:
        output = written.decode()
    except UnicodeDecodeError as error:
        return "wrong_answer", f"the output is not UTF-8 at byte {error.start + 1}"
    difference = right(given, expected, output)
    return ("wrong_answer", difference) if difference else None
