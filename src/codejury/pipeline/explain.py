"""What pass@k is and is not, by figures: its forms side by side, over abilities, and what is refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from codejury import stats
from codejury.model import UsageError
from codejury.pipeline import refusals
from codejury.pipeline.sides import align, open_side
from codejury.report import AbilityRow, CountsRow, ExplainPasskDocument, FormRow, MisuseRow
from codejury.stats.forms import Form, exact_moments, simulated_moments, true_pass_at_k

if TYPE_CHECKING:
    from codejury.stats.counts import Floats, Ints
    from codejury.store import Store

MOST_SAMPLES = 10_000
"""The largest n that is explained: figures of more look the same."""

MOST_TRIALS = 1_000_000

_QUANTILES = 50  # problems that stand for a beta distribution
_GRID = 29  # truths between 0 and 1 that are drawn


class ExplainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `explain passk` is asked for.

    Attributes:
        n: Samples of a problem; of a run, its smallest if None, else 20.
        k: Samples that are asked about.
        counts: Numbers of right samples to show; a few if None.
        run: A run, or a document of `judge`, whose counts are taken.
        abilities: "beta:A,B", or chances as "0.1,0.5"; None is the run's rates, else beta:0.5,0.5.
        trials: Simulated trials of each ability.
        seed: Of the simulation.
    """

    n: int | None = None
    k: int = 10
    counts: tuple[int, ...] | None = None
    run: str | None = None
    abilities: str | None = None
    trials: int = 10_000
    seed: int = 0


def explain_passk(store: Store | None, settings: ExplainSettings) -> ExplainPasskDocument:
    """The forms of pass@k side by side, with bias and variance over abilities: exact, and simulated.

    Args:
        store: Where runs are; may be None without `settings.run`.
        settings: What is asked for.

    Raises:
        UsageError: A number out of range, k > n, c > n, abilities that are none, an unknown run, or one that was
            sampled at temperature 0 and k > 1.
    """
    rows = None if settings.run is None else _of_run(store, settings.run, settings.k)
    n = (20 if rows is None else int(rows[0].min())) if settings.n is None else settings.n
    if rows is not None and (short := int((rows[0] < settings.k).sum())):
        counted = f"{short} of {len(rows[0])} problems have fewer"
        raise UsageError(refusals.too_few(f"pass@{settings.k}", settings.k, counted, ["take a smaller k"]))
    _check(settings, n)
    chances, said = _abilities(settings.abilities, rows, settings.run)
    truths = np.arange(1, _GRID + 1) / (_GRID + 1)
    # the chance at which 1 - (1 - p)^k is the truth
    grid = -np.expm1(np.log1p(-truths) / settings.k)
    everywhere = np.concatenate([chances, grid])
    forms = _forms(n, settings, everywhere)
    own, single = slice(0, len(chances)), slice(len(chances), None)
    return ExplainPasskDocument(
        n=n,
        k=settings.k,
        run=settings.run,
        abilities=said,
        problems=len(chances),
        trials=settings.trials,
        seed=settings.seed,
        counts=_counts(n, settings),
        run_means=None if rows is None else _means(*rows, settings.k),
        truth=float(true_pass_at_k(chances, settings.k).mean()),
        over_abilities={form: _mean_row(of[own]) for form, of in forms.items()},
        by_ability=[
            AbilityRow(
                p=float(p), truth=float(truth), forms={form: of[single][place] for form, of in forms.items()}
            )
            for place, (p, truth) in enumerate(zip(grid, truths, strict=True))
        ],
        misuses=misuses(),
        warnings=_warnings(settings, rows),
    )


def misuses() -> list[MisuseRow]:
    """What codejury refuses, each with the figure that it would give beside the honest one."""
    counted = [
        MisuseRow(
            name="tests counted as samples",
            example=f"one rollout that passes {c} of {n} tests, as pass@5 of n = {n}, c = {c}",
            figure=stats.pass_at_k(n, c, 5),
            honest=0.0,
            instead="pass@1 of n = 1, c = 0: it did not pass all tests; of five rollouts nothing is known",
        )
        for n, c in ((10, 4), (5, 2), (15, 6))
    ]
    return [
        MisuseRow(
            name="k > n",
            example="pass@10 of 5 samples with min(k, n) for k, where p = 0.1",
            figure=float(exact_moments(5, 5, [0.1])[Form.PASS_AT_K].mean[0]),
            honest=float(true_pass_at_k(0.1, 10)),
            instead="1 - (1 - p)^10, which 10 samples or more estimate",
        ),
        MisuseRow(
            name="temperature 0 with k > 1",
            example="standard error of pass@1, 100 problems with 10 copies each of one answer, 40 of them right",
            figure=math.sqrt(0.4 * 0.6 / 1000),
            honest=math.sqrt(0.4 * 0.6 / 100),
            instead="of 100 answers: copies add nothing, and pass@5 is pass@1",
        ),
        MisuseRow(
            name="pooled attempts",
            example="pass@5 of n = 20, c = 10: a problem with 10 of 10 right and one with 0 of 10, as if one",
            figure=stats.pass_at_k(20, 10, 5),
            honest=float(np.mean(stats.pass_at_k(10, [10, 0], 5))),
            instead="the mean over both problems",
        ),
        MisuseRow(
            name="dependent attempts",
            example="pass@5 of n = 5, c = 1: a chain of four repairs, the last of which is right",
            figure=stats.pass_at_k(5, 1, 5),
            honest=None,
            instead="the chain is one sample of a method that repairs: n = 1, c = 1, and k = 1 alone",
        ),
        *counted,
    ]


def _check(settings: ExplainSettings, n: int) -> None:
    if not 1 <= n <= MOST_SAMPLES:
        raise UsageError(f"--n {n}: take 1 to {MOST_SAMPLES} samples")
    if settings.k < 1:
        raise UsageError(f"--k {settings.k}: take at least 1")
    if settings.k > n:
        raise UsageError(
            f"pass@{settings.k} needs {settings.k} samples of each problem, and n is {n}: fewer say nothing of "
            f"{settings.k} tries; take a smaller k, or more samples (--n)"
        )
    if bad := [c for c in settings.counts or () if not 0 <= c <= n]:
        raise UsageError(f"--c {bad[0]}: of {n} samples 0 to {n} can be right")
    if not 2 <= settings.trials <= MOST_TRIALS:
        raise UsageError(f"--trials {settings.trials}: take 2 to {MOST_TRIALS}")
    if settings.seed < 0:
        raise UsageError(f"--seed {settings.seed}: take at least 0")


def _of_run(store: Store | None, name: str, k: int) -> tuple[Ints, Ints]:
    if store is None:
        raise UsageError(f"run {name!r} needs a store")
    side = open_side(store, name)
    if refusals.one_draw(side.meta) and k > 1:
        raise UsageError(refusals.not_drawn(f"pass@{k}", side.meta, [name]))
    aligned = align([side], [{}])
    return aligned.n[0], aligned.c[0]


def _abilities(text: str | None, rows: tuple[Ints, Ints] | None, run: str | None) -> tuple[Floats, str]:
    """The abilities that the forms are averaged over, and where they are from."""
    if text is None and rows is not None:
        n, c = rows
        # never 0 or 1, where all forms agree without any spread
        return (c + 0.5) / (n + 1.0), f"the rates (c + 1/2) / (n + 1) of {run}"
    kind, colon, rest = ("beta:0.5,0.5" if text is None else text).partition(":")
    try:
        numbers = [float(part) for part in (rest if colon else kind).split(",")]
    except ValueError:
        numbers = []
    if colon and kind == "beta" and len(numbers) == 2 and all(0 < x < math.inf for x in numbers):
        from scipy.stats import beta  # noqa: PLC0415 - takes long to import, and few need it

        quantiles = np.asarray(beta.ppf((np.arange(_QUANTILES) + 0.5) / _QUANTILES, *numbers))
        return quantiles, f"Beta({numbers[0]:g}, {numbers[1]:g}), by {_QUANTILES} quantiles"
    if not colon and numbers and all(0 <= x <= 1 for x in numbers):
        return np.array(numbers), "as given"
    raise UsageError(f"--abilities {text}: take beta:A,B with A and B above 0, or chances from 0 to 1 as 0.1,0.5")


def _forms(n: int, settings: ExplainSettings, chances: Floats) -> dict[str, list[FormRow]]:
    """The moments of each form at each ability."""
    exact = exact_moments(n, settings.k, chances)
    drawn = simulated_moments(n, settings.k, chances, trials=settings.trials, seed=settings.seed)
    truth = true_pass_at_k(chances, settings.k)
    found: dict[str, list[FormRow]] = {}
    for form in Form:
        mean, variance = exact[form].mean, exact[form].variance
        columns = (
            mean,
            mean - truth,
            variance,
            drawn[form].mean,
            drawn[form].mean - truth,
            drawn[form].variance,
            np.sqrt(variance / settings.trials),
        )
        names = FormRow.__struct_fields__
        found[form.value] = [
            FormRow(**dict(zip(names, map(float, row), strict=True))) for row in zip(*columns, strict=True)
        ]
    return found


def _mean_row(rows: list[FormRow]) -> FormRow:
    """Means over abilities; the error is that of a mean of independent simulations."""
    means = {name: float(np.mean([getattr(row, name) for row in rows])) for name in FormRow.__struct_fields__}
    error = math.sqrt(sum(row.error**2 for row in rows)) / len(rows)
    return FormRow(**(means | {"error": error}))


def _counts(n: int, settings: ExplainSettings) -> list[CountsRow]:
    chosen = settings.counts or (0, 1, 2, n // 4, n // 2, n)
    return [
        CountsRow(
            n=n, c=c, **{form: float(of[0]) for form, of in _values(np.array([n]), np.array([c]), settings.k)}
        )
        for c in sorted({c for c in chosen if c <= n})
    ]


def _means(n: Ints, c: Ints, k: int) -> dict[str, float]:
    return {form: float(of.mean()) for form, of in _values(n, c, k)}


def _values(n: Ints, c: Ints, k: int) -> list[tuple[str, Floats]]:
    """The forms of counts; of "one of the first k" the mean over the orders, which is the unbiased form."""
    unbiased = np.asarray(stats.pass_at_k(n, c, k))
    replaced = stats.naive_with_replacement(n, c, k)
    return [(Form.FIRST_K, unbiased), (Form.WITH_REPLACEMENT, replaced), (Form.PASS_AT_K, unbiased)]


def _warnings(settings: ExplainSettings, rows: tuple[Ints, Ints] | None) -> list[str]:
    found = []
    if settings.k == 1:
        found.append("k = 1: the mean c/n is unbiased, and 1 - (1 - c/n)^k is the same; take k > 1 to see more")
    if rows is not None and rows[0].min() != rows[0].max():
        found.append(
            f"problems have {rows[0].min()} to {rows[0].max()} samples; the forms are simulated with one n for all"
        )
    return found
