"""Are several runs over the same problems samples of the same thing?

Run r has n[r, p] samples of problem p, c[r, p] of them correct. Under the hypothesis that the runs do not differ,
and with a problem's margins fixed (n[r, p], and the sum m of its c[r, p]), its correct samples fall on
the runs by the multivariate hypergeometric distribution: with N = sum of n[r, p] they have

    mean        n[r] m / N
    covariance  m (N - m) / (N - 1) / N**2 * (N n[r] [r = s] - n[r] n[s])

Problems are independent of each other. A problem of which all samples are correct, or none, tells nothing.

Two questions are asked, since each test is blind for what the other sees:

- `cmh_test`: is one run better than another, over all problems together? The generalised Cochran-Mantel-Haenszel
  statistic (Landis, Heyman & Koch 1978, International Statistical Review 46, nominal scores; for two runs
  that of Mantel & Haenszel 1959 without continuity correction). Differences with opposite signs cancel in it.
- `scatter_test`: do runs differ on single problems, in whatever direction? The sum of each problem's chi-square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from codejury.stats.counts import Floats, Ints

DRAWS = 9_999
"""Random tables of `scatter_test`: its p has a standard error of 0.001 at p = 0.01."""

_TIE = 1e-9  # two sums of the same numbers may differ by rounding
_RANK = 1e-10  # eigenvalues below this share of the largest are rounding


@dataclass(frozen=True)
class HomogeneityTest:
    """The result of a test of the hypothesis that runs do not differ.

    Attributes:
        statistic: 0 where runs agree as far as they can; large where they differ.
        df: Its expected value under the hypothesis; for `cmh_test` the degrees of freedom of its chi-square
            distribution. 0 where nothing can be tested: every problem has all of its samples correct or none.
        p: Probability, under the hypothesis, of a statistic at least as large.
        problems: Problems that tell something.
    """

    statistic: float
    df: int
    p: float
    problems: int


def cmh_test(n: ArrayLike, c: ArrayLike) -> HomogeneityTest:
    """Does the share of correct samples differ between runs, over all problems?

    The statistic is d' V^- d, where d[r] is the sum over problems of c[r, p] less its mean, V the sum of their
    covariances, and V^- its inverse on the contrasts between runs (the d[r] sum to 0; leaving one run out would
    give the same). It is compared with the chi-square distribution with R - 1 degrees of freedom, fewer where runs
    have no samples or no problems in common.

    Args:
        n: Samples, shape (R, P): R runs, P problems; may be 0.
        c: Correct samples, of the same shape.

    Raises:
        StatisticsError: Fewer than two runs, no problems, wrong shapes, negative or non-integer input, c > n.
    """
    samples, correct = _tables(n, c)
    if not samples.shape[1]:
        return HomogeneityTest(0.0, 0, 1.0, 0)
    total, passed = samples.sum(axis=0), correct.sum(axis=0)
    scale = passed * (total - passed) / (total - 1.0) / (1.0 * total * total)
    off = np.einsum("p,rp,sp->rs", scale, samples, samples)
    covariance = np.diag((samples * (scale * total)).sum(axis=1)) - off
    excess = (correct - samples * (passed / total)).sum(axis=1)
    sizes, contrasts = np.linalg.eigh(covariance)
    known = sizes > _RANK * sizes[-1]
    statistic = float((((excess @ contrasts[:, known]) ** 2) / sizes[known]).sum())
    df = int(known.sum())
    from scipy import special

    return HomogeneityTest(statistic, df, float(special.chdtrc(df, statistic)), samples.shape[1])


def scatter_test(n: ArrayLike, c: ArrayLike, *, draws: int = DRAWS, seed: int = 0) -> HomogeneityTest:
    """Do runs differ on single problems more than chance makes them?

    The statistic is the sum over problems of d' V^- d of each problem alone, which is (N - 1) / N times Pearson's
    chi-square of its table of runs by correct or not; its mean is the number of runs with samples, less one. With
    few samples a problem its distribution is far from chi-square, so that p is taken from random tables with the
    same margins: (1 + those with a statistic at least as large) / (1 + draws), a valid p for any number of draws
    (Davison & Hinkley 1997, Bootstrap Methods and their Application, ch. 4). The same seed gives the same p.

    Args:
        n: Samples, shape (R, P): R runs, P problems; may be 0.
        c: Correct samples, of the same shape.
        draws: Number of random tables.
        seed: Of their generator.

    Raises:
        StatisticsError: As `cmh_test`; fewer than one draw.
    """
    if draws < 1:
        raise StatisticsError(f"draws = {draws}: draw at least one table")
    samples, correct = _tables(n, c)
    generator = np.random.default_rng(seed)
    observed, df = 0.0, 0
    drawn = np.zeros(draws)
    for n_p, c_p in zip(samples.T, correct.T, strict=True):
        sampled = n_p > 0
        row, passed = n_p[sampled], int(c_p.sum())
        observed += float(_chi_square(row, c_p[sampled][None, :], passed)[0])
        tables = generator.multivariate_hypergeometric(row, passed, size=draws, method="marginals")
        drawn += _chi_square(row, tables, passed)
        df += len(row) - 1
    as_large = int((drawn >= observed * (1 - _TIE) - _TIE).sum())
    p = (1 + as_large) / (1 + draws) if df else 1.0
    return HomogeneityTest(observed, df, p, samples.shape[1])


def _chi_square(row: Ints, tables: Ints, passed: int) -> Floats:
    """The chi-square of each table, shape (tables,), of one problem with `row` samples by run."""
    total = int(row.sum())
    mean = row * (passed / total)
    scale = (total - 1) / (passed * (1.0 - passed / total))
    chi_square: Floats = scale * ((tables - mean) ** 2 / row).sum(axis=1)
    return chi_square


def _tables(n: ArrayLike, c: ArrayLike) -> tuple[Ints, Ints]:
    """The counts of the problems that tell something."""
    samples, correct = np.asarray(n), np.asarray(c)
    if samples.ndim != 2 or samples.shape != correct.shape:
        raise StatisticsError(
            f"the counts have shapes {samples.shape} and {correct.shape}: give one row a run, one column a problem"
        )
    if len(samples) < 2 or not samples.size:
        raise StatisticsError(f"{len(samples)} runs over {samples.shape[1]} problems: give two runs, one problem")
    if not {samples.dtype.kind, correct.dtype.kind} <= set("iu"):
        raise StatisticsError(f"the counts are {samples.dtype} and {correct.dtype}: convert them with int()")
    if (correct < 0).any() or (correct > samples).any():
        raise StatisticsError("correct samples must be 0 to the number of samples")
    samples, correct = samples.astype(np.int64), correct.astype(np.int64)
    total, passed = samples.sum(axis=0), correct.sum(axis=0)
    telling = (passed > 0) & (passed < total) & ((samples > 0).sum(axis=0) > 1)
    return samples[:, telling], correct[:, telling]
