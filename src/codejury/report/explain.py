"""The document of `explain passk`: three forms of pass@k side by side, and how they behave over abilities."""

from __future__ import annotations

from typing import Literal

import msgspec


class CountsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Of n samples of a problem c are right: what the forms say.

    Attributes:
        n: Samples.
        c: Right ones.
        first_k: Chance, over the orders of the samples, that one of the first k is right. In one order the form
            says 0 or 1.
        with_replacement: 1 - (1 - c/n)^k.
        pass_at_k: 1 - C(n-c, k) / C(n, k), the unbiased form.
    """

    n: int
    c: int
    first_k: float
    with_replacement: float
    pass_at_k: float


class FormRow(msgspec.Struct, frozen=True, kw_only=True):
    """How a form behaves: exactly, by enumeration over Bin(n, p), and in simulated trials.

    Attributes:
        mean: Expectation.
        bias: Expectation less the truth.
        variance: Of one problem.
        simulated_mean: Mean over the trials.
        simulated_bias: That less the truth.
        simulated_variance: Variance over the trials.
        error: Standard error of the simulated mean and bias, by the exact variance.
    """

    mean: float
    bias: float
    variance: float
    simulated_mean: float
    simulated_bias: float
    simulated_variance: float
    error: float


class AbilityRow(msgspec.Struct, frozen=True, kw_only=True):
    """A problem that is solved with chance p.

    Attributes:
        p: The chance of a right sample.
        truth: 1 - (1 - p)^k.
        forms: By name: `first_k`, `with_replacement`, `pass_at_k`.
    """

    p: float
    truth: float
    forms: dict[str, FormRow]


class MisuseRow(msgspec.Struct, frozen=True, kw_only=True):
    """A use that codejury refuses, by an example.

    Attributes:
        name: What is done.
        example: With which numbers.
        figure: What it gives.
        honest: What an honest figure is there; null where there is none.
        instead: What the honest figure is of, or why there is none.
    """

    name: str
    example: str
    figure: float
    honest: float | None
    instead: str


class ExplainPasskDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury explain passk` shows.

    Attributes:
        schema: Name and version of this document.
        n: Samples of a problem.
        k: Samples that are asked about.
        run: The run that the counts and abilities are of; null without one.
        abilities: Where the abilities are from.
        problems: How many abilities there are.
        trials: Simulated trials of each ability.
        seed: Of the simulation.
        counts: The forms side by side. Of a run, their means over problems stand in `run_means`.
        run_means: Of a run: the means of the forms over its problems, by form.
        truth: Mean of 1 - (1 - p)^k over the abilities.
        over_abilities: The forms' moments, as means over the abilities, by form.
        by_ability: The forms' moments at single abilities, whose truth is spread evenly between 0 and 1.
        misuses: What is refused, beside an honest figure.
        warnings: What to know, a line each.
    """

    schema: Literal["explain-passk/1"] = "explain-passk/1"
    n: int
    k: int
    run: str | None
    abilities: str
    problems: int
    trials: int
    seed: int
    counts: list[CountsRow]
    run_means: dict[str, float] | None
    truth: float
    over_abilities: dict[str, FormRow]
    by_ability: list[AbilityRow]
    misuses: list[MisuseRow]
    warnings: list[str]
