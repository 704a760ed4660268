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
from codejury.stats.compare import (
    CochranMantelHaenszel,
    Difference,
    cochran_mantel_haenszel,
    compare_at_k,
    mcnemar,
    sign_flip_test,
)
from codejury.stats.curve import pass_at_k_curve, pass_hat_k_curve
from codejury.stats.errors import NotSamplesError, ShortProblemsError, StatisticsError
from codejury.stats.estimate import Estimate, estimate_pass_at_k, estimate_pass_hat_k
from codejury.stats.gate import Decision, Finding, Mode, Rule, decide, judge_drop
from codejury.stats.homogeneity import HomogeneityTest, cmh_test, scatter_test
from codejury.stats.intervals import Interval
from codejury.stats.multiple import benjamini_hochberg, holm
from codejury.stats.naive import naive_first_k, naive_with_replacement
from codejury.stats.paired import Estimator, Pairing, pairing
from codejury.stats.passk import pass_at_k, pass_hat_k
from codejury.stats.power import (
    Abilities,
    Detectable,
    DropModel,
    Simulation,
    problems_needed,
    samples_needed,
    simulation,
)
from codejury.stats.rates import macro_rate, pooled_rate
from codejury.stats.reliability import (
    AdjustedReliability,
    Reliability,
    adjusted_counts,
    estimate_reliability,
    reliability_at_k,
    security_sweep,
)
from codejury.stats.rise import Measure, Rise, judge_rise
from codejury.stats.samples import check_rollouts
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
    "Abilities",
    "AdjustedReliability",
    "Band",
    "CochranMantelHaenszel",
    "Decision",
    "Detectable",
    "Difference",
    "DropModel",
    "Estimate",
    "Estimator",
    "Finding",
    "HomogeneityTest",
    "Interval",
    "Measure",
    "Mode",
    "NotSamplesError",
    "Pairing",
    "Prior",
    "Reliability",
    "Rise",
    "Rule",
    "ShortProblemsError",
    "Simulation",
    "SolvedShares",
    "StatisticsError",
    "WithinVariance",
    "adjusted_counts",
    "band_pass_at_k",
    "band_pass_hat_k",
    "bayes_pass_at_k",
    "bayes_pass_hat_k",
    "benjamini_hochberg",
    "bootstrap_interval",
    "check_rollouts",
    "cmh_test",
    "cochran_mantel_haenszel",
    "compare_at_k",
    "covariance_within",
    "cover_at_tau",
    "decide",
    "estimate_bayes_pass_at_k",
    "estimate_bayes_pass_hat_k",
    "estimate_cover_at_tau",
    "estimate_g_pass_at_k",
    "estimate_pass_at_k",
    "estimate_pass_hat_k",
    "estimate_reliability",
    "g_pass_at_k",
    "holm",
    "judge_drop",
    "judge_rise",
    "macro_rate",
    "mcnemar",
    "naive_first_k",
    "naive_with_replacement",
    "pairing",
    "pass_at_k",
    "pass_at_k_curve",
    "pass_hat_k",
    "pass_hat_k_curve",
    "pooled_rate",
    "posterior_cover_at_tau",
    "problems_needed",
    "reliability_at_k",
    "samples_needed",
    "scatter_test",
    "security_sweep",
    "sign_flip_test",
    "simulation",
    "solved_shares",
    "variance_within",
]
