"""Asking a model: every sample that is not there yet, each until it is answered or given up, within a budget."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from codejury.generate.journal import Call
from codejury.generate.limiter import Limiter
from codejury.generate.prices import Budget, Usage, worst
from codejury.generate.prompts import Prompt
from codejury.generate.reply import Failure
from codejury.generate.settings import longest
from codejury.model import CodejuryError, InfrastructureError, Problem, Sample, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence

    from codejury.generate.client import Client
    from codejury.generate.journal import Journal
    from codejury.generate.prices import Price
    from codejury.generate.prompts import Prompter
    from codejury.generate.reply import Reply
    from codejury.generate.settings import AskSettings

MAX_BACKOFF_S = 60.0
"""The longest pause between two attempts that the server did not ask for."""

FIRST_ATTEMPTS = 4
"""Attempts to reach a server that has not answered anything yet."""

REFUSALS = 5
"""Problems that a server may refuse before it has answered any, until nothing more is asked of it."""


class Request(msgspec.Struct, frozen=True):
    """Samples of one problem that are asked for together."""

    problem: Problem
    prompt: Prompt
    indices: tuple[int, ...]


class Asked(msgspec.Struct):
    """What became of the asking, so far.

    Attributes:
        answered: Samples that were answered in this session.
        finish_reasons: Of these; None where the server does not say.
        empty: Of these, by finish reason, those without any text.
        requests: That were sent, failed attempts included.
        failed: Why a sample could not be had, by problem and index.
        stopped: Why asking ended before all were asked for.
        over_budget: Whether that is because nothing more fits into the budget.
        short: Whether the server gave fewer answers to a request than were asked for.
    """

    answered: int = 0
    finish_reasons: Counter[str | None] = msgspec.field(default_factory=Counter)
    empty: Counter[str | None] = msgspec.field(default_factory=Counter)
    requests: int = 0
    failed: dict[tuple[str, int], str] = {}
    stopped: str | None = None
    over_budget: bool = False
    short: bool = False


def plan(
    problems: Sequence[Problem], prompter: Prompter, settings: AskSettings, held: set[tuple[str, int]]
) -> list[Request]:
    """The requests for all samples that are not held yet, problem by problem.

    Raises:
        UsageError: A problem cannot be put in this mode.
    """
    requests = []
    for problem in problems:
        left = [index for index in range(settings.n) if (problem.id, index) not in held]
        prompt = prompter.prompt(problem)
        step = settings.n_per_request
        requests += [Request(problem, prompt, tuple(left[at : at + step])) for at in range(0, len(left), step)]
    return requests


def most(requests: Sequence[Request], settings: AskSettings, price: Price | None) -> Usage:
    """The most that requests may use; of answers 0 tokens where nothing limits their length."""
    total = Usage()
    for request in requests:
        total.add(worst(request.prompt.size, len(request.indices), longest(settings) or 0, price))
    return total


class Asking:
    """Asks for what a plan names.

    Args:
        requests: The plan.
        client: Whom to ask.
        journal: Where answers are kept before anybody sees them.
        settings: How.
        price: Of the model, where it is known.
        limiter: How many requests are under way.

    Attributes:
        asked: What became of it, so far.
        budget: What was used, former sessions included.
    """

    def __init__(
        self,
        requests: Sequence[Request],
        client: Client,
        journal: Journal,
        settings: AskSettings,
        *,
        price: Price | None = None,
        limiter: Limiter | None = None,
    ) -> None:
        self.requests, self.client, self.journal, self.settings = requests, client, journal, settings
        self.price, self.limiter = price, limiter or Limiter(settings.concurrency, sleep=self._sleep)
        self.asked, self._stopped = Asked(), asyncio.Event()
        self._limited = settings.max_cost is not None or settings.max_tokens_total is not None
        if self._limited and journal.uncounted:
            raise UsageError(
                f"{journal.path}: of {journal.uncounted} requests nobody knows what they used, so that a budget"
                " cannot be kept: leave it out"
            )
        self.budget = Budget(journal.used, settings.max_tokens_total, settings.max_cost)
        self._refused = self._given_up = 0

    async def answers(self) -> AsyncGenerator[Sample, None]:
        """The samples as they are answered, in no order; each is kept before it is given.

        Whoever ends the iteration early closes it: requests under way are then given up.

        Raises:
            UsageError: The server takes none of the requests: wrong key, address, model or setting.
            InfrastructureError: Answers cannot be kept.
        """
        queue: asyncio.Queue[Sample | None] = asyncio.Queue()
        work = asyncio.create_task(self._all(queue))
        work.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (sample := await queue.get()) is not None:
                yield sample
            await work
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def _all(self, queue: asyncio.Queue[Sample | None]) -> None:
        requests = iter(self.requests)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.settings.concurrency, len(self.requests))):
                    group.create_task(self._some(requests, queue))
        except ExceptionGroup as errors:
            told = [error for error in errors.exceptions if isinstance(error, CodejuryError)]
            raise (told or errors.exceptions)[0] from None

    async def _some(self, requests: Iterator[Request], queue: asyncio.Queue[Sample | None]) -> None:
        """One of those who take turns: request after request, until there are no more or asking is stopped."""
        for request in requests:
            left = list(request.indices)
            while left and self.asked.stopped is None:
                samples = await self._settle(request, left)
                if not samples:
                    break
                for sample in samples:
                    left.remove(sample.index)
                    queue.put_nowait(sample)
            if self.asked.stopped is not None:
                return

    async def _settle(self, request: Request, left: list[int]) -> list[Sample]:
        """One request for what is left, as often as it takes; gives the answers, none if it is given up."""
        worst_case = worst(request.prompt.size, len(left), longest(self.settings) or 0, self.price)
        if not await self.budget.reserve(worst_case):
            self.asked.over_budget = self.asked.stopped is None
            self._stop(self.budget.said())
            return []
        used: Usage | None = None
        try:
            attempt = 0
            while True:
                attempt += 1
                reply, latency, failure = await self._try(request, left)
                if reply is not None:
                    samples, used = self._keep(request, left, reply, attempt, latency)
                    return samples
                if failure is None:  # asking was stopped meanwhile
                    return []
                if failure.kind == "refused" or attempt >= self._attempts(failure):
                    self._give_up(request, left, attempt, failure)
                    return []
                await self._pause(attempt, failure)
        finally:
            self.budget.settle(worst_case, used)

    async def _try(self, request: Request, left: list[int]) -> tuple[Reply | None, float, Failure | None]:
        """One attempt, which waits for a busy server: a reply, its seconds, or a failure."""
        clock = asyncio.get_running_loop().time
        waits = 0
        while True:
            async with self.limiter.turn() as began:
                if self.asked.stopped is not None:
                    return None, 0.0, None
                self.asked.requests += 1
                sent = clock()
                seed = None if self.settings.seed is None else self.settings.seed + left[0]
                try:
                    reply = await self.client.ask(request.prompt, len(left), seed)
                except Failure as failure:
                    found = failure
                else:
                    self.limiter.answered()
                    return reply, clock() - sent, None
                if found.kind == "busy":
                    self.limiter.busy(began, found.retry_after)
            if found.kind == "fatal":
                if not self.asked.answered:
                    raise UsageError(f"{self.settings.model}: the server refuses: {found.reason}")
                self._stop(f"the server refuses: {found.reason}")  # what is under way may still be answered
                return None, 0.0, None
            if found.kind != "busy":
                return None, 0.0, found
            waits += 1
            wait = found.retry_after if found.retry_after is not None else self._backoff(waits)
            if self.limiter.silent_s() + wait > self.settings.patience_s:
                self._stop(f"the server is too busy: {found.reason}")
                return None, 0.0, None
            await self._sleep(wait)

    def _keep(
        self, request: Request, left: list[int], reply: Reply, attempt: int, latency: float
    ) -> tuple[list[Sample], Usage]:
        """Keep the answers of a reply: the first goes to the first of the indices that are left."""
        counted = reply.prompt_tokens is not None and reply.completion_tokens is not None
        used = Usage(reply.prompt_tokens or 0, reply.completion_tokens or 0)
        cost = None
        if counted and self.price is not None:
            cost = used.cost = self.price.cost(used.prompt_tokens, used.completion_tokens)
        alone = reply.choices == 1  # else the figures are of several answers together, and nobody knows the shares
        samples = [
            Sample(
                problem_id=request.problem.id,
                index=index,
                text=answer.text,
                kind=request.prompt.kind,
                finish_reason=answer.finish_reason,
                prompt_tokens=reply.prompt_tokens if alone else None,
                completion_tokens=reply.completion_tokens if alone else None,
                cost_usd=cost if alone else None,
                latency_s=round(latency, 3),
            )
            for index, answer in zip(left, reply.answers, strict=False)
        ]
        call = Call(
            problem_id=request.problem.id,
            indices=tuple(sample.index for sample in samples),
            attempts=attempt,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost_usd=cost,
            latency_s=round(latency, 3),
        )
        self.journal.add(call, samples)
        self._given_up = 0
        self.asked.answered += len(samples)
        self.asked.short |= len(samples) < len(left)
        self.asked.finish_reasons.update(sample.finish_reason for sample in samples)
        self.asked.empty.update(sample.finish_reason for sample in samples if not sample.text)
        if self._limited and not counted:
            self._stop("the server does not say how many tokens it used, so that a budget cannot be kept")
        return samples, used

    def _give_up(self, request: Request, left: list[int], attempts: int, failure: Failure) -> None:
        """These samples are missing: a failed call is no answer."""
        self.journal.add(
            Call(problem_id=request.problem.id, indices=tuple(left), attempts=attempts, failed=failure.reason)
        )
        self.asked.failed.update(((request.problem.id, index), failure.reason) for index in left)
        answered = self.asked.answered
        self._refused += failure.kind == "refused"
        self._given_up += failure.kind != "refused"
        if not answered and self._refused >= REFUSALS:
            raise UsageError(f"{self.settings.model}: the server refuses every request: {failure.reason}")
        if not answered and failure.kind == "unreachable":
            raise InfrastructureError(f"the server cannot be reached: {failure.reason}: is it running?")
        if self._given_up >= max(self.settings.concurrency, REFUSALS):
            self._stop(f"the server does not answer any more: {failure.reason}")

    def _attempts(self, failure: Failure) -> int:
        """How often a request is sent; not so often where nobody has ever answered at the address."""
        unreachable = failure.kind == "unreachable" and not self.asked.answered
        return min(self.settings.attempts, FIRST_ATTEMPTS) if unreachable else self.settings.attempts

    async def _pause(self, attempt: int, failure: Failure) -> None:
        wait = self._backoff(attempt) if failure.retry_after is None else failure.retry_after
        await self._sleep(min(wait, self.settings.patience_s))

    async def _sleep(self, seconds: float) -> None:
        """Wait, but no longer than until asking is stopped."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)

    def _backoff(self, attempt: int) -> float:
        """Seconds before the next attempt: doubled each time, less up to a half, so that not all come at once."""
        most_s = min(MAX_BACKOFF_S, self.settings.backoff_s * 2.0 ** (attempt - 1))
        return most_s * random.uniform(0.5, 1.0)  # noqa: S311 - no secret

    def _stop(self, reason: str) -> None:
        """Ask for nothing more; what is under way may end."""
        self.asked.stopped = self.asked.stopped or reason
        self.limiter.open()
        self._stopped.set()
