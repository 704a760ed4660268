"""What tokens cost, by a table of the user's, and how many may be used."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from codejury.model import InputError, UsageError

if TYPE_CHECKING:
    import os

BYTES_PER_TOKEN = 3
"""The rule by which tokens of a prompt are estimated before a server has counted them: code has three to four
bytes a token with the tokenizers of current models."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """USD for a million tokens of prompts, and of answers."""

    input: float
    output: float

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """USD for so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1e6


def read_price(path: str | os.PathLike[str], model: str) -> Price:
    """The price of a model.

    Args:
        path: TOML with a table for each model: `["gpt-x"]`, `input = 0.25`, `output = 2.0`, in USD for a million
            tokens.
        model: The model's name.

    Raises:
        InputError: The file cannot be read, or holds something else.
        UsageError: It has no price of the model.
    """
    name = str(path)
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        prices = msgspec.convert(table, dict[str, Price], strict=False)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    except msgspec.ValidationError as error:
        message, _, field = str(error).partition(" - at `$")
        example = '["the-model"] with input = 0.25 and output = 2.0, in USD for a million tokens'
        raise InputError(f"{message}: take {example}", path=name, field=field.strip("`.") or None) from None
    except ValueError as error:
        raise InputError(f"not TOML: {error}", path=name) from None
    if model not in prices:
        known = ", ".join(sorted(prices)) or "none"
        raise UsageError(f"--prices {name}: has no price of {model!r}; it has {known}")
    price = prices[model]
    for field, value in (("input", price.input), ("output", price.output)):
        if not 0 <= value < float("inf"):
            raise InputError(f"{value} is no price: take a number from 0", path=name, field=f"{model}.{field}")
    return price


class Usage(msgspec.Struct):
    """Tokens that were used, and what they cost in USD where that is known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, other: Usage, sign: int = 1) -> None:
        """Add another, or take it away."""
        self.prompt_tokens += sign * other.prompt_tokens
        self.completion_tokens += sign * other.completion_tokens
        self.cost += sign * other.cost


def worst(size: int, answers: int, longest: int, price: Price | None) -> Usage:
    """The most that a request may use.

    Args:
        size: Bytes of its prompt.
        answers: How many it asks for.
        longest: Tokens of one answer at most.
        price: Of the model.
    """
    prompt, completion = -(-size // BYTES_PER_TOKEN), answers * longest
    return Usage(prompt, completion, 0.0 if price is None else price.cost(prompt, completion))


class Budget:
    """What may be used, with what requests under way may still use set aside.

    Args:
        spent: What former sessions used.
        max_tokens: Tokens at most; None for any number.
        max_cost: USD at most; None for any amount.
    """

    def __init__(self, spent: Usage, max_tokens: int | None = None, max_cost: float | None = None) -> None:
        self.spent, self.max_tokens, self.max_cost = spent, max_tokens, max_cost
        self._set_aside, self._under_way = Usage(), 0
        self._changed = asyncio.Event()

    async def reserve(self, worst: Usage) -> bool:
        """Set aside what a request may use, after waiting for others if it must; False where it does not fit."""
        while not self._fits(worst):
            if not self._under_way:
                return False
            await self._changed.wait()
        self._set_aside.add(worst)
        self._under_way += 1
        return True

    def settle(self, worst: Usage, used: Usage | None) -> None:
        """A request ended; what it used is counted, the rest is free again."""
        self._set_aside.add(worst, -1)
        self._under_way -= 1
        if used is not None:
            self.spent.add(used)
        self._changed.set()
        self._changed = asyncio.Event()

    def said(self) -> str:
        """Why nothing more is asked for."""
        said = [] if self.max_tokens is None else [f"{self.spent.tokens} of {self.max_tokens} tokens"]
        if self.max_cost is not None:
            said.append(f"{self.spent.cost:.6g} of {self.max_cost:.6g} USD")
        return f"the budget is used up: {', '.join(said)}, and another request may use more than the rest"

    def _fits(self, worst: Usage) -> bool:
        tokens = self.spent.tokens + self._set_aside.tokens + worst.tokens
        cost = self.spent.cost + self._set_aside.cost + worst.cost
        return (self.max_tokens is None or tokens <= self.max_tokens) and (
            self.max_cost is None or cost <= self.max_cost
        )
