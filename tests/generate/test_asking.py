"""Asking a server that fails in every way: no sample is lost, doubled or given to another problem."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.generate import (
    Asked,
    Asking,
    AskSettings,
    Journal,
    Key,
    Limiter,
    OpenAIClient,
    Price,
    Prompter,
    plan,
)
from codejury.model import InfrastructureError, Sample, UsageError

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from codejury.generate import Budget
    from codejury.model import Problem

FAULTS: tuple[Any, ...] = (
    "fewer",
    "one",
    "more",
    "shuffled",
    "twice",
    "unanswered",
    "cut_json",
    "cut_off",
    "reset",
    "trickle",
    (429, {"Retry-After": "0"}, {"error": {"message": "slow down"}}),
    (429, {}, b"busy"),
    (503, {}, b""),
    (500, {}, b"oops"),
    (502, {}, b"<html>"),
    (200, {}, {"error": {"message": "behind", "code": 502}}),
    (200, {}, b"[]"),
    (200, {}, {"choices": []}),
)


class Told:
    """What an asking gave: its samples, as they came, and what became of it."""

    def __init__(self, samples: list[Sample], asked: Asked, budget: Budget, limiter: Limiter) -> None:
        self.samples, self.asked, self.budget, self.limiter = samples, asked, budget, limiter
        self.by_key = {(sample.problem_id, sample.index): sample for sample in samples}


def ask(
    settings: AskSettings,
    problems: Sequence[Problem],
    path: Path,
    *,
    resume: bool = False,
    price: Price | None = None,
    key: str = "",
) -> Told:
    """Ask for everything that the file does not hold."""

    async def run() -> Told:
        prompter = Prompter(settings)
        with Journal(str(path), {"model": "m", "settings_hash": "h"}, resume=resume) as journal:
            requests = plan(problems, prompter, settings, journal.held)
            async with OpenAIClient(settings, prompter.stop, Key(key)) as client:
                asking = Asking(requests, client, journal, settings, price=price)
                samples = [sample async for sample in asking.answers()]
                return Told(samples, asking.asked, asking.budget, asking.limiter)

    return asyncio.run(run())


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check(told: Sequence[Sample], problems: Sequence[Problem], n: int) -> None:
    """Each sample is there once, and answers its own problem with an answer that no other has."""
    assert sorted((p.id, i) for p in problems for i in range(n)) == sorted((s.problem_id, s.index) for s in told)
    prompts = {problem.id: problem.prompt for problem in problems}
    for sample in told:
        assert prompts[sample.problem_id] == sample.text.split("|")[0]
    assert len(told) == len({sample.text for sample in told})


def test_each_sample_is_asked_for_once_with_its_seed(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """Separate requests have the seed of their sample, and figures of one answer are that answer's."""
    told = ask(asked_of(n=4, seed=100), problems, tmp_path / "s.jsonl", price=Price(1.0, 2.0))
    check(told.samples, problems, 4)
    assert 20 == len(server.requests) == told.asked.requests
    for sample in told.samples:
        assert f"{100 + sample.index}" == sample.text.split("|")[1]
        assert (10, 7, "stop", "completion") == (
            sample.prompt_tokens,
            sample.completion_tokens,
            sample.finish_reason,
            sample.kind,
        )
        assert pytest.approx((10 * 1.0 + 7 * 2.0) / 1e6) == sample.cost_usd
        assert sample.latency_s is not None
        assert sample.latency_s >= 0
    assert sorted(map(json.dumps, rows(tmp_path / "s.jsonl"))) == sorted(
        json.dumps(msgspec.to_builtins(sample)) for sample in told.samples
    )
    assert {"/v1/completions"} == set(server.paths)
    assert all("n" not in body for body in server.requests)


def test_several_answers_of_a_request_have_no_figures_of_their_own(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """A total of several answers is kept as that of the request; a share of it would be invented."""
    path = tmp_path / "s.jsonl"
    told = ask(asked_of(n=5, n_per_request=3), problems[:2], path, price=Price(1.0, 1.0))
    check(told.samples, problems[:2], 5)
    assert [2, 3] == sorted({body["n"] for body in server.requests})
    assert {(None, None, None)} == {(s.prompt_tokens, s.completion_tokens, s.cost_usd) for s in told.samples}
    calls = rows(Path(f"{path}.calls.jsonl"))
    assert 4 == len(calls)
    assert 4 * 10 == sum(call["prompt_tokens"] for call in calls)
    assert 10 * 7 == sum(call["completion_tokens"] for call in calls) == told.budget.spent.completion_tokens
    assert pytest.approx(110 / 1e6) == told.budget.spent.cost


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    faults=st.lists(st.sampled_from(FAULTS), max_size=40),
    n=st.integers(1, 5),
    per_request=st.integers(1, 4),
    concurrency=st.integers(1, 9),
    seed=st.randoms(use_true_random=False),
)
def test_no_sample_is_lost_doubled_or_misaligned(  # noqa: PLR0917
    server: Any,
    problems: list[Problem],
    asked_of: Callable[..., AskSettings],
    tmp_path_factory: pytest.TempPathFactory,
    faults: list[Any],
    n: int,
    per_request: int,
    concurrency: int,
    seed: random.Random,
) -> None:
    """Whatever fails in whatever order, each sample is there once and answers its own problem."""
    left = list(faults)
    server.answers.clear()
    server.script = lambda _number, _body: left.pop() if left and seed.random() < 0.7 else "answer"
    asked = asked_of(n=n, n_per_request=per_request, concurrency=concurrency, attempts=50, backoff_s=0.0)
    path = tmp_path_factory.mktemp("asked") / "s.jsonl"
    told = ask(asked, problems, path)
    assert (None, {}) == (told.asked.stopped, told.asked.failed)
    check(told.samples, problems, n)
    check([Sample(**row) for row in rows(path)], problems, n)


def test_an_endless_answer_is_given_up_and_asked_for_again(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """A byte now and then keeps no request alive beyond its time."""
    server.script = lambda number, _body: "slow" if number == 0 else "answer"
    told = ask(asked_of(timeout_s=0.3), problems[:1], tmp_path / "s.jsonl")
    check(told.samples, problems[:1], 1)
    assert 2 == told.asked.requests


def test_a_failed_call_is_missing_and_never_an_empty_answer(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """What fails every time is said with its reason, has no row, and the others keep their places."""
    server.script = lambda _number, body: (500, {}, b"") if body["prompt"] == "Pb" else "answer"
    path = tmp_path / "s.jsonl"
    told = ask(asked_of(n=2, attempts=3), problems, path)
    check(told.samples, [p for p in problems if p.id != "p/b"], 2)
    assert {("p/b", 0): "HTTP 500", ("p/b", 1): "HTTP 500"} == told.asked.failed
    assert 2 * 3 == sum(body["prompt"] == "Pb" for body in server.requests)
    failed = [call for call in rows(Path(f"{path}.calls.jsonl")) if "failed" in call]
    assert [(3, "HTTP 500")] * 2 == [(call["attempts"], call["failed"]) for call in failed]
    server.script = lambda _number, _body: "answer"
    again = ask(asked_of(n=2), problems, path, resume=True)
    assert {("p/b", 0), ("p/b", 1)} == set(again.by_key)


def test_an_empty_answer_with_a_reason_is_the_models(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """Nothing said and a reason to stop is an answer: leaving it out would raise the score."""
    server.text, server.finish_reason = (lambda _body, _number: ""), "length"
    told = ask(asked_of(mode="chat"), problems[:2], tmp_path / "s.jsonl")
    assert [("", "length", "chat")] * 2 == [(s.text, s.finish_reason, s.kind) for s in told.samples]
    assert {"length": 2} == told.asked.empty
    assert {"/v1/chat/completions"} == set(server.paths)


def test_requests_are_fewer_while_the_server_is_busy(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """A server that takes two requests at a time gets everything asked, and not many more at once."""
    server.script = lambda _number, _body: (
        (429, {"Retry-After": "0.01"}, {"error": {"message": "two at a time"}})
        if server.under_way > 2
        else "answer"
    )
    told = ask(asked_of(n=20, concurrency=32), problems, tmp_path / "s.jsonl")
    check(told.samples, problems, 20)
    assert told.limiter.limit < 32


def test_a_server_that_stays_busy_ends_the_asking(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """A wait beyond the patience is not waited for; what is missing can be asked for later."""
    server.script = lambda number, _body: "answer" if number < 2 else (429, {"Retry-After": "3600"}, {})
    told = ask(asked_of(concurrency=1), problems, tmp_path / "s.jsonl")
    assert 2 == told.asked.answered
    assert "the server is too busy: HTTP 429" == told.asked.stopped


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (
            (401, {}, {"error": {"message": "bad key sk-secret"}}),
            r"m: the server refuses: HTTP 401: bad key \[key\]",
        ),
        ((404, {}, {"error": {"message": "no model m"}}), "m: the server refuses: HTTP 404: no model m"),
        (
            (429, {}, {"error": {"message": "no money", "code": "insufficient_quota"}}),
            "m: the server refuses: HTTP 429: no money",
        ),
        ((400, {}, {"error": {"message": "no temperature"}}), "refuses every request: HTTP 400: no temperature"),
    ],
)
def test_what_cannot_succeed_ends_at_once(
    server: Any,
    problems: list[Problem],
    asked_of: Callable[..., AskSettings],
    tmp_path: Path,
    response: Any,
    said: str,
) -> None:
    """A wrong key, model or setting is one line for the user, without the key."""
    server.script = lambda _number, _body: response
    with pytest.raises(UsageError, match=said):
        ask(asked_of(n=5), problems, tmp_path / "s.jsonl", key="sk-secret")
    assert len(server.requests) <= 13


def test_a_refusal_in_the_middle_loses_no_answer(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """Out of money after some answers: who is under way is waited for, who waits for a turn is not asked."""
    refused = (429, {"Retry-After": "600"}, {"error": {"message": "busy"}})

    def script(number: int, _body: dict[str, Any]) -> Any:
        if number == 5:
            return 402, {}, {"error": {"message": "no money"}}
        return "late" if number == 4 else "answer" if number < 4 else refused

    server.script, server.late_until = script, 6
    told = ask(asked_of(n=8, concurrency=4), problems, tmp_path / "s.jsonl")
    assert 5 == told.asked.answered
    assert "the server refuses: HTTP 402: no money" == told.asked.stopped
    assert len(server.requests) < 12


def test_one_refused_problem_is_missing_and_the_others_are_not(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """A prompt that is too long for the model is not tried again."""
    server.script = lambda _number, body: (
        (400, {}, {"error": {"message": "long"}}) if body["prompt"] == "Pc" else "answer"
    )
    told = ask(asked_of(concurrency=1), problems, tmp_path / "s.jsonl")
    assert {("p/c", 0): "HTTP 400: long"} == told.asked.failed
    assert 5 == len(server.requests)


def test_no_server_is_said_at_once(problems: list[Problem], tmp_path: Path) -> None:
    """Nobody at the address: an error of infrastructure after a few attempts."""
    settings = AskSettings(model="m", base_url="http://127.0.0.1:9/v1", mode="completion", backoff_s=0.001)
    with pytest.raises(InfrastructureError, match=r"cannot be reached: the connection failed \(ConnectError\)"):
        ask(settings, problems, tmp_path / "s.jsonl")


def test_a_server_that_dies_ends_the_asking(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """After as many requests without an answer as may be under way, nothing more is asked for."""
    server.script = lambda number, _body: "answer" if number < 3 else "reset"
    told = ask(asked_of(n=40, concurrency=2, attempts=2), problems, tmp_path / "s.jsonl")
    assert 3 == told.asked.answered
    assert told.asked.stopped is not None
    assert told.asked.stopped.startswith("the server does not answer any more: the connection failed")
    assert len(server.requests) < 20


def test_a_budget_of_tokens_is_kept_over_sessions(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """No request is sent that may go beyond it, each answer as long as it may be; former sessions count."""
    path = tmp_path / "s.jsonl"
    told = ask(asked_of(n=4, max_tokens=7, max_tokens_total=100), problems, path)
    # A prompt of 2 bytes is taken for 1 token and is 10: 17 are used by each, 8 are set aside.
    assert told.asked.stopped is not None
    assert told.asked.stopped.startswith("the budget is used up: ")
    assert 100 - 8 < told.budget.spent.tokens == 17 * told.asked.answered <= 100 + 9 * 8
    before = len(server.requests)
    again = ask(
        asked_of(n=4, max_tokens=7, max_tokens_total=told.budget.spent.tokens + 8), problems, path, resume=True
    )
    assert 1 == again.asked.answered == len(server.requests) - before


def test_a_budget_of_money_is_kept(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """One request at a time where two would not fit."""
    price = Price(0.0, 1e6 / 7)  # 1 USD for an answer of 7 tokens
    settings = asked_of(n=4, max_tokens=14, max_cost=3.5)
    told = ask(settings, problems, tmp_path / "s.jsonl", price=price)
    assert 2 == told.asked.answered
    assert pytest.approx(2.0) == told.budget.spent.cost


def test_a_budget_needs_figures(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """A server that does not say what it used is asked for nothing more, now and later."""
    server.script = lambda _number, _body: (200, {}, {"choices": [{"text": "x", "finish_reason": "stop"}]})
    path = tmp_path / "s.jsonl"
    told = ask(asked_of(max_tokens_total=10**6, concurrency=1), problems, path)
    assert 1 == told.asked.answered
    assert told.asked.stopped is not None
    assert "does not say how many tokens" in told.asked.stopped
    with pytest.raises(UsageError, match="of 1 requests nobody knows what they used"):
        ask(asked_of(max_tokens_total=10**6), problems, path, resume=True)


def test_settings_are_sent_and_the_address_is_used_as_it_is(
    server: Any, problems: list[Problem], asked_of: Callable[..., AskSettings], tmp_path: Path
) -> None:
    """A request has the fields of the settings and no others, and the key is a header."""
    settings = asked_of(
        base_url=server.url.replace("/v1", "/own/api"),
        top_p=None,
        max_tokens=None,
        stop=("\n\n",),
        extra={"top_k": 5},
    )
    ask(settings, problems[:1], tmp_path / "s.jsonl", key="sk-secret")
    assert {"model": "m", "prompt": "Pa", "temperature": 0.8, "stop": ["\n\n"], "top_k": 5} == server.requests[0]
    assert ["/own/api/completions"] == server.paths
    assert "Bearer sk-secret" == server.headers[0]["authorization"]
    ask(asked_of(), problems[:1], tmp_path / "t.jsonl")
    assert "authorization" not in server.headers[1]
