"""The judge's part where tests run in the candidate's process: what it sends, and what it takes."""

from __future__ import annotations

import importlib
import json
import os
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture(scope="module")
def outside() -> Any:
    """The loose file of the judge's side."""
    return importlib.import_module("outside")


class Host:
    """Stands in for a judge: keeps what it is told to report and to settle."""

    def __init__(self, **facts: Any) -> None:
        self.reports: list[Any] = []
        self.tests: list[Any] = []
        self.sticky: tuple[str, str] | None = None
        self.sequence = self.place = self.finished = self.calls = self.gone_line = 0
        self.report = self.reports.append
        for name, value in facts.items():
            setattr(self, name, value)

    def settle(self, outcome: str, detail: str) -> None:
        """End the tests."""
        self.sticky = outcome, detail
        raise importlib.import_module("recorder").Stop


def test_last_message_is_taken(outside: Any) -> None:
    """Results, how many held, and the outcome; a pass settles nothing."""
    host = Host()
    assert outside.take(host, {"tests": [[3, "passed", 7], [4, "skipped", 0]], "end": ["passed", "", 2]})
    assert ([[3, "passed", 7], [4, "skipped", 0]], 2, None, 4) == (
        host.tests,
        host.finished,
        host.sticky,
        host.place,
    )
    assert [] == host.reports


def test_failure_is_taken(outside: Any) -> None:
    """Another outcome is the sample's."""
    host = Host()
    assert outside.take(host, {"tests": [], "end": ["wrong_answer", "why", 0]})
    assert ("wrong_answer", "why") == host.sticky


def test_messages_in_between_are_passed_on(outside: Any) -> None:
    """What comes before the end is told to the host at once."""
    host = Host()
    assert not outside.take(host, {"tests": [[1, "passed", 5]]})
    assert [{"tests": [[1, "passed", 5]]}] == host.reports


END = ["passed", "", 1]


@pytest.mark.parametrize(
    "message",
    [
        *(None, 1, "tests", [], {}, {"tests": None}, {"tests": 1}, {"end": END}),
        *({"tests": []}, {"tests": [1]}, {"tests": [[1, "passed"]]}, {"tests": [[1, "passed", 1, 1]]}),
        *({"tests": [[True, "passed", 1]]}, {"tests": [["1", "passed", 1]]}, {"tests": [[1.0, "passed", 1]]}),
        *({"tests": [[-1, "passed", 1]]}, {"tests": [[1, "passed", -1]]}, {"tests": [[1, "passed", 1.5]]}),
        *({"tests": [[1, "passed", 10**400]]}, {"tests": [[10**400, "passed", 1]]}),
        *({"tests": [[1, "fine", 1]]}, {"tests": [[1, "infra_error", 1]]}, {"tests": [[1, "timeout_cpu", 1]]}),
        *({"tests": [[1, ["passed"], 1]]}, {"tests": [[1, None, 1]]}),
        *({"tests": [], "end": None}, {"tests": [], "end": "passed"}, {"tests": [], "end": ["passed", ""]}),
        *({"tests": [], "end": ["infra_error", "", 1]}, {"tests": [], "end": ["gone", "", 1]}),
        *({"tests": [], "end": ["passed", None, 1]}, {"tests": [], "end": ["passed", "", True]}),
        *({"tests": [], "end": ["passed", "", -1]}, {"tests": [], "end": ["passed", "", 10**400]}),
        *({"tests": [], "end": [["passed"], "", 1]}, {"tests": {"1": 2}, "end": END}),
    ],
    ids=lambda message: repr(message)[:50],
)
def test_garbled_messages_are_refused(outside: Any, codec: Any, message: Any) -> None:
    """Whatever has another form raises one of the errors that are taken for tampering."""
    host = Host()
    with pytest.raises(codec.HOSTILE):
        outside.take(host, message)
    assert [] == host.reports
    assert host.sticky is None


def test_tests_have_a_limit_in_all(outside: Any) -> None:
    """The host keeps what is said: there is no end to what a program can say."""
    host = Host()
    rows = [[1, "passed", 0]] * (outside.MOST_TESTS // 2)
    assert not outside.take(host, {"tests": rows})
    assert not outside.take(host, {"tests": rows})
    with pytest.raises(ValueError, match="more than 100000 tests"):
        outside.take(host, {"tests": [[1, "passed", 0]]})


JOB = {
    "entry": "f",
    "all": False,
    "skip": [],
    "most": 1000,
    "edit": None,
    "tests": {"kind": "code", "code": ["assert f(1) == g(2)\n"], "context": "import os\n", "function": None},
}


def run(outside: Any, replies: Any) -> tuple[Host, dict[str, Any]]:
    """A run before a candidate that answers with the bytes that `replies` makes of a number; what it was sent."""
    frames, recorder = importlib.import_module("frames"), importlib.import_module("recorder")
    code = None, [compile("assert f(1) == g(2)", "<tests>", "exec")]
    numbers = iter([1234])
    requests, answers = os.pipe(), os.pipe()
    host = Host(job=JOB, requests=requests[1], replies=answers[0])
    os.write(answers[1], replies(next(numbers)))
    os.close(answers[1])
    fake = SimpleNamespace(urandom=lambda _: (1234).to_bytes(4, "little"))
    plain, outside.os = outside.os, fake
    try:
        outside.run(host, code)
    except recorder.Stop:
        pass
    finally:
        outside.os = plain
    number, body = frames.receive(requests[0], 1 << 20)
    assert 1234 == number
    for fd in (*requests, answers[0]):
        os.close(fd)
    return host, json.loads(body)


def frame(number: int, body: bytes) -> bytes:
    """A frame as a candidate writes it."""
    return len(body).to_bytes(4, "little") + number.to_bytes(4, "little") + body


GOOD = json.dumps({"tests": [[1, "passed", 1]], "end": END}).encode()


@pytest.mark.parametrize(
    ("replies", "sticky"),
    [
        (lambda n: frame(n, GOOD), None),
        (lambda n: frame(n + 1, GOOD), ("tampered", "a reply to another request")),
        (lambda n: frame(n, b"{"), ("tampered", "a garbled report: JSONDecodeError")),
        (lambda n: frame(n, b"[" * 900), ("tampered", "a garbled report")),
        (lambda n: frame(n, "é".encode()), ("tampered", "a garbled report: UnicodeDecodeError")),
        (lambda n: frame(n, b'{"tests": [], "end": ["passed", "", NaN]}'), ("tampered", "a garbled report")),
        (lambda n: frame(n, b"x" * 1001), ("output_limit", "a report over the limit")),
        (lambda n: frame(n, GOOD)[:-1], ("gone", "")),
        (lambda _: b"", ("gone", "")),
    ],
)
def test_replies(outside: Any, replies: Any, sticky: tuple[str, str] | None) -> None:
    """A report under the right number and of the right form is taken; all else settles the verdict."""
    host, _ = run(outside, replies)
    assert (sticky is None) == (host.sticky is None)
    if sticky is not None and host.sticky is not None:
        assert sticky[0] == host.sticky[0]
        assert host.sticky[1].startswith(sticky[1])


def test_what_is_sent(outside: Any) -> None:
    """Code and names, and no source: a program cannot read what was changed."""
    _, sent = run(outside, lambda n: frame(n, GOOD))
    assert {"entry", "all", "skip", "tests", "code", "names"} == set(sent)
    assert {"kind": "code", "function": None} == sent["tests"]
    assert ["f", "g"] == sent["names"]


@pytest.mark.parametrize(
    ("texts", "context", "expected"),
    [
        (["assert f(Node(1)) == 2"], "", ["Node", "f"]),
        (["x = 1", "assert f(x) == 2"], "", ["f"]),
        (["import a.b as c, d.e\nfrom g import h\nc, d, h, e"], "", ["e"]),
        (["assert f(1) == len([])"], "", ["f"]),
        (["def k(x, *y, z=1, **w):\n    return x, y, z, w, q\nclass C: pass\nk, C"], "", ["q"]),
        (["f(g)"], "def g(): return inner", ["f", "inner"]),
        (["f(1)"], "def broken(:", ["f"]),
        (["[x for x in y]\nwith f() as z: z\nexcept_ = 1"], "", ["f", "y"]),
    ],
)
def test_names(outside: Any, texts: list[str], context: str, expected: list[str]) -> None:
    """Names that tests use and do not define are the program's."""
    assert expected == outside.names(texts, context)


def test_edit(outside: Any) -> None:
    """A control run's tests differ in one place."""
    assert ["assert f(1) == g(2)\n"] == outside.parts(JOB)
    assert ["assert f(1) == g(9)\n"] == outside.parts({**JOB, "edit": [0, 17, 18, "9"]})
    assert [0, 17, 18, "9"] not in outside.edits(JOB)
    assert all(edit[:2] == [0, 15] or edit[:2] == [0, 17] for edit in outside.edits(JOB))
