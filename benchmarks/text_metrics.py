"""How fast the metrics of completions are, and that what they add to the libraries below them is little.

Two tables: edit metrics beside a plain loop over rapidfuzz; 10,000 pairs of 20-line functions through all metrics
of texts and trees but the tree edit distance, beside the PyPI package codebleu in an environment of its own; each
in one process. Exit code 1 where the edit metrics of functions take more than 1.2 times the loop.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING

import codebleu_peer
from rapidfuzz.distance import Indel, Levenshtein

from codejury.metrics.scoring import Pair, get, names
from codejury.metrics.text import PRESETS, indel_similarity, levenshtein_similarity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIMIT = 1.2
ROUNDS = 5

_OPERATORS = ("+", "-", "*", "//", "%")
_NAMES = ("total", "count", "item", "left", "right", "value", "index", "result", "limit", "step")


def function(chance: random.Random, number: int) -> str:
    """A function of 20 lines."""
    lines = [
        f"def work_{number}(items, limit):",
        '    """Sum what is below the limit."""',
        "    total, count = 0, 0",
    ]
    while len(lines) < 18:
        one, other, third = chance.sample(_NAMES, 3)
        operator = chance.choice(_OPERATORS)
        lines += chance.choice(
            (
                [f"    {one} = total {operator} {chance.randrange(99)}  # step {number}"],
                [f"    for {one} in items:", f"        total += {one} {operator} count"],
                [f"    if total > {chance.randrange(9)}:", f"        {other} = [total, count]"],
                [f"    {third} = max(total, count) {operator} len(items)"],
            )
        )
    return "\n".join([*lines[:18], "    count = count + 1", "    return total - count"])


def changed(chance: random.Random, text: str) -> str:
    """The function as a model may have written it: a line less, another twice, names exchanged."""
    lines = text.splitlines()
    del lines[chance.randrange(3, len(lines) - 1)]
    lines.insert(3, lines[3])
    old, new = chance.sample(_NAMES, 2)
    return "\n".join(lines).replace(old, new)


def pairs_of(count: int) -> list[tuple[str, str]]:
    """References with predictions, the same each time."""
    chance = random.Random(7)  # noqa: S311 - no secret
    texts = [function(chance, number) for number in range(count)]
    return [(text, changed(chance, text)) for text in texts]


def _loop(compare: Callable[[str, str], float], pairs: Sequence[tuple[str, str]]) -> float:
    begun = time.perf_counter()
    for reference, prediction in pairs:
        compare(prediction, reference)
    return time.perf_counter() - begun


def edits(pairs: Sequence[tuple[str, str]]) -> float:
    """Print the edit metrics beside plain loops, by the best of alternating rounds; returns the largest ratio."""
    lines = [(one.splitlines()[5], other.splitlines()[5]) for one, other in pairs]
    worst = 0.0
    print(f"{'edit metric':<20}{'texts':<12}{'rapidfuzz/s':>14}{'codejury/s':>14}{'ratio':>8}")
    for kind, texts in (("functions", pairs), ("lines", lines)):
        for name, plain, ours in (
            ("edit.levenshtein", Levenshtein.normalized_similarity, levenshtein_similarity),
            ("edit.indel", Indel.normalized_similarity, indel_similarity),
        ):
            taken = [(_loop(plain, texts), _loop(ours, texts)) for _ in range(ROUNDS)]
            below, above = (min(column) for column in zip(*taken, strict=True))
            if kind == "functions":
                worst = max(worst, above / below)
            speeds = f"{len(texts) / below:>14,.0f}{len(texts) / above:>14,.0f}"
            print(f"{name:<20}{kind:<12}{speeds}{above / below:>8.2f}")
    return worst


def throughput(pairs: Sequence[tuple[str, str]], peers: int) -> None:
    """Print the pairs a second of all metrics but TED, of CodeBLEU alone, and of the package."""
    skipped = ("ast.ted", "ast.ted.alpha", "codebleu.compat")
    every = [name for name in names() if name not in skipped and not name.startswith(tuple(PRESETS))]
    print(f"\n{'metrics':<44}{'pairs':>8}{'pairs/s':>12}")
    for title, chosen in ((f"all {len(every)} but ast.ted, one process", every), ("codebleu", ["codebleu"])):
        functions = [get(name).function for name in chosen]
        begun = time.perf_counter()
        for reference, prediction in pairs:
            pair = Pair(reference, prediction)
            for each in functions:
                each(pair)
        seconds = time.perf_counter() - begun
        print(f"{title:<44}{len(pairs):>8,}{len(pairs) / seconds:>12,.0f}")
    rows = [("python", reference, prediction) for reference, prediction in pairs[:peers]]
    try:
        _, seconds = codebleu_peer.scores(rows)
    except RuntimeError as error:
        print(f"PyPI codebleu 0.7.0: not measured: {error}")
    else:
        print(f"{'PyPI codebleu 0.7.0, one process':<44}{len(rows):>8,}{len(rows) / seconds:>12,.0f}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000, help="pairs of functions (default 10,000)")
    parser.add_argument("--peer-pairs", type=int, default=1_000, help="of these for the package (default 1,000)")
    asked = parser.parse_args()
    pairs = pairs_of(asked.pairs)
    worst = edits(pairs)
    throughput(pairs, asked.peer_pairs)
    print(f"\nedit metrics take {worst:.2f} times a plain loop's time; at most {LIMIT} is wanted")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
