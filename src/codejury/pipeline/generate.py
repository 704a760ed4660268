"""Asking a model for samples of a problem set, into a file that says how they were made and can be resumed."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import aclosing
from typing import TYPE_CHECKING

import msgspec

import codejury
from codejury import formats, sets
from codejury.generate import (
    META,
    Asking,
    AskSettings,
    Journal,
    OpenAIClient,
    Prompter,
    check_settings,
    host,
    longest,
    most,
    plan,
    read_held,
    read_key,
    read_price,
    settings_hash,
)
from codejury.model import CodejuryError, InfrastructureError, UsageError
from codejury.pipeline.references import Progress
from codejury.pipeline.selection import Choice, choose

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from codejury.generate import Asked, Budget
    from codejury.model import Sample

KEY = "OPENAI_API_KEY"
"""The variable of the environment that holds the key, where no other is named."""


class GenerateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `generate` is asked for.

    Attributes:
        problems: Name of a problem set, or a file.
        out: The file of samples, `.jsonl`.
        ask: Model, server, sampling, budget.
        choice: Which problems to ask.
        prices: TOML file with USD for a million tokens by model; costs are unknown if None.
        key_env: The variable of the environment that holds the server's key.
        resume: Go on with `out` where it is there.
    """

    problems: str
    out: str
    ask: AskSettings
    choice: Choice = Choice()
    prices: str | None = None
    key_env: str = KEY
    resume: bool = False


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What asking would take, before anything is asked.

    Attributes:
        problems: That are chosen.
        samples: Of them in all.
        held: Samples that are there already.
        requests: To send, where none fails and the server gives as many answers as are asked for.
        prompt_tokens: Of these; one token is taken for every `generate.BYTES_PER_TOKEN` bytes.
        completion_tokens: At most, each answer as long as it may be; None where nothing limits it.
        cost: At most, in USD; None without a price or a limit.
    """

    problems: int
    samples: int
    held: int
    requests: int
    prompt_tokens: int
    completion_tokens: int | None
    cost: float | None


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """What asking gave.

    Attributes:
        samples: That were to be there in the end.
        held: That were there before.
        answered: That came in this session.
        failed: Samples that the server did not give, by the reason.
        stopped: Why asking ended early.
        over_budget: Whether that is because nothing more fits into the budget.
        finish_reasons: Of the answers of this session; "unknown" where the server does not say.
        empty: Answers of this session without any text, by finish reason.
        requests: That were sent, failed attempts included.
        prompt_tokens, completion_tokens: That the server counted, in all sessions.
        cost: Of these in USD; None without a price.
        short: Whether the server gave fewer answers to a request than were asked for.
    """

    samples: int
    held: int
    answered: int
    failed: dict[str, int] = {}
    stopped: str | None = None
    over_budget: bool = False
    finish_reasons: dict[str, int] = {}
    empty: dict[str, int] = {}
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    short: bool = False

    @property
    def missing(self) -> int:
        """Samples that are not there."""
        return self.samples - self.held - self.answered

    def require_all(self, out: str, otherwise: str = "") -> None:
        """Refuse to go on where samples are missing.

        Args:
            out: Their file.
            otherwise: What else can be done about it.

        Raises:
            CodejuryError: The budget ended the asking.
            InfrastructureError: The server did not give them.
        """
        if not self.missing:
            return
        failed = [f"{number} failed ({reason})" for reason, number in self.failed.items()]
        why = "; ".join([self.stopped, *failed] if self.stopped else failed)
        higher = " and a higher budget" if self.over_budget else ""
        error = CodejuryError if self.over_budget else InfrastructureError
        raise error(
            f"{self.missing} of {self.samples} samples are missing in {out}: {why}; go on with --resume{higher}"
            f"{otherwise}"
        )


class Generation:
    """The asking for one file.

    Args:
        settings: What is asked for.
        environment: Where the key is; the process's own if None.

    Attributes:
        problem_set: All of it.
        chosen: The problems that are asked.
        meta: How the samples are made, as the file beside them says it.
        result: What `answers` gave, when it has ended.

    Raises:
        UsageError: A setting, the set, the prices or the key is wrong.
    """

    def __init__(self, settings: GenerateSettings, environment: Mapping[str, str] | None = None) -> None:
        self.settings, self.ask = settings, settings.ask
        check_settings(self.ask)
        self.problem_set = sets.load(settings.problems)
        self.chosen, _ = choose(self.problem_set, settings.choice)
        self.prompter = Prompter(self.ask)
        self.price = None if settings.prices is None else read_price(settings.prices, self.ask.model)
        if self.ask.max_cost is not None and self.price is None:
            raise UsageError("--max-cost needs to know what tokens cost: give --prices FILE")
        self._environment = os.environ if environment is None else environment
        self.meta = self._meta()
        self.result = Generated(samples=self.samples, held=0, answered=0)

    @property
    def samples(self) -> int:
        """How many there are to be in the end."""
        return len(self.chosen.problems) * self.ask.n

    def estimate(self) -> Estimate:
        """What asking would take. Nothing is asked, and no file is written."""
        held = read_held(self.settings.out) if self.settings.resume else set()
        requests = plan(self.chosen.problems, self.prompter, self.ask, held)
        usage, limited = most(requests, self.ask, self.price), longest(self.ask) is not None
        return Estimate(
            problems=len(self.chosen.problems),
            samples=self.samples,
            held=self.samples - sum(len(request.indices) for request in requests),
            requests=len(requests),
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens if limited else None,
            cost=usage.cost if limited and self.price is not None else None,
        )

    async def answers(
        self, progress: Progress | None = None, *, held: bool = False
    ) -> AsyncGenerator[Sample, None]:
        """The samples that are not there yet, as they come, each after it was written; `result` says the rest.

        Args:
            progress: Told of each.
            held: Give the samples that are there before those that come.

        Raises:
            UsageError: The file cannot be made, or was begun in another way; the server takes no request.
            InfrastructureError: The server cannot be reached, or the file cannot be written.
        """
        progress = progress or Progress()
        key = read_key(self._environment, self.settings.key_env, self.ask.base_url)
        with Journal(self.settings.out, self.meta, resume=self.settings.resume) as journal:
            requests = plan(self.chosen.problems, self.prompter, self.ask, journal.held)
            left = sum(len(request.indices) for request in requests)
            async with OpenAIClient(self.ask, self.prompter.stop, key) as client:
                asking = Asking(requests, client, journal, self.ask, price=self.price)
                self.result = self._result(self.samples - left, asking.asked, asking.budget)
                progress.stage("asking", left)
                try:
                    for sample in (
                        formats.read_samples(journal.path, allow_empty=True) if held and journal.held else ()
                    ):
                        yield sample
                    async with aclosing(asking.answers()) as answers:
                        async for sample in answers:
                            progress.step(None)
                            yield sample
                finally:
                    self.result = self._result(self.samples - left, asking.asked, asking.budget)

    def _result(self, held: int, asked: Asked, budget: Budget) -> Generated:
        return Generated(
            samples=self.samples,
            held=held,
            answered=asked.answered,
            failed=dict(Counter(asked.failed.values())),
            stopped=asked.stopped,
            over_budget=asked.over_budget,
            finish_reasons={reason or "unknown": number for reason, number in asked.finish_reasons.most_common()},
            empty={reason or "unknown": number for reason, number in asked.empty.most_common()},
            requests=asked.requests,
            prompt_tokens=budget.spent.prompt_tokens,
            completion_tokens=budget.spent.completion_tokens,
            cost=None if self.price is None else budget.spent.cost,
            short=asked.short,
        )

    def _meta(self) -> dict[str, str | int | float]:
        """How the samples are made. Of the address nothing but the host: the rest may be secret."""
        ask, limit = self.ask, longest(self.ask)
        digest = settings_hash(ask, self.prompter.hash, self.problem_set.hash)
        known: dict[str, str | int | float | None] = {
            "model": ask.model,
            "temperature": ask.temperature,
            "top_p": ask.top_p,
            "max_tokens": limit,
            "seed": ask.seed,
            "stop": json.dumps(self.prompter.stop) if self.prompter.stop else None,
            "mode": ask.mode,
            "template": self.prompter.template,
            "prompt_hash": self.prompter.hash,
            "extra": json.dumps(ask.extra, sort_keys=True) if ask.extra else None,
            "problem_set": f"{self.problem_set.name} {self.problem_set.version}",
            "server": host(ask.base_url),
            "generator": f"codejury {codejury.__version__}",
            "settings_hash": digest,
        }
        return {name: value for name, value in known.items() if value is not None}


async def generate(
    settings: GenerateSettings, progress: Progress | None = None, environment: Mapping[str, str] | None = None
) -> Generated:
    """Ask a model for what the file does not hold yet. What was answered is kept whatever happens.

    Raises:
        UsageError: A setting is wrong, the file was begun in another way, or the server takes no request.
        InfrastructureError: The server cannot be reached, or the file cannot be written.
    """
    generation = Generation(settings, environment)
    async with aclosing(generation.answers(progress)) as answers:
        async for _ in answers:
            pass
    return generation.result


def meta_path(out: str) -> str:
    """The file that says how the samples of a file were made."""
    return out + META
