"""`codejury run`: answers are judged as they come, and the run is what `codejury judge` makes of the file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.store import Store

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from codejury.model import Outcome

BASIC = ("--mode", "completion", "--store", "runs.db", "--quiet")
VERDICTS = Path("s.jsonl.verdicts.jsonl")


def steps(body: dict[str, Any], number: int) -> str:
    """Answers of which the first of each problem is wrong, and the rest is right, all of it one program."""
    right = {"def fa(x):\n": 1, "def fb(x):\n": 2}[body["prompt"]]
    return f"    return x + {right if number else 0}\n"


@pytest.fixture
def answering(server: Any, folder: Path) -> Any:
    """A server whose answers are programs."""
    server.text = steps
    return server


def document(name: str) -> Any:
    """A document that was written."""
    return json.loads(Path(name).read_text(encoding="utf-8"))


def outcomes(run: str) -> list[tuple[str, int, Outcome, bool]]:
    """The verdicts of a run."""
    with Store.open("runs.db", create=False) as store:
        return [
            (it.problem_id, it.index, it.outcome, it.base_passed is None)
            for it in store.verdicts(store.find_run(run).id)
        ]


@pytest.mark.sandbox
def test_the_run_is_that_of_judge(codejury: Callable[..., Any], answering: Any, sandbox: str) -> None:
    """The same figures, verdicts and manifest as of judging the file; nothing is left beside it."""
    ended = codejury(
        "run", *BASIC, "--n", 3, "--temperature", 0.5, "--k", "1,2", "--json", "run.json", "--run", "r"
    )
    assert 0 == ended.code, ended.err
    made = document("run.json")
    assert [("t/a", 3, 2), ("t/b", 3, 2)] == [(row["id"], row["n"], row["c"]) for row in made["per_problem"]]
    assert {"passed": 4, "wrong_answer": 2} == made["verdicts"]
    assert 4 == made["programs"]
    assert sandbox == made["tier"]
    assert not VERDICTS.exists()
    judged = codejury_judge(codejury)
    again = document("judge.json")
    for name in ("run", "timing"):
        del made[name], again[name]
    assert judged == 0
    assert made == again
    assert sorted(outcomes("r")) == sorted(outcomes("j"))
    with Store.open("runs.db", create=False) as store:
        manifests = [store.manifest(store.find_run(name).id) for name in ("r", "j")]
    assert manifests[0].meta == manifests[1].meta
    assert manifests[0].samples == manifests[1].samples
    assert manifests[0].rules == manifests[1].rules
    assert "0.5" == manifests[0].meta["temperature"]


def codejury_judge(codejury: Callable[..., Any]) -> int:
    """Judge the file, as one would without `run`."""
    ended = codejury(
        "judge", "s.jsonl", "--store", "runs.db", "-q", "--run", "j", "--k", "1,2", "--json", "judge.json"
    )
    return int(ended.code)


@pytest.mark.sandbox
def test_judging_begins_with_the_first_answer(
    codejury: Callable[..., Any], answering: Any, folder: Path, sandbox: str
) -> None:
    """The server gives its second answer only when the first has a verdict."""
    verdicts: list[int] = []

    def script(number: int, _body: dict[str, Any]) -> str:
        ends = time.monotonic() + 120
        while number and not (VERDICTS.exists() and VERDICTS.read_bytes().count(b"outcome")):
            assert time.monotonic() < ends
            time.sleep(0.02)  # in the server's thread
        verdicts.append(VERDICTS.read_bytes().count(b"outcome") if VERDICTS.exists() else 0)
        return "answer"

    answering.script = script
    ended = codejury("run", *BASIC, "--n", 2, "--concurrency", 1)
    assert 0 == ended.code, ended.err
    assert 0 == verdicts[0]
    assert min(verdicts[1:]) > 0
    assert 4 == len(outcomes("s"))


@pytest.mark.sandbox
def test_a_killed_run_goes_on(
    codejury: Callable[..., Any],
    start: Callable[..., subprocess.Popen[str]],
    answering: Any,
    folder: Path,
    sandbox: str,
) -> None:
    """After kill -9, answers are not asked for again, and verdicts not made again."""

    def script(number: int, _body: dict[str, Any]) -> str:
        return "answer" if number < 3 else "slow"

    answering.script = script
    process = start("run", *BASIC, "--n", 3, "--concurrency", 1)
    ends = time.monotonic() + 120
    while not (
        len(answering.requests) == 4 and VERDICTS.exists() and VERDICTS.read_bytes().count(b"outcome") == 2
    ):
        assert process.poll() is None
        assert time.monotonic() < ends
        time.sleep(0.02)
    process.kill()
    process.communicate()
    forged = VERDICTS.read_bytes().replace(b'"wrong_answer"', b'"crashed"')  # shows that it is taken as it is
    VERDICTS.write_bytes(forged + b'{"run": "s", "key": "torn')
    answering.script = lambda _number, _body: "answer"
    ended = codejury("run", *BASIC, "--n", 3, "--resume", "--json", "run.json")
    assert 0 == ended.code, ended.err
    assert 4 + 3 == len(answering.requests)
    assert {"passed": 4, "crashed": 1, "wrong_answer": 1} == document("run.json")["verdicts"]
    assert not VERDICTS.exists()


@pytest.mark.sandbox
def test_a_run_that_lacks_samples_waits_for_them(
    codejury: Callable[..., Any], answering: Any, folder: Path, sandbox: str
) -> None:
    """No run is made of a part, unless that is asked for; then the result says what is missing."""
    answering.script = lambda _number, body: (422, {}, {}) if "fb" in body["prompt"] else "answer"
    ended = codejury("run", *BASIC, "--n", 2)
    assert (3, True) == (ended.code, "2 of 4 samples are missing in s.jsonl: 2 failed (HTTP 422)" in ended.err)
    with Store.open("runs.db", create=False) as store:
        assert [] == store.runs()
    ended = codejury("run", *BASIC, "--n", 2, "--resume", "--allow-missing", "--json", "run.json")
    assert 0 == ended.code, ended.err
    assert [("t/a", 2, 1)] == [
        (row["id"], row["n"], row["c"]) for row in document("run.json")["per_problem"] if row["n"]
    ]
    taken = codejury("run", *BASIC, "--n", 2, "--resume")
    assert (2, True) == (taken.code, "has its samples, and 2 more are asked for" in taken.err)


@pytest.mark.sandbox
def test_a_budget_ends_a_run_as_it_ends_an_asking(
    codejury: Callable[..., Any], answering: Any, sandbox: str
) -> None:
    """With its exit code; what was answered is kept."""
    ended = codejury("run", *BASIC, "--max-tokens", 7, "--max-tokens-total", 15, "--concurrency", 1)
    assert 1 == ended.code
    assert "1 of 2 samples are missing in s.jsonl: the budget is used up: 17 of 15 tokens" in ended.err
    assert "go on with --resume and a higher budget, or report what is there with --allow-missing" in ended.err


@pytest.mark.sandbox
def test_a_complete_run_is_reported_again(codejury: Callable[..., Any], answering: Any, sandbox: str) -> None:
    """With --resume nothing is asked; without it, the name is taken."""
    assert 0 == codejury("run", *BASIC).code
    taken = codejury("run", *BASIC)
    assert (2, True) == (taken.code, "run 's' is already in store" in taken.err)
    assert 0 == codejury("run", *BASIC, "--resume", "--json", "run.json").code
    assert 2 == len(answering.requests)
    assert 2 == document("run.json")["samples"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--n", 2, "--k", 3), "--k 3: needs 3 samples of each problem, and --n is 2"),
        (("--n", 2, "--k", 2, "--temperature", 0), "temperature 0"),
        (("--dry-run", "--max-cost", 1), "--max-cost needs to know"),
        (("--extractor", "none-such"), "none-such"),
        (("--json", "no/run.json"), "--json no/run.json: cannot be written"),
    ],
)
def test_what_cannot_be_reported_is_not_asked_for(
    codejury: Callable[..., Any], answering: Any, options: tuple[object, ...], said: str
) -> None:
    """Before anything is paid for."""
    ended = codejury("run", *BASIC, *options)
    assert (2, True) == (ended.code, said in ended.err), ended.err
    assert [] == answering.requests


@pytest.mark.sandbox
def test_the_key_is_not_in_the_store(
    codejury: Callable[..., Any], answering: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    """Nor in any other file of a run, nor in what it says."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
    ended = codejury("run", "--mode", "completion", "--store", "runs.db", "--json", "run.json")
    assert 0 == ended.code, ended.err
    assert {"Bearer sk-not-to-be-seen"} == {headers["authorization"] for headers in answering.headers}
    said = [ended.out.encode(), ended.err.encode(), *(path.read_bytes() for path in folder.iterdir())]
    assert not [text for text in said if b"not-to-be-seen" in text]


@pytest.mark.sandbox
def test_a_server_that_refuses_ends_the_run(codejury: Callable[..., Any], answering: Any, sandbox: str) -> None:
    """The sandbox is closed, the error is one line."""
    answering.script = lambda _number, _body: (401, {}, {"error": {"message": "who are you"}})
    ended = codejury("run", *BASIC)
    assert (2, "codejury: m: the server refuses: HTTP 401: who are you\n") == (ended.code, ended.err)
