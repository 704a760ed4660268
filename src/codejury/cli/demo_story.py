"""What the demo's figures say, in sentences: each is said only where the figures are so."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codejury.pipeline.demo import Share, Standing

WIDTH = 79


def story(standings: list[Standing]) -> str:
    """Who leads at one try, who after many, at what price; nothing about what is too close to tell.

    Args:
        standings: Of the contestants, with the same k's, the smallest first.

    Returns:
        Paragraphs of at most `WIDTH` columns; empty where the figures tell nothing.
    """
    first, *_, last = standings[0].document.pass_at_k
    early, late = _leader(standings, first), _leader(standings, last)
    said = [_at_first(standings, early, first)]
    if early is not None and late is not None:
        said.append(_later(standings, early, late, last))
    said += [_price(each) for each in standings if each is early or each is late]
    said.append(_behind(standings))
    if early is not None and late is not None:
        said.append(_advice(early, late, first, last))
    return "\n".join(textwrap.fill(sentence, WIDTH, break_on_hyphens=False) for sentence in said if sentence)


def _at_first(standings: list[Standing], early: Standing | None, k: str) -> str:
    if early is None:
        return ""
    return f"At {_tries(k)}, {_name(early)} leads: {_against(early, _following(standings, early, k), k)}."


def _later(standings: list[Standing], early: Standing, late: Standing, k: str) -> str:
    if late is early:
        return f"After {_tries(k)} it still leads: {_against(late, _following(standings, late, k), k)}."
    lead = f"After {_tries(k)}, {_name(late)} leads: {_against(late, early, k)}."
    problems, solved, others = late.document.problems, _solved(late), _solved(early)
    if solved <= others:
        return lead
    return (
        f"{lead} It is right less often, but sooner or later on {solved} of {problems} problems;"
        f" {_name(early)} writes nearly the same again, and is right on {others}."
    )


def _price(leader: Standing) -> str:
    unsafe, slower = _most(leader.unsafe), _most(leader.slower)
    what = []
    if unsafe:
        what.append(f"{_of(leader.unsafe)} right answers to problems that tempt to a dangerous call make one")
    if slower:
        what.append(f"{_of(leader.slower)} solutions are slow where the input is large")
    if not what:
        return ""
    clean = leader.unsafe.whole and not leader.unsafe.part
    praise = ", and none of its answers is unsafe" if clean else ""
    return f"The price of {_name(leader)}: {' and '.join(what)}{praise}."


def _behind(standings: list[Standing]) -> str:
    """Who is last at every k, beyond the intervals."""
    for each in standings:
        others = [other for other in standings if other is not each]
        if others and all(_beyond(other, each, k) for other in others for k in each.document.pass_at_k):
            return f"{_name(each).capitalize()} is behind at every k."
    return ""


def _advice(early: Standing, late: Standing, first: str, last: str) -> str:
    if early is late:
        return ""
    review = ", with a review of its calls" if _most(early.unsafe) else ""
    return (
        f"So no single figure decides: for {_tries(first)} take {_name(early)}{review}; where tests choose among"
        f" {last} answers, {_name(late)}."
    )


def _leader(standings: list[Standing], k: str) -> Standing | None:
    """Who is ahead of all others beyond the intervals; None where that is too close to tell."""
    best = max(standings, key=lambda standing: standing.document.pass_at_k[k].value)
    others = [other for other in standings if other is not best]
    return best if others and all(_beyond(best, other, k) for other in others) else None


def _beyond(ahead: Standing, behind: Standing, k: str) -> bool:
    """Whether one interval for a rerun lies above the other."""
    high, low = ahead.document.pass_at_k[k].fixed_suite, behind.document.pass_at_k[k].fixed_suite
    return high is not None and low is not None and high.low > low.high


def _following(standings: list[Standing], leader: Standing, k: str) -> Standing:
    """The next one behind the leader."""
    others = [standing for standing in standings if standing is not leader]
    return max(others, key=lambda standing: standing.document.pass_at_k[k].value)


def _against(leader: Standing, other: Standing, k: str) -> str:
    """The leader's figure, and another one's."""
    mine, theirs = (each.document.pass_at_k[k].value for each in (leader, other))
    return f"{mine:.2f} against {theirs:.2f} of {_name(other)}"


def _solved(standing: Standing) -> int:
    return sum(row.c > 0 for row in standing.document.per_problem)


def _most(share: Share) -> bool:
    return 2 * share.part > share.whole


def _of(share: Share) -> str:
    return f"all its {share.whole}" if share.part == share.whole else f"{share.part} of its {share.whole}"


def _name(standing: Standing) -> str:
    return standing.document.run


def _tries(k: str) -> str:
    return "one try" if k == "1" else f"{k} tries"
