"""Prices and budgets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.generate import Budget, Price, Usage, read_price
from codejury.generate.prices import worst
from codejury.model import InputError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_price_is_usd_for_a_million_tokens(tmp_path: Path) -> None:
    """As the user's table has it; whole numbers are numbers."""
    path = tmp_path / "prices.toml"
    path.write_text('["org/m-1.5"]\ninput = 1\noutput = 2.5\n[n]\ninput = 0\noutput = 0\n', encoding="utf-8")
    price = read_price(path, "org/m-1.5")
    assert Price(1.0, 2.5) == price
    assert 1.0 * 3 + 2.5 * 2 == pytest.approx(price.cost(3_000_000, 2_000_000))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("m = 1", r"field 'm': Expected `object`|m.*take \[\"the-model\"\]"),
        ("[m]\ninput = 1", "missing required field `output`"),
        ("[m]\ninput = 1\noutput = 2\ncached = 3", "unknown field `cached`"),
        ("[m]\ninput = -1\noutput = 2", "field 'm.input': -1.0 is no price"),
        ("[m]\ninput = nan\noutput = 2", "nan is no price"),
        ("[m", "not TOML"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    """File, field, and what to write."""
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_price(path, "m")


def test_a_model_without_a_price_is_refused(tmp_path: Path) -> None:
    """The message names those that have one."""
    path = tmp_path / "prices.toml"
    path.write_text("[a]\ninput = 1\noutput = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has no price of 'm'; it has a"):
        read_price(path, "m")
    with pytest.raises(InputError, match="cannot be read"):
        read_price(tmp_path / "none.toml", "m")


def test_the_worst_case_is_every_answer_as_long_as_it_may_be() -> None:
    """Prompts are counted by bytes, rounded up."""
    assert Usage(4, 60, 0.0) == worst(10, 3, 20, None)
    assert pytest.approx((4 * 1.0 + 60 * 2.0) / 1e6) == worst(10, 3, 20, Price(1.0, 2.0)).cost


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50)), max_size=30), st.integers(1, 200))
def test_a_budget_is_never_passed(requests: list[tuple[int, int]], most: int) -> None:
    """Where requests use at most what was set aside for them, all together use at most the budget."""

    async def run() -> int:
        budget = Budget(Usage(), max_tokens=most)

        async def one(longest: int, used: int) -> None:
            reserved = Usage(0, longest)
            if await budget.reserve(reserved):
                await asyncio.sleep(0)
                budget.settle(reserved, Usage(0, min(used, longest)))

        await asyncio.gather(*(one(*request) for request in requests))
        return budget.spent.tokens

    assert asyncio.run(run()) <= most


async def test_who_waits_for_a_budget_gets_what_others_leave() -> None:
    """A request that does not fit beside others is asked when they have used less than they might."""
    budget = Budget(Usage(), max_tokens=10)
    first, second = Usage(0, 8), Usage(0, 8)
    assert await budget.reserve(first)
    waiting = asyncio.create_task(budget.reserve(second))
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.settle(first, Usage(0, 2))
    assert await waiting
    budget.settle(second, Usage(0, 8))
    assert not await budget.reserve(Usage(0, 1))
    assert (
        "the budget is used up: 10 of 10 tokens, and another request may use more than the rest" == budget.said()
    )
