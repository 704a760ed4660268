"""The whole job on the built-in set: three synthetic contestants, judged and reported, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codejury.judging import ROLES
from codejury.model import Limits, TierUnavailable
from codejury.pipeline.judge import JudgeSettings, judge_samples
from codejury.pipeline.summary import summarise
from codejury.report import JudgeDocument
from codejury.sandbox import Sandbox, Settings, choose_tier, describe
from codejury.sets import starter
from codejury.sets.starter import contestants

if TYPE_CHECKING:
    from codejury.pipeline.references import Progress
    from codejury.store import Store

KS = (1, 5, 10)


class DemoResult(msgspec.Struct, frozen=True):
    """What the demo gave.

    Attributes:
        documents: One for each contestant, in the order of the contestants.
        missing_layer: Why the programs ran without isolation; None where they were isolated.
    """

    documents: list[JudgeDocument]
    missing_layer: str | None


async def demo(store: Store, *, slots: int | None = None, progress: Progress | None = None) -> DemoResult:
    """Judge the synthetic contestants on the built-in set.

    Their samples are codejury's own: on a machine that gives no isolation tier they run without one, and the
    result says so.

    Args:
        store: Where the runs are kept.
        slots: Programs under way at once; the usable cores if None.
        progress: Told of each step.
    """
    problem_set = starter.load()
    tier, missing = await _tier()
    documents = []
    for name in contestants.contestants():
        settings = JudgeSettings(
            samples=name,
            problems=problem_set.name,
            run=name,
            slots=slots,
            tier=tier,
            ks=KS,
            meta={"model": name},
        )
        await judge_samples(store, settings, problem_set, contestants.samples(name), progress)
        documents.append(summarise(store, name, KS))
    return DemoResult(documents, missing)


async def _tier() -> tuple[str, str | None]:
    """The tier, and why it is "none" if it is."""
    try:
        tier = choose_tier().tier
        async with Sandbox(Settings(interpreter=describe(), limits=Limits(), tier=tier), ROLES):
            return tier, None
    except TierUnavailable as error:
        return "none", str(error)
