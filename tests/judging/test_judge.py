"""The judge's side, in this process, before programs of our own: what passes, and what it does not believe."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MOST = 1 << 20


@pytest.fixture
def judged(judge: Any, candidate: Any, frames: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Judge a program; gives the judge's last word and its results."""
    state = random.getstate()

    def run(source: str, tests: str | list[str], *, serve: Any = None, **job: Any) -> tuple[Any, list[list[Any]]]:
        requests, replies = os.pipe(), os.pipe()

        def work() -> None:
            try:
                if serve:
                    serve(requests[0], replies[1])
                else:
                    candidate.Candidate(requests[0], replies[1]).run()
            except frames.Gone:
                pass
            finally:
                os.close(replies[1])

        thread = threading.Thread(target=work)
        thread.start()
        full: dict[str, Any] = defaultdict(bool)  # what is not said here is switched off
        full |= {
            "source": source,
            "entry": "f",
            "most": MOST,
            "limits": [],
            "tests": {"kind": "code", "context": job.pop("context", ""), "code": tests},
            "apply": True,
            "skip": [],
            "code": None,
            **job,
        }
        if isinstance(tests, str):
            full["tests"]["function"] = job.get("function", "check")
        report = tmp_path / "report"
        with report.open("wb") as file:
            judge.Judge(full, file.fileno(), requests[1], replies[0]).run()
        os.close(requests[1])
        thread.join()
        os.close(requests[0])
        os.close(replies[0])
        return _read(report.read_bytes())

    yield run
    sys.modules.pop(candidate.MODULE, None)
    random.setstate(state)


def _read(data: bytes) -> tuple[Any, list[list[Any]]]:
    """The last word and the results of all frames."""
    results, end = [], None
    while data:
        assert end is None
        size = int.from_bytes(data[:4], "little")
        message, data = json.loads(data[4 : 4 + size]), data[4 + size :]
        results += message["tests"]
        end = message.get("end")
    assert end is not None
    return end, results


def check(*lines: str) -> str:
    """A check function of these lines."""
    return "\n    ".join(["def check(c):", *lines]) + "\n"


# ---- passing


def test_right_answer_passes(judged: Any) -> None:
    """Calls and finished assertions are counted; each result has its line and a time."""
    end, results = judged(
        "def f(x): return x + 1", check("assert c(1) == 2", "for i in range(3):", "    assert c(i) == i + 1")
    )
    assert ("passed", 4, 4, False) == (end["outcome"], end["calls"], end["finished"], end["changed"])
    assert [[2, "passed"], [4, "passed"], [4, "passed"], [4, "passed"]] == [r[:2] for r in results]
    assert all(r[2] >= 0 for r in results)


def test_statements_as_tests(judged: Any) -> None:
    """A list of texts calls the entry point by its name."""
    end, results = judged("def f(x): return x", ["assert f(1) == 1", "x = 2\nassert f(x) == 2"])
    assert ("passed", [1, 2]) == (end["outcome"], [r[0] for r in results])


def test_context_runs_before_the_tests(judged: Any) -> None:
    """Helpers are there; a definition of the entry point in the context is not what is called."""
    end, _ = judged(
        "def f(x): return x",
        check("assert h(c(1)) == 2", "assert f(5) == 5"),
        context="def h(x): return x + 1\ndef f(x): return 0\n",
    )
    assert "passed" == end["outcome"]


def test_compiled_tests_are_taken_as_they_are(judged: Any, judge: Any) -> None:
    """What a former judge compiled is run again, without its source."""
    import binascii  # noqa: PLC0415 - used here alone
    import marshal  # noqa: PLC0415 - the same

    made = judge.compile_tests("", [check("assert c(1) == 1")], "f", False)
    code = binascii.b2a_base64(marshal.dumps(made)).decode()
    end, results = judged("def f(x): return x", "nothing of this (", code=code)
    assert ("passed", [2]) == (end["outcome"], [r[0] for r in results])


# ---- failing


@pytest.mark.parametrize(
    ("source", "tests", "outcome", "detail", "results"),
    [
        (
            "def f(x): return 0",
            check("assert c(1) == 1, 'why'"),
            "wrong_answer",
            "AssertionError: why",
            [[2, "wrong_answer"]],
        ),
        (
            "def f(x): return None",
            check("x = c(1)", "assert x + 1"),
            "wrong_answer",
            "TypeError",
            [[3, "wrong_answer"]],
        ),
        ("def f(x): raise KeyError(x)", check("assert c(1) == 1"), "exception", "KeyError: 1", [[2, "exception"]]),
        (
            "def f(x): raise AssertionError('a')",
            check("assert c(1) == 1"),
            "exception",
            "AssertionError: a",
            [[2, "exception"]],
        ),
        (
            "def f(x): raise TimeoutError",
            check("assert c(1) == 1"),
            "exception",
            "TimeoutError",
            [[2, "exception"]],
        ),
        ("def f(x): raise MemoryError", check("assert c(1) == 1"), "exception", "MemoryError", [[2, "exception"]]),
        (
            "def f(x): raise SystemExit(0)",
            check("assert c(1) == 1"),
            "early_exit",
            "SystemExit",
            [[2, "early_exit"]],
        ),
        (
            "def f(x): raise KeyboardInterrupt",
            check("assert c(1) == 1"),
            "exception",
            "KeyboardInterrupt",
            [[2, "exception"]],
        ),
        ("def f(): return 1", check("assert c(1) == 1"), "exception", "TypeError", [[2, "exception"]]),
        (
            "def f(x): return lambda: 0",
            check("assert c(1) == 1"),
            "rejected_value",
            "function",
            [[2, "rejected_value"]],
        ),
        ("def f(x): return 'a' * (1 << 21)", check("assert c(1)"), "output_limit", "bytes", [[2, "output_limit"]]),
        ("def f(x):", check("assert c(1) == 1"), "syntax_error", "IndentationError", []),
        ("def g(x): return 1", check("assert c(1) == 1"), "exception", "NameError", []),
        (
            "import nothing_of_that_name",
            check("assert c(1) == 1"),
            "exception",
            "while loading: ModuleNotFoundError",
            [],
        ),
        ("raise SystemExit", check("assert c(1) == 1"), "early_exit", "while loading", []),
    ],
)
def test_ways_to_fail(judged: Any, source: str, tests: str, outcome: str, detail: str, results: list[Any]) -> None:
    """Outcome, detail and the result of the test that failed."""
    end, seen = judged(source, tests)
    assert outcome == end["outcome"]
    assert detail in end["detail"]
    assert results == [r[:2] for r in seen]


def test_first_failure_ends_the_tests(judged: Any) -> None:
    """Without all tests, nothing is called after it."""
    end, results = judged(
        "def f(x): return 1", check(*["assert c(1) == 1", "assert c(1) == 2", "assert c(1) == 1"])
    )
    assert ("wrong_answer", 2, 1) == (end["outcome"], end["calls"], end["finished"])
    assert ["passed", "wrong_answer"] == [r[1] for r in results]


def test_all_tests_run_on(judged: Any) -> None:
    """The outcome is that of the first failure; all results are there."""
    lines = ["assert c(0)", "assert c(1) == 1", "assert c(2) == 3", "assert c(3) == 3"]
    end, results = judged("def f(x): return 1 // x and x", check(*lines), all=True)
    assert ("exception", "ZeroDivisionError", 4, 1) == (
        end["outcome"],
        end["detail"].partition(":")[0],
        end["calls"],
        end["finished"],
    )
    assert [[2, "exception"], [3, "passed"], [4, "wrong_answer"], [5, "wrong_answer"]] == [r[:2] for r in results]


def test_tests_that_are_left_out(judged: Any) -> None:
    """Positions of the assertions, loops unrolled, that killed the candidate before."""
    tests = check("for i in range(4):", "    assert c(i) == i")
    end, results = judged("def f(x): return x", tests, all=True, skip=[1, 2])
    assert ["passed", "skipped", "skipped", "passed"] == [r[1] for r in results]
    assert 2 == end["calls"]


# ---- signals that no test can catch

CATCHING = [
    check("try:", "    c(1)", "except Exception:", "    pass", "assert True"),
    check("try:", "    c(1)", "except BaseException:", "    pass", "assert True"),
    check("try:", "    c(1)", "finally:", "    return"),
    check("for _ in range(3):", "    try:", "        c(1)", "    except:", "        continue", "assert True"),
    check("import contextlib", "with contextlib.suppress(BaseException):", "    c(1)", "assert True"),
    check("try:", "    c(1)", "except BaseException as e:", "    assert e", "assert c(1) or True"),
]


@pytest.mark.parametrize("all_tests", [False, True])
@pytest.mark.parametrize("tests", CATCHING)
@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("def f(x): raise SystemExit", "early_exit"),
        ("def f(x): raise KeyboardInterrupt", "exception"),
        ("def f(x): raise GeneratorExit", "exception"),
        ("def f(x): return lambda: 0", "rejected_value"),
        ("def f(x): return 'a' * (1 << 21)", "output_limit"),
    ],
)
def test_no_test_catches_the_judge(judged: Any, source: str, outcome: str, tests: str, all_tests: bool) -> None:  # noqa: FBT001
    """Whatever a test catches, the verdict is settled, and no assertion counts any more."""
    end, _ = judged(source, tests, all=all_tests)
    assert (outcome, 0) == (end["outcome"], end["finished"])


def test_exception_is_the_tests_to_catch(judged: Any) -> None:
    """An ordinary exception goes to the test that expects it."""
    tests = check(
        "try:", "    c(1)", "except ValueError as e:", "    assert str(e) == 'no'", "else:", "    assert False"
    )
    assert "passed" == judged("def f(x): raise ValueError('no')", tests)[0]["outcome"]
    assert "wrong_answer" == judged("def f(x): return 1", tests)[0]["outcome"]
    assert "exception" == judged("def f(x): raise KeyError", tests)[0]["outcome"]


def test_own_exception_of_the_tests(judged: Any) -> None:
    """A class that tests and program both define is one class to the tests."""
    both = "class Bad(Exception): pass\n"
    tests = both + check(
        "try:", "    c()", "except Bad as e:", "    assert e.args == (1,)", "else:", "    assert False"
    )
    assert "passed" == judged(f"{both}def f(): raise Bad(1)", tests)[0]["outcome"]


# ---- hostile replies


def _serving(frames: Any, *replies: Any) -> Any:
    """A candidate that answers with what it was given: bodies as text, or functions of number and reply pipe."""

    def serve(requests: int, answers: int) -> None:
        for reply in replies:
            number, _ = frames.receive(requests, 1 << 24)
            if callable(reply):
                reply(number, answers)
            else:
                frames.send(answers, number, reply.encode())
        frames.receive(requests, 1 << 24)

    return serve


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("", "rejected_value"),
        ("nul", "rejected_value"),
        ("[]", "rejected_value"),
        ("5", "rejected_value"),
        ('["ok"]', "rejected_value"),
        ('["passed"]', "rejected_value"),
        ('["="]', "rejected_value"),
        ('["=",1]', "rejected_value"),
        ('["=",1,[],[]]x', "rejected_value"),
        ('["=",{"no":1},[],[]]', "rejected_value"),
        ('["=",{"*":[9,9]},[],[]]', "rejected_value"),
        ('["=",1,[[0,0,[]]],[]]', "rejected_value"),
        ('["=",1,[],[[9,9]]]', "rejected_value"),
        ('["=",1,5,[]]', "rejected_value"),
        ('["!",5,[],[]]', "rejected_value"),
        ('["!",["builtins","int",["int"],[],"",[]],[],[]]', "exception"),
        ('["=",' + "[" * 3000 + "]" * 3000 + ",[],[]]", "rejected_value"),
        ('["=","\u00e9",[],[]]', "rejected_value"),
        ('["?"]', "rejected_value"),
        ('["?",1,"size"]', "output_limit"),
    ],
    ids=lambda text: text[:30],
)
def test_garbled_replies(judged: Any, frames: Any, reply: str, outcome: str) -> None:
    """Nothing that is written to the pipe passes, nor ends the judge."""
    end, _ = judged("", check("assert c([1]) == 2"), serve=_serving(frames, '["ok"]', reply))
    assert outcome == end["outcome"]


def test_update_to_another_type(judged: Any, frames: Any) -> None:
    """An argument stays of its type."""
    reply = '["=",1,[[0,0,{"s":[]}]],[]]'
    end, _ = judged("", check("assert c([1]) == 1"), serve=_serving(frames, '["ok"]', reply))
    assert "rejected_value" == end["outcome"]


@pytest.mark.parametrize("reply", ['["fine"]', '["=",1,[],[]]', "[0]"])
def test_unknown_reply_to_loading(judged: Any, frames: Any, reply: str) -> None:
    """Only what the protocol names is an answer to the first request."""
    assert "tampered" == judged("", check("assert c(1)"), serve=_serving(frames, reply))[0]["outcome"]


def test_reply_with_another_number(judged: Any, frames: Any) -> None:
    """Who answers must have read the question."""

    def wrong(number: int, pipe: int) -> None:
        frames.send(pipe, number ^ 1, b'["=",1,[],[]]')

    assert (
        "tampered" == judged("", check("assert c(1) == 1"), serve=_serving(frames, '["ok"]', wrong))[0]["outcome"]
    )


def test_bytes_that_are_left(judged: Any, frames: Any) -> None:
    """An answer that is followed by more spoils itself, even if it is right."""

    def twice(number: int, pipe: int) -> None:
        frames.send(pipe, number, b'["=",1,[],[]]')
        os.write(pipe, b"x")

    end, _ = judged("", check("assert c(1) == 1"), serve=_serving(frames, '["ok"]', twice))
    assert ("tampered", 1) == (end["outcome"], end["finished"])


def test_announced_size(judged: Any, frames: Any) -> None:
    """A reply that is announced over the limit is not waited for."""

    def large(number: int, pipe: int) -> None:
        os.write(pipe, (MOST * 2).to_bytes(4, "little") + number.to_bytes(4, "little"))

    assert (
        "output_limit" == judged("", check("assert c(1)"), serve=_serving(frames, '["ok"]', large))[0]["outcome"]
    )


def test_candidate_that_is_gone(judged: Any, frames: Any) -> None:
    """The end of the pipe is told with the line that was called; the host finds out how it ended."""

    def leave(number: int, pipe: int) -> None:
        raise frames.Gone

    tests = check("assert True", "assert c(1)", "assert c(2)")
    end, results = judged("", tests, serve=_serving(frames, '["ok"]', leave), all=True)
    assert ("gone", 3, 1, 1) == (end["outcome"], end["line"], end["killed"], end["calls"])
    assert [[2, "passed"]] == [r[:2] for r in results]


# ---- arguments


def test_changes_come_back(judged: Any) -> None:
    """With `apply`, the tests see what the function did to its argument; without, they do not."""
    source = "def f(x):\n    x.sort()\n    return x\n"
    tests = check("x = [2, 1]", "y = c(x)", "assert y == [1, 2]", "assert x == [1, 2]", "assert x is y")
    end, _ = judged(source, tests)
    assert ("passed", True) == (end["outcome"], end["changed"])
    end, _ = judged(source, tests, apply=False)
    assert ("wrong_answer", 1) == (end["outcome"], end["finished"])


def test_cheating_by_mutation_shows_without_the_change(judged: Any) -> None:
    """Emptying the argument makes `sorted(argument)` agree only while the change is applied."""
    source, tests = "def f(x):\n    x.clear()\n    return []\n", check("x = [2, 1]", "assert c(x) == sorted(x)")
    end, _ = judged(source, tests)
    assert ("passed", True) == (end["outcome"], end["changed"])
    assert "wrong_answer" == judged(source, tests, apply=False)[0]["outcome"]


def test_change_before_an_exception(judged: Any) -> None:
    """It is seen as well."""
    tests = check("x = [1]", "try:", "    c(x)", "except KeyError:", "    assert x == []")
    assert "passed" == judged("def f(x):\n    x.clear()\n    raise KeyError\n", tests)[0]["outcome"]


def test_reading_is_no_change(judged: Any) -> None:
    """A sample that leaves its arguments alone says so."""
    end, _ = judged("def f(x): return sorted(x)", check("assert c([2, 1]) == [1, 2]"))
    assert not end["changed"]


def test_mutable_default_shows(judged: Any) -> None:
    """An earlier result changes when the function changes it later: `[1] == f()` twice is wrong."""
    source = "def f(x, seen=[]):\n    seen.append(x)\n    return seen\n"
    tests = check("first = c(1)", "second = c(2)", "assert second is first", "assert first == [1, 2]")
    assert "passed" == judged(source, tests)[0]["outcome"]
    assert "wrong_answer" == judged(source, check("first = c(1)", "c(2)", "assert first == [1]"))[0]["outcome"]


def test_tests_change_what_was_returned(judged: Any) -> None:
    """The function sees what the tests did to the list that it still holds."""
    source = "kept = []\ndef f(): return kept\n"
    assert (
        "passed"
        == judged(source, check("c().append(1)", "assert c() == [1]", "c().append(2)", "assert c() == [1, 2]"))[0][
            "outcome"
        ]
    )


def test_change_and_new_argument_in_one_call(judged: Any) -> None:
    """A kept container that the tests changed and new arguments keep their numbers apart."""
    source = "kept = []\ndef f(x=None):\n    if x is not None:\n        kept.append(x)\n    return kept\n"
    tests = check("k = c([1])", "k.append([2])", "r = c([3])", "assert r == [[1], [2], [3]]", "assert r is k")
    assert "passed" == judged(source, tests)[0]["outcome"]


def test_arguments_that_cannot_be_sent(judged: Any) -> None:
    """A callback is the problem's fault, not a TypeError that a test could expect."""
    tests = check("try:", "    c(lambda: 0)", "except Exception:", "    pass", "assert True")
    end, _ = judged("def f(x): return 1", tests)
    assert "problem" == end["outcome"]
    assert "cannot be sent" in end["detail"]


# ---- problems at fault


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize(
    ("tests", "detail"),
    [
        (check("pass"), "never call"),
        (check("c(1)"), "finish no assertion"),
        (check("for i in []:", "    assert c(i)"), "never call"),
        (check("return (c(1) for _ in [])"), "async or a generator"),
        (check("yield c(1)"), "async or a generator"),
        ("async " + check("assert c(1)"), "async or a generator"),
        ("def test(c):\n    assert c(1)\n", "define no function 'check'"),
        ("check = 5\n", "define no function 'check'"),
        (check("assert c(1)") + "def f(x): return 1\n", "define the entry point anew"),
        ("def check(c:\n", "do not compile"),
        (["x = 1"], "never call"),
    ],
)
def test_problems_at_fault(judged: Any, tests: Any, detail: str) -> None:
    """Tests that test nothing pass nobody."""
    end, _ = judged("def f(x): return 1", tests)
    assert "problem" == end["outcome"]
    assert detail in end["detail"]


def test_acting_tests_are_told(judged: Any) -> None:
    """The name by which they may act, where it is asked for; the code that was made comes first of all."""
    end, _ = judged("def f(): return '1'", check("assert eval(c()) == 1"), scan=True)
    assert ("passed", "eval") == (end["outcome"], end["acting"])


def test_results_are_passed_on_meanwhile(judged: Any) -> None:
    """Slow tests do not keep their results to the end: the host sees where time goes."""
    source = "import time\ndef f(x):\n    time.sleep(0.03)\n    return x\n"
    end, results = judged(source, check("for i in range(4):", "    assert c(i) == i"))
    assert ("passed", 4) == (end["outcome"], len(results))
    assert all(us >= 20_000 for _, _, us in results)
