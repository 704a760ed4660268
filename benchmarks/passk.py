"""pass@k of a million problems against a loop of the common form: `python benchmarks/passk.py [--problems N]`.

The common form is the one printed with the estimator (Chen et al. 2021, arXiv 2107.03374), once for each problem:

    1.0 if n - c < k else 1.0 - numpy.prod(1.0 - k / numpy.arange(n - c + 1, n + 1))

Abilities are Beta(0.5, 0.5), with a fixed seed; counts and k are the same for both. Two suites are timed: n = 200
for every problem, as in published runs, and n drawn from 10 to 1,000, with 300,000 distinct counts.
Each time is the best of `--repeats`, the two ways in turn, so that a busy machine disturbs both alike. Then both
are held against exact rationals at n up to 1,000,000. The run fails if the first suite is less than 20 times
faster, or if the relative error exceeds 1e-14.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from codejury.stats import pass_at_k

if TYPE_CHECKING:
    from collections.abc import Callable

K = 10
LEAST_RATIO = 20
MOST_ERROR = 1e-14
CASES = 500

Counts = np.ndarray[tuple[int], np.dtype[np.int64]]


def main() -> int:
    """Print the table; 1 if a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    abilities = rng.beta(0.5, 0.5, options.problems)
    print(f"{'suite':<22}{'loop, s':>10}{'codejury, s':>14}{'ratio':>8}{'largest difference':>22}")
    ratios = []
    for name, n in (
        ("n = 200", np.full(options.problems, 200)),
        ("n = 10 to 1000", rng.integers(10, 1001, options.problems)),
    ):
        ratios.append(_race(name, n, rng.binomial(n, abilities), options.repeats))
    ours, common = _errors()
    print(f"relative error over {CASES} cases, n up to 1,000,000: codejury {ours:.1e}, common form {common:.1e}")
    return int(ratios[0] < LEAST_RATIO or ours > MOST_ERROR)


def common_form(n: int, c: int, k: int) -> float:
    """pass@k of one problem as it is usually written."""
    return 1.0 if n - c < k else float(1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))


def _loop(n: Counts, c: Counts) -> list[float]:
    return [common_form(a, b, K) for a, b in zip(n.tolist(), c.tolist(), strict=True)]


def _race(name: str, n: Counts, c: Counts, repeats: int) -> float:
    slow = fast = math.inf
    for _ in range(repeats):
        spent, theirs = _timed(lambda: _loop(n, c))
        slow = min(slow, spent)
        spent, ours = _timed(lambda: pass_at_k(n, c, K))
        fast = min(fast, spent)
    difference = np.abs(np.array(theirs) - ours).max()
    print(f"{name:<22}{slow:>10.2f}{fast:>14.3f}{slow / fast:>8.1f}{difference:>22.1e}")
    return slow / fast


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


def _errors() -> tuple[float, float]:
    """The largest relative errors of both over cases of all sizes, c > 0."""
    rng = random.Random(20)  # noqa: S311 - seeded cases, no secrets
    ours = common = 0.0
    for _ in range(CASES):
        n = int(10 ** rng.uniform(0, 6))
        c, k = (max(1, min(1000, int(10 ** rng.uniform(0, math.log10(n))))) for _ in range(2))
        m, large = min(c, k), max(c, k)
        missed = Fraction(math.perm(n - large, m), math.perm(n, m)) if c + k <= n else Fraction(0)
        exact = 1 - missed
        ours = max(ours, float(abs(Fraction(pass_at_k(n, c, k)) - exact) / exact))
        common = max(common, float(abs(Fraction(common_form(n, c, k)) - exact) / exact))
    return ours, common


if __name__ == "__main__":
    sys.exit(main())
