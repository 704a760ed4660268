"""The document of `study beyond-passk`: the experiments of arXiv 2608.14711, published beside corrected."""

from __future__ import annotations

from typing import Literal

import msgspec


class StudyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One figure.

    Attributes:
        figure: What it is.
        subject: Of whom: an agent, a case; empty where it is of all.
        printed: As the paper prints it; null where it prints none.
        published: Computed as the paper computes it; null where it does not.
        corrected: Computed as it should be; null where there is no such figure, and `reason` says why.
        low: Lower bound of `corrected`, other tasks of this kind; null where there is none.
        high: Upper bound.
        reason: Why the two differ, or what the figure means.
    """

    figure: str
    subject: str
    printed: str | None
    published: float | None
    corrected: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment.

    Attributes:
        id: "E0" to "E4", "pilot" or "inversion".
        title: What is looked at.
        hypothesis: "H1" to "H4"; empty for experiments without.
        claim: What the paper claims, or asks.
        published_says: The paper's finding.
        corrected_says: What can be said.
        rows: The figures.
    """

    id: str
    title: str
    hypothesis: str
    claim: str
    published_says: str
    corrected_says: str
    rows: list[StudyRow]


class ProxyPair(msgspec.Struct, frozen=True, kw_only=True):
    """One task of one agent in experiment 3.

    Attributes:
        task: Its number.
        agent: Who.
        published_proxy: Tests of the first rollout, tool calls of the last.
        proxy: All of the first rollout.
        reliability: reliability@k.
    """

    task: int
    agent: str
    published_proxy: float
    proxy: float
    reliability: float


class ThresholdRow(msgspec.Struct, frozen=True, kw_only=True):
    """Security-adjusted reliability at one threshold.

    Attributes:
        threshold: Least score of a rollout that counts.
        withdrawn: Successful rollouts below it; 0 says that the threshold does not bind.
        reliability: reliability@k by agent.
        tau: Kendall's, of this order of the agents with that of the plain reliability@k; null where one is flat.
        p: Of tau.
    """

    threshold: float
    withdrawn: int
    reliability: dict[str, float]
    tau: float | None
    p: float | None


class StudyDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury study beyond-passk` gives.

    Attributes:
        schema: Name and version of this document.
        paper: What is reproduced.
        k: Of reliability@k.
        level: Confidence level of the bounds.
        recorded: Where the outcomes of experiment 4 come from.
        experiments: In the paper's order, then the pilot and a constructed pair of agents.
        pairs: The points of experiment 3.
        thresholds: The sweep of experiment 4.
        printed: Figures that the paper prints and that are computed here.
        reproduced: Those of them that agree to every printed digit.
    """

    schema: Literal["study-beyond-passk/1"] = "study-beyond-passk/1"
    paper: str
    k: int
    level: float
    recorded: str
    experiments: list[Experiment]
    pairs: list[ProxyPair]
    thresholds: list[ThresholdRow]
    printed: int
    reproduced: int
