"""How often the intervals hold the truth: `python benchmarks/coverage.py [--trials N] [--seed N]`.

Each trial draws a suite's abilities from a beta distribution and n samples of each of its M problems, and makes
the intervals of pass@k at 95 %. The share of trials in which an interval holds its truth is its coverage:

    fixed       the fixed-suite interval; truth: the mean of 1 - (1 - p)^k over the abilities that were drawn
    t           the population's interval; truth: its mean, 1 - prod over i < k of (b + i) / (a + b + i)
    percentile  the bootstrap over problems, the same truth
    bca         the same with the tails moved

"M min" is M times the smaller of the true pass@k and its complement; where a run's own is below 10, the report
warns, and "warned" is the share of trials in which it did. A coverage has a standard error of about
sqrt(0.95 * 0.05 / trials), 0.2 points at 10,000 trials. The bootstrap is run on the first fifth of the trials,
with 999 resamples each.

A second table is of what codejury does not do: samples resampled with replacement within each problem, and the
percentiles of the means of pass@k. Both tables are in docs/statistics.md.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats import bayes_pass_at_k, bootstrap_interval, estimate_pass_at_k, pass_at_k
from codejury.stats.bayes import Prior

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codejury.stats import Interval

TRIALS = 10_000
SEED = 1
BOOTSTRAP_SHARE = 5
RESAMPLES = 999
LEVEL = 0.95


@dataclass(frozen=True)
class Setting:
    """A kind of suite: abilities Beta(a, b), M problems, n samples of each, pass@k."""

    a: float
    b: float
    problems: int
    n: int
    k: int

    @property
    def truth(self) -> float:
        """The population's pass@k: the mean of 1 - (1 - p)^k for p of Beta(a, b)."""
        return float(bayes_pass_at_k(0, 0, self.k, prior=Prior(self.a, self.b)))


@dataclass(frozen=True)
class Coverage:
    """The shares of trials in which each interval held its truth, and in which low coverage was warned of."""

    fixed: float
    t: float
    percentile: float
    bca: float
    warned: float


SETTINGS = (
    Setting(0.5, 0.5, 40, 2, 1),
    Setting(0.5, 0.5, 40, 10, 1),
    Setting(0.5, 0.5, 164, 2, 1),
    Setting(0.5, 0.5, 164, 10, 1),
    Setting(0.5, 0.5, 164, 20, 10),
    Setting(0.5, 0.5, 164, 10, 10),
    Setting(2.0, 2.0, 40, 5, 1),
    Setting(0.1, 1.9, 40, 1, 1),
    Setting(0.1, 1.9, 40, 2, 1),
    Setting(0.1, 1.9, 40, 10, 1),
    Setting(0.1, 1.9, 40, 10, 5),
    Setting(1.9, 0.1, 40, 10, 1),
    Setting(0.1, 1.9, 164, 10, 1),
    Setting(0.1, 1.9, 400, 10, 1),
)

RESAMPLED = (
    Setting(0.5, 0.5, 40, 8, 1),
    Setting(0.5, 0.5, 40, 8, 2),
    Setting(0.5, 0.5, 40, 8, 4),
    Setting(0.5, 0.5, 164, 20, 10),
)


def main() -> int:
    """Print the tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    for lines in (table, table_of_resampled_samples):
        for line in lines(options.trials, options.seed):
            print(line, flush=True)
        print()
    return 0


def table(trials: int, seed: int) -> Iterator[str]:
    """The lines of the first table."""
    yield "| abilities | M | n | k | pass@k | M min | fixed | t | percentile | bca | warned |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for setting in SETTINGS:
        found, truth = coverage(setting, trials, seed), setting.truth
        cells = [
            f"Beta({setting.a:g}, {setting.b:g})",
            *map(str, (setting.problems, setting.n, setting.k)),
            f"{truth:.3f}",
            f"{setting.problems * min(truth, 1 - truth):.1f}",
            "-" if setting.n == 1 else f"{found.fixed:.3f}",
            *(f"{share:.3f}" for share in (found.t, found.percentile, found.bca)),
            f"{found.warned:.2f}",
        ]
        yield f"| {' | '.join(cells)} |"


def table_of_resampled_samples(trials: int, seed: int) -> Iterator[str]:
    """The lines of the second table."""
    yield "| abilities | M | n | k | fixed | samples resampled | their mean less pass@k, points |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for setting in RESAMPLED:
        fixed, resampled, bias = coverage_of_resampled_samples(setting, trials // BOOTSTRAP_SHARE, seed)
        start = f"| Beta({setting.a:g}, {setting.b:g}) | {setting.problems} | {setting.n} | {setting.k} "
        yield f"{start}| {fixed:.3f} | {resampled:.3f} | {100 * bias:.1f} |"


def coverage_of_resampled_samples(setting: Setting, trials: int, seed: int) -> tuple[float, float, float]:
    """The fixed-suite interval's coverage, that of resampled samples, and their mean less the run's pass@k.

    n samples drawn with replacement, c of n of them correct, hold a binomial number of correct ones.
    """
    rng = np.random.default_rng(seed)
    by_correct = pass_at_k(setting.n, np.arange(setting.n + 1), setting.k)
    fixed, resampled, bias = 0, 0, 0.0
    for _ in range(trials):
        abilities = rng.beta(setting.a, setting.b, setting.problems)
        truth = float(np.mean(1 - (1 - abilities) ** setting.k))
        c = rng.binomial(setting.n, abilities)
        estimate = estimate_pass_at_k(setting.n, c, setting.k, level=LEVEL)
        drawn = rng.binomial(setting.n, c / setting.n, size=(RESAMPLES, setting.problems))
        means = by_correct[drawn].mean(axis=1)
        low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        fixed += _holds(estimate.fixed_suite, truth)
        resampled += bool(low <= truth <= high)
        bias += float(means.mean()) - estimate.value
    return fixed / trials, resampled / trials, bias / trials


def coverage(setting: Setting, trials: int, seed: int) -> Coverage:
    """Simulate one setting; the same seed gives the same trials."""
    rng = np.random.default_rng(seed)
    held = dict.fromkeys(("fixed", "t", "percentile", "bca", "warned"), 0)
    resampled = max(1, trials // BOOTSTRAP_SHARE)
    for trial in range(trials):
        abilities = rng.beta(setting.a, setting.b, setting.problems)
        c = rng.binomial(setting.n, abilities)
        estimate = estimate_pass_at_k(setting.n, c, setting.k, level=LEVEL)
        held["fixed"] += _holds(estimate.fixed_suite, float(np.mean(1 - (1 - abilities) ** setting.k)))
        held["t"] += _holds(estimate.population, setting.truth)
        held["warned"] += any("coverage is known to be low" in warning for warning in estimate.warnings)
        if trial < resampled:
            values = pass_at_k(setting.n, c, setting.k)
            for method in ("percentile", "bca"):
                interval = bootstrap_interval(values, method=method, draws=RESAMPLES, seed=trial, level=LEVEL)
                held[method] += _holds(interval, setting.truth)
    shares = {name: hits / trials for name, hits in held.items()}
    return Coverage(**(shares | {name: held[name] / resampled for name in ("percentile", "bca")}))


def _holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.low <= truth <= interval.high


if __name__ == "__main__":
    sys.exit(main())
