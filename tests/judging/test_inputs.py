"""Tests that are calls, before programs of our own: what passes, whose fault a failure is, what is recorded."""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging.kinds import payload
from codejury.judging.records import Request
from codejury.model import Comparison, Inputs, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Judged = Callable[..., tuple[Any, list[list[Any]], list[str] | None]]

inputs: Any = importlib.import_module("inputs")
DOUBLE = "def f(x):\n    return x * 2\n"
SORTED = "def f(x):\n    return sorted(x)\n"
MOST = 1 << 20


@pytest.fixture
def judged(judge: Any, candidate: Any, frames: Any, tmp_path: Path) -> Iterator[Judged]:
    """Judge a program; gives the judge's last word, its results and the outputs that it recorded."""
    state = random.getstate()

    def run(source: str, tests: Inputs, *, same: bool = False, **request: Any) -> Any:
        asked = Request(source=source, entry_point="f", tests=tests, limits=Limits(), **request)
        requests, replies = os.pipe(), os.pipe()

        def work() -> None:
            try:
                candidate.Candidate(requests[0], replies[1]).run()
            except frames.Gone:
                pass
            finally:
                os.close(replies[1])

        thread = threading.Thread(target=work)
        thread.start()
        job = {
            "source": source,
            "entry": "f",
            "most": MOST,
            "limits": [],
            "tests": json.loads(json.dumps(payload(asked, same=same))),
            "apply": asked.apply,
            "all": asked.all_tests,
            "scan": asked.scan,
            "skip": list(asked.skip),
            "again": asked.series is not None,
            "together": asked.together,
            "edit": asked.edit,
            "controls": asked.controls,
            "objects": asked.objects,
            "code": None,
        }
        report = tmp_path / "report"
        with report.open("wb") as file:
            judge.Judge(job, file.fileno(), requests[1], replies[0]).run()
        os.close(requests[1])
        thread.join()
        os.close(requests[0])
        os.close(replies[0])
        return _read(report.read_bytes())

    yield run
    inputs.former = None
    sys.modules.pop(candidate.MODULE, None)
    random.setstate(state)


def _read(data: bytes) -> tuple[Any, list[list[Any]], list[str] | None]:
    """The last word, the results of all frames, and the outputs that the last one tells."""
    results, end, expected = [], None, None
    while data:
        assert end is None
        size = int.from_bytes(data[:4], "little")
        message, data = json.loads(data[4 : 4 + size]), data[4 + size :]
        results += message["tests"]
        end, expected = message.get("end"), message.get("expected")
    assert end is not None
    return end, results, expected


def outcomes(results: list[list[Any]]) -> list[tuple[int, str]]:
    """Call and outcome of each result."""
    return [(place, outcome) for place, outcome, _ in results]


def calls(*arguments: Any, expected: Any = None, **fields: Any) -> Inputs:
    """Tests of one argument each."""
    return Inputs(base=tuple((x,) for x in arguments), expected=expected, **fields)


# ---- recording


def test_reference_says_what_is_expected(judged: Judged) -> None:
    """Outputs are recorded as texts of the protocol, and are what the next run is held against."""
    tests = calls(1, "ab", [1, 2.5])
    end, results, recorded = judged(DOUBLE, tests, scan=True)
    assert ("passed", 3) == (end["outcome"], end["calls"])
    assert ["2", '"abab"', "[1,2.5,1,2.5]"] == recorded
    assert [(1, "passed"), (2, "passed"), (3, "passed")] == outcomes(results)
    end, _, again = judged(DOUBLE, tests, scan=True, expected=tuple(recorded))
    assert ("passed", None) == (end["outcome"], again)
    end, results, _ = judged("def f(x):\n    return x + x\n", tests, expected=tuple(recorded))
    assert ("passed", 3) == (end["outcome"], end["finished"])
    end, results, _ = judged(
        "def f(x):\n    return [1, 2.5, 1, 2] if x == [1, 2.5] else x * 2\n", tests, expected=tuple(recorded)
    )
    assert ("wrong_answer", "call 3: expected [1, 2.5, 1, 2.5], got [1, 2.5, 1, 2]") == (
        end["outcome"],
        end["detail"],
    )
    assert [(1, "passed"), (2, "passed"), (3, "wrong_answer")] == outcomes(results)


@pytest.mark.parametrize(
    ("reference", "outcome"),
    [
        ("def f(x):\n    return object()\n", "rejected_value"),
        ("def f(x):\n    return lambda: x\n", "rejected_value"),
        ("class f:\n    def __init__(self, x):\n        self.x = x\n", "rejected_value"),
        ("def f(x):\n    return [x] * 1_000_000\n", "output_limit"),
        ("def f(x):\n    raise ValueError(x)\n", "exception"),
        ("def f(x):\n    if x == 2:\n        raise SystemExit\n    return x\n", "early_exit"),
        ("def f(x):\n    return 1 / (x - 2)\n", "exception"),
        ("g = 1\n", "exception"),
        ("def f(x:\n", "syntax_error"),
    ],
)
def test_outputs_that_cannot_be_recorded_are_none(judged: Judged, reference: str, outcome: str) -> None:
    """A reference that fails at any call says nothing of what is expected, in either mode."""
    for every in (False, True):
        end, _, recorded = judged(reference, calls(1, 2, 3), scan=True, objects=True, all_tests=every)
        assert (outcome, None) == (end["outcome"], recorded)


def test_reference_that_is_not_deterministic_is_named(judged: Judged) -> None:
    """The second run is held against the first."""
    reference = "import os\ndef f(x):\n    return os.urandom(8).hex()\n"
    _, _, recorded = judged(reference, calls(1), scan=True)
    end, _, _ = judged(reference, calls(1), scan=True, expected=tuple(recorded or ()))
    assert "wrong_answer" == end["outcome"]
    assert end["detail"].startswith("call 1: its reference disagrees with itself: it gave '")


def test_reference_whose_outputs_are_nothing(judged: Judged) -> None:
    """Sorting in place and returning None passes any function that returns None: such tests look at nothing."""
    end, _, recorded = judged("def f(x):\n    x.sort()\n", calls([2, 1], [3, 2]), scan=True)
    assert ("problem", None) == (end["outcome"], recorded)
    assert "returns nothing and changes its arguments" in end["detail"]
    end, _, recorded = judged("def f(x):\n    pass\n", calls([2, 1]), scan=True)
    assert ("passed", ["null"]) == (end["outcome"], recorded)


def test_outputs_of_a_reference_have_a_limit(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them together, so that they can be told to the host."""
    monkeypatch.setattr(inputs, "MOST_RECORDED", 3 << 20)
    end, _, recorded = judged("def f(x):\n    return 'a' * x\n", calls(*[1_000_000] * 4), scan=True)
    assert ("problem", None) == (end["outcome"], recorded)
    assert "more than 3 MiB" in end["detail"]


# ---- arguments and outputs


def test_each_call_has_arguments_of_its_own(judged: Judged) -> None:
    """What one call does to them is not seen by the next, and is no change of the tests' own."""
    source = "def f(x):\n    x.append(len(x))\n    return x\n"
    end, _, recorded = judged(source, calls([7], [7], []), scan=True)
    assert ("passed", ["[7,1]", "[7,1]", "[0]"], False) == (end["outcome"], recorded, end["changed"])
    end, _, _ = judged(source, calls([7], [7], expected=([7, 1], [7, 1])), series="s")
    assert ("passed", True) == (end["outcome"], end["again"])


def test_arguments_that_share_a_list(judged: Judged) -> None:
    """A list that stands in two arguments is one list."""
    shared = Inputs(base=(([1], {"*": [0, 0]}), ([[2], {"*": [0, 1]}], 0)), expected=([1, 3], [[2, 3], [2, 3]]))
    source = "def f(x, y):\n    (y or x[0]).append(3)\n    return x\n"
    end, _, _ = judged(source, shared, scan=True)
    assert "passed" == end["outcome"], end["detail"]
    end, _, _ = judged("def f(x, y):\n    return list(x) + [3]\n", shared)
    assert "wrong_answer" == end["outcome"]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return x\n",
        "def f(x):\n    return [x, x[0]][0]\n",
        "seen = []\ndef f(x):\n    seen.append(x)\n    return x\n",
        "def f(x, memo={}):\n    return memo.setdefault(str(x), x)\n",
        "def f(x):\n    x.append(1)\n    x.pop()\n    return x\n",
        "def f(x):\n    x.reverse()\n    return x[::-1]\n",
        "import copy\ndef f(x):\n    return copy.deepcopy(x)\n",
    ],
)
def test_outputs_that_are_arguments_or_kept(judged: Judged, source: str) -> None:
    """An argument that is returned is its value; so is what the program still holds."""
    values = ([[1], 2], [[1], 2], [[], "a"], [[1], 2])
    end, _, _ = judged(source, calls(*values, expected=values))
    assert "passed" == end["outcome"], end["detail"]


def test_outputs_of_former_calls_do_not_count(judged: Judged) -> None:
    """A list that the program returns again and again is compared as it is each time."""
    source = "seen = []\ndef f(x):\n    seen.append(x)\n    return seen\n"
    end, _, _ = judged(source, calls(1, 2, 3, expected=([1], [1, 2], [1, 2, 3])))
    assert "passed" == end["outcome"], end["detail"]
    end, _, _ = judged(source, calls(1, 2, expected=([1], [2])))
    assert ("wrong_answer", "call 2: expected [2], got [1, 2]") == (end["outcome"], end["detail"])


def test_rules_of_the_problem_hold(judged: Judged) -> None:
    """The comparison is the problem's."""
    source = "def f(x):\n    return (x + 1e-9, True)\n"
    expected = [{"t": [1.0, 1]}]
    for rules, outcome in (
        ({}, "wrong_answer"),
        ({"types": "python"}, "wrong_answer"),
        ({"abs_tol": 1e-6}, "wrong_answer"),
        ({"types": "python", "abs_tol": 1e-6}, "passed"),
        ({"types": "python", "abs_tol": 1e-6, "order": "unordered"}, "passed"),
    ):
        end, _, _ = judged(source, calls(1.0, expected=expected, comparison=Comparison(**rules)))
        assert outcome == end["outcome"], rules


def test_what_comparing_raises_counts_against_the_sample(judged: Judged) -> None:
    """Values without an end, and too many to be tried: never the problem's fault, nor the judge's end."""
    for source in (
        "def f(x):\n    x.append(x)\n    return x\n",
        "def f(x):\n    x = [x]\n    for _ in range(100):\n        x = [x, x]\n    return x\n",
        "def f(x):\n    x = []\n    for _ in range(190):\n        x = [x]\n    return x\n",
        "def f(x):\n    return 10 ** 5000\n",
        "from decimal import Decimal\ndef f(x):\n    return [Decimal('sNaN')]\n",
        "def f(x):\n    a = ValueError()\n    a.args = (a.args, 1)\n    return a\n",
    ):
        for rules in ({}, {"order": "unordered"}, {"order": "set", "types": "python"}, {"abs_tol": 1.0}):
            tests = calls([1], expected=([[1], [1]],), comparison=Comparison(**rules))
            end, _, _ = judged(source, tests)
            assert "wrong_answer" == end["outcome"], end
    itself = calls([], expected=([{"*": [0, 0]}],))
    end, _, _ = judged("def f(x):\n    x.append(x)\n    return x\n", itself)
    assert ("wrong_answer", "RecursionError") == (end["outcome"], end["detail"].partition(":")[0])


def test_exceptions_that_are_returned(judged: Judged) -> None:
    """As values, with class and arguments; an exception that is raised is none."""
    end, _, recorded = judged("def f(x):\n    return ValueError(x)\n", calls(1), scan=True)
    assert recorded is not None
    for source, outcome in (
        ("def f(x):\n    return ValueError(x)\n", "passed"),
        ("def f(x):\n    return ValueError(True)\n", "wrong_answer"),
        ("def f(x):\n    return TypeError(x)\n", "wrong_answer"),
        ("def f(x):\n    raise ValueError(x)\n", "exception"),
    ):
        end, _, _ = judged(source, calls(1), expected=tuple(recorded))
        assert outcome == end["outcome"]


def test_objects_that_stay_with_the_program_are_refused(judged: Judged) -> None:
    """A handle is never compared, whatever the problem's class: its program would answer."""
    source = (
        "class f:\n    def __init__(self, x):\n        pass\n    def __eq__(self, other):\n        return True\n"
    )
    for oracle in ("", "def oracle(arguments, expected, output):\n    return output == expected\n"):
        end, _, _ = judged(
            source, calls(1, expected=(1,), oracle=oracle, comparison=Comparison(types="python")), objects=True
        )
        assert "rejected_value" == end["outcome"]


def test_replies_that_are_none(
    judged: Judged, candidate: Any, codec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Garbled replies are the candidate's own fault."""
    for reply in (
        "[]",
        "3",
        '["="]',
        '["=",{"d":3},[],[]]',
        '["=",{"*":[2,9]},[],[]]',
        '["=",{"*":[9,0]},[],[]]',
        '["x",1,[],[]]',
        "{",
    ):
        monkeypatch.setattr(candidate.Candidate, "answer", lambda *_, reply=reply: reply.encode())
        end, results, _ = judged(DOUBLE, calls(1, expected=(2,)))
        assert "rejected_value" == end["outcome"], reply
        assert [(1, "rejected_value")] == outcomes(results)


# ---- oracles

YES = "def oracle(arguments, expected, output):\n    return {}\n"


def test_oracle_says_what_is_right(judged: Judged) -> None:
    """Any root will do: it sees arguments, the expected output and the output, all its own to change."""
    oracle = YES.format("output ** 2 == arguments[0]") + "    \n"
    for source, outcome in (("2", "passed"), ("-2", "passed"), ("3", "wrong_answer")):
        end, _, _ = judged(f"def f(x):\n    return {source}\n", calls(4, expected=(2,), oracle=oracle))
        assert outcome == end["outcome"]
    right = "right = (arguments, expected, output) == ([[2, 1]], [1, 2], [1, 2])"
    clear = "for x in (arguments, expected, output):\n        x.clear()"
    changing = f"def oracle(arguments, expected, output):\n    {right}\n    {clear}\n    return right\n"
    kept = "kept = [1, 2]\ndef f(x):\n    return kept\n"
    tests = calls(*[[2, 1]] * 3, expected=[[1, 2]] * 3, oracle=changing)
    for source in (SORTED, kept, "def f(x):\n    x.sort()\n    return x\n"):
        for same in (False, True):
            end, _, _ = judged(source, tests, same=same)
            assert "passed" == end["outcome"], end["detail"]


@pytest.mark.parametrize(
    ("oracle", "reason"),
    [
        ("def oracle(:\n", "its oracle cannot be loaded: SyntaxError"),
        ("import nothing_of_this_name\n", "its oracle cannot be loaded: ModuleNotFoundError"),
        ("raise SystemExit\n", "its oracle cannot be loaded: SystemExit"),
        ("def right(*_):\n    return True\n", "its oracle defines no function 'oracle'"),
        ("oracle = 3\n", "its oracle defines no function 'oracle'"),
    ],
)
def test_oracle_that_is_none_is_the_problems_fault(judged: Judged, oracle: str, reason: str) -> None:
    """For the reference and for a sample."""
    for scan in (True, False):
        end, results, _ = judged(DOUBLE, calls(1, expected=(2,), oracle=oracle), scan=scan)
        assert ("problem", []) == (end["outcome"], results)
        assert end["detail"].startswith(reason)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize(
    ("oracle", "reason"),
    [
        (YES.format("1 / 0"), "its oracle raised ZeroDivisionError: division by zero"),
        ("def oracle(output):\n    return True\n", "its oracle raised TypeError"),
        ("def oracle(*_):\n    raise SystemExit\n", "its oracle raised SystemExit"),
        ("async " + YES.format("True"), "its oracle gave a coroutine, not True or False"),
        (YES.format("(yield)"), "its oracle gave a generator, not True or False"),
        (YES.format("None"), "its oracle gave a NoneType, not True or False"),
        (YES.format("output"), "its oracle gave a int, not True or False"),
        (YES.format("'yes'"), "its oracle gave a str, not True or False"),
    ],
)
def test_oracle_that_fails(judged: Judged, oracle: str, reason: str) -> None:
    """On what the reference gives, the problem is at fault; else it counts against the sample, and tests go on."""
    tests = calls(1, 2, expected=(2, 4), oracle=oracle)
    end, results, _ = judged(DOUBLE, tests, scan=True)
    assert ("problem", []) == (end["outcome"], results)
    assert end["detail"].startswith(reason)
    end, results, _ = judged(DOUBLE, tests, all_tests=True)
    assert "wrong_answer" == end["outcome"]
    assert end["detail"].startswith(f"call 1: {reason}")
    assert [(1, "wrong_answer"), (2, "wrong_answer")] == outcomes(results)


def test_oracle_that_acts_on_values_is_weak(judged: Judged) -> None:
    """It is named where the judge is asked to look, and leaves something behind."""
    for oracle, acting in (
        (YES.format("eval(output) == 1"), "eval"),
        ("import os\n" + YES.format("True"), "os"),
        (YES.format("True"), None),
        ("", None),
    ):
        end, _, _ = judged("def f(x):\n    return 2\n", calls(1, expected=(2,), oracle=oracle), scan=True)
        assert acting == end["acting"]


def test_oracle_cannot_swallow_a_settled_verdict(judged: Judged) -> None:
    """A call that ends the tests ends them before any oracle is asked."""
    oracle = "def oracle(*_):\n    try:\n        return True\n    except BaseException:\n        return True\n"
    for source, outcome in (
        ("def f(x):\n    raise SystemExit\n", "early_exit"),
        ("def f(x):\n    return object()\n", "rejected_value"),
        ("def f(x):\n    raise KeyError\n", "exception"),
    ):
        end, _, _ = judged(source, calls(1, expected=(2,), oracle=oracle))
        assert outcome == end["outcome"]


def test_oracles_of_samples_know_nothing_of_each_other(judged: Judged) -> None:
    """Each sample has the oracle's module to itself, also where one judge judges on."""
    oracle = "seen = []\n" + YES.format("(seen.append(output) or len(seen)) == arguments[0]")
    tests = calls(1, 2, expected=(0, 0), oracle=oracle)
    for same in (False, True, True):
        end, _, _ = judged(DOUBLE, tests, same=same)
        assert "passed" == end["outcome"], end["detail"]


# ---- faults of a problem


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        (calls(1, 2, expected=(2,)), "it has 1 expected outputs for 2 calls"),
        (calls(1, expected=(2, 4)), "it has 2 expected outputs for 1 calls"),
        (calls(expected=()), "its tests never call the candidate"),
        (calls({"no": 1}, expected=(2,)), "the arguments of call 1 cannot be read: KeyError"),
        (calls({"r": [1, 2, 0]}, expected=(2,)), "the arguments of call 1 cannot be read: ValueError"),
        (calls(1, expected=({"no": 1},)), "its expected output 1 cannot be read: KeyError"),
        (calls({"*": [0, 5]}, expected=(2,)), "the arguments of call 1 cannot be read: IndexError"),
    ],
)
def test_tests_that_are_wrong_are_the_problems_fault(judged: Judged, tests: Inputs, reason: str) -> None:
    """Outputs and calls that do not fit, or cannot be read."""
    end, _, _ = judged(DOUBLE, tests, scan=True)
    assert "problem" == end["outcome"]
    assert end["detail"].startswith(reason)


# ---- all tests


def test_all_calls_are_made(judged: Judged) -> None:
    """After a failure, too; the sample's outcome is that of its first."""
    source = "def f(x):\n    if x == 2:\n        raise KeyError(x)\n    return 6 if x == 3 else x * 3\n"
    tests = calls(0, 1, 2, 3, expected=(0, 2, 4, 6))
    end, results, _ = judged(source, tests, all_tests=True)
    assert ("wrong_answer", "call 2: expected 2, got 3") == (end["outcome"], end["detail"])
    assert [(1, "passed"), (2, "wrong_answer"), (3, "exception"), (4, "passed")] == outcomes(results)
    end, results, _ = judged(source, tests)
    assert [(1, "passed"), (2, "wrong_answer")] == outcomes(results)


def test_call_that_ends_the_tests_can_be_left_out(judged: Judged) -> None:
    """It is told by its place, and a further run goes past it."""
    source = "def f(x):\n    if x == 2:\n        raise SystemExit\n    return x * 2\n"
    tests = calls(1, 2, 3, expected=(2, 4, 6))
    end, results, _ = judged(source, tests, all_tests=True)
    assert ("early_exit", 1) == (end["outcome"], end["killed"])
    assert [(1, "passed"), (2, "early_exit")] == outcomes(results)
    end, results, _ = judged(source, tests, all_tests=True, skip=(1,))
    assert [(1, "passed"), (2, "skipped"), (3, "passed")] == outcomes(results)


# ---- judging on


def test_calls_are_kept_for_the_next_sample(judged: Judged) -> None:
    """A judge that judges on is told neither calls nor what is expected again, and reads each text once."""
    tests = calls([3, 1], [2], expected=([1, 3], [2]))
    request = Request(source="", entry_point="f", tests=tests, limits=Limits())
    assert {"kind", "own", "oracle"} == payload(request, same=True).keys()
    judged(SORTED, tests)
    kept = inputs.former
    assert {1: [1, 3], 2: [2]} == kept.known
    for source, outcome in ((SORTED, "passed"), ("def f(x):\n    return x\n", "wrong_answer"), (SORTED, "passed")):
        end, _, _ = judged(source, tests, same=True)
        assert outcome == end["outcome"]
        assert kept is inputs.former
    end, _, _ = judged(SORTED, calls([1], expected=([2],)))
    assert "wrong_answer" == end["outcome"]


def test_iterators_are_expected_anew(judged: Judged) -> None:
    """What is read once is read from its text for each sample."""
    tests = calls(3)
    source = "def f(x):\n    return [(i for i in range(x)), map(str, range(x))]\n"
    _, _, recorded = judged(source, tests, scan=True)
    for same in (False, True, True):
        end, _, _ = judged(source, tests, same=same, expected=tuple(recorded or ()))
        assert "passed" == end["outcome"], end["detail"]
    end, _, _ = judged(
        "def f(x):\n    return [(i for i in [0, 1]), map(str, range(x))]\n", tests, expected=tuple(recorded or ())
    )
    assert "wrong_answer" == end["outcome"]


# ---- showing


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("a" * 200, "'" + "a" * 99 + "…"),
        ([1, [2, [3, [4, [5]]]]], "[1, [2, [3, […, …]]]]"),
        ((1,), "(1)"),
        ({"a": {1}}, "{'a': set(1)}"),
        (list(range(10**6)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"),
        (range(10**9, 10**10), "range(1000000000, 10000000000)"),
        (ValueError(1), "ValueError(1)"),
        ({1: 2}.values(), "dict_values(2)"),
    ],
)
def test_values_are_shown_in_short(value: Any, text: str) -> None:
    """Their beginning, whatever their size and depth."""
    assert text == inputs.shown(value)
    assert "a large int" == inputs.shown(10**5000)


def test_values_that_are_held_many_times_are_shown() -> None:
    """Lists that double at each level would fill the memory."""
    value: Any = [0]
    for _ in range(100):
        value = [value, value]
    for x in (value, {1: value}, ValueError(value), {"a": value}.items()):
        assert len(inputs.shown(x)) <= 101
