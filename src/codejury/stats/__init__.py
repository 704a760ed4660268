"""Estimators and intervals: pure functions on arrays of counts, of numpy and scipy alone.

Everywhere n is the number of samples of a problem, c how many of them are correct, k how many are drawn.
"""

from codejury.stats.errors import ShortProblemsError, StatisticsError
from codejury.stats.estimate import Estimate, estimate_pass_at_k, estimate_pass_hat_k
from codejury.stats.homogeneity import HomogeneityTest, cmh_test, scatter_test
from codejury.stats.intervals import Interval
from codejury.stats.passk import pass_at_k, pass_hat_k
from codejury.stats.within import WithinVariance, covariance_within, variance_within

__all__ = [
    "Estimate",
    "HomogeneityTest",
    "Interval",
    "ShortProblemsError",
    "StatisticsError",
    "WithinVariance",
    "cmh_test",
    "covariance_within",
    "estimate_pass_at_k",
    "estimate_pass_hat_k",
    "pass_at_k",
    "pass_hat_k",
    "scatter_test",
    "variance_within",
]
