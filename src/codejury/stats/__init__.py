"""Estimators and intervals: pure functions on arrays of counts, of numpy and scipy alone.

Everywhere n is the number of samples of a problem, c how many of them are correct, k how many are drawn.
"""

from codejury.stats.bands import Band, band_pass_at_k, band_pass_hat_k
from codejury.stats.bayes import (
    JEFFREYS,
    UNIFORM,
    Prior,
    bayes_pass_at_k,
    bayes_pass_hat_k,
    estimate_bayes_pass_at_k,
    estimate_bayes_pass_hat_k,
)
from codejury.stats.bootstrap import bootstrap_interval
from codejury.stats.curve import pass_at_k_curve, pass_hat_k_curve
from codejury.stats.errors import ShortProblemsError, StatisticsError
from codejury.stats.estimate import Estimate, estimate_pass_at_k, estimate_pass_hat_k
from codejury.stats.homogeneity import HomogeneityTest, cmh_test, scatter_test
from codejury.stats.intervals import Interval
from codejury.stats.naive import naive_first_k, naive_with_replacement
from codejury.stats.passk import pass_at_k, pass_hat_k
from codejury.stats.reliability import (
    AdjustedReliability,
    Reliability,
    adjusted_counts,
    estimate_reliability,
    reliability_at_k,
    security_sweep,
)
from codejury.stats.thresholds import (
    SolvedShares,
    cover_at_tau,
    estimate_cover_at_tau,
    estimate_g_pass_at_k,
    g_pass_at_k,
    posterior_cover_at_tau,
    solved_shares,
)
from codejury.stats.within import WithinVariance, covariance_within, variance_within

__all__ = [
    "JEFFREYS",
    "UNIFORM",
    "AdjustedReliability",
    "Band",
    "Estimate",
    "HomogeneityTest",
    "Interval",
    "Prior",
    "Reliability",
    "ShortProblemsError",
    "SolvedShares",
    "StatisticsError",
    "WithinVariance",
    "adjusted_counts",
    "band_pass_at_k",
    "band_pass_hat_k",
    "bayes_pass_at_k",
    "bayes_pass_hat_k",
    "bootstrap_interval",
    "cmh_test",
    "covariance_within",
    "cover_at_tau",
    "estimate_bayes_pass_at_k",
    "estimate_bayes_pass_hat_k",
    "estimate_cover_at_tau",
    "estimate_g_pass_at_k",
    "estimate_pass_at_k",
    "estimate_pass_hat_k",
    "estimate_reliability",
    "g_pass_at_k",
    "naive_first_k",
    "naive_with_replacement",
    "pass_at_k",
    "pass_at_k_curve",
    "pass_hat_k",
    "pass_hat_k_curve",
    "posterior_cover_at_tau",
    "reliability_at_k",
    "scatter_test",
    "security_sweep",
    "solved_shares",
    "variance_within",
]
