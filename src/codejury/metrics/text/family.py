"""The text metrics under their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from codejury.metrics.scoring import Metric, Pair, Scored, register
from codejury.metrics.text import changes, edits, exact
from codejury.metrics.text.lexing import identifiers, language_name

if TYPE_CHECKING:
    from collections.abc import Callable

Direction = Literal["higher", "lower"]
CROSSCODEEVAL = "CrossCodeEval (Ding et al. 2023, arXiv 2310.11248)"
ZED = "Zed, crates/edit_prediction_metrics"


def scored(function: Callable[[Pair], float | None], nothing: str = "") -> Callable[[Pair], Scored]:
    """A metric's function of one that may find the pair too large, or give None for the reason `nothing`."""

    def score(pair: Pair) -> Scored:
        try:
            value = function(pair)
        except edits.TooLargeError as error:
            return Scored(None, str(error))
        return Scored(None, nothing) if value is None else Scored(float(value))

    return score


def of_language(function: Callable[[Pair, str], Scored]) -> Callable[[Pair], Scored]:
    """A metric's function of one that needs to know the language's comments and strings."""

    def score(pair: Pair) -> Scored:
        language = language_name(pair.language)
        if language is None:
            return Scored(None, f"no rule for comments and strings of language {pair.language[:40]!r}")
        return function(pair, language)

    return score


def hole_of(pair: Pair) -> changes.Hole:
    """The text around the hole; without an original the hole was empty."""
    return changes.Hole(pair.prefix, pair.suffix, pair.original or "")


def _same_lines(pair: Pair, language: str) -> Scored:
    return Scored(float(exact.same_lines(pair.prediction, pair.reference, language, before=pair.prefix)))


def _same_identifiers(pair: Pair, language: str) -> Scored:
    one, other = (identifiers(text, language, before=pair.prefix) for text in (pair.prediction, pair.reference))
    return Scored(float(one == other))


def _identifier_f1(pair: Pair, language: str) -> Scored:
    one, other = (
        set(identifiers(text, language, before=pair.prefix)) for text in (pair.prediction, pair.reference)
    )
    common, total = len(one & other), len(one) + len(other)
    details = {"common": common, "prediction": len(one), "reference": len(other)}
    return Scored(2 * common / total if total else 1.0, None, details)


def _lines_changed(part: Literal["precision", "recall", "f"]) -> Callable[[Pair], Scored]:
    return scored(
        lambda pair: getattr(changes.lines_changed(pair.prediction, pair.reference, hole_of(pair)), part)
    )


def _kept(pair: Pair) -> float | None:
    final = pair.reference if pair.final is None else pair.final
    return changes.kept(pair.prediction, final, hole_of(pair))


_NAMED: tuple[tuple[str, str, str, Callable[[Pair], Scored]], ...] = (
    (
        "exact",
        "1 if prediction and reference are equal, character by character, else 0",
        "the plain sense of exact match",
        scored(lambda pair: exact.same(pair.prediction, pair.reference)),
    ),
    (
        "exact.strip",
        "1 if they are equal without the white space around them",
        "JetBrains lca-baselines, project-level code completion",
        scored(lambda pair: exact.same_stripped(pair.prediction, pair.reference)),
    ),
    (
        "exact.tokens",
        "1 if the lists of what white space separates in them are equal",
        "RepoBench (arXiv 2306.03091), CodeXGLUE line completion (arXiv 2102.04664)",
        scored(lambda pair: exact.same_tokens(pair.prediction, pair.reference)),
    ),
    (
        "exact.lines",
        "1 if, comments removed by the language's rules, the lists of stripped non-empty lines are equal",
        CROSSCODEEVAL,
        of_language(_same_lines),
    ),
    (
        "edit.levenshtein",
        "1 - Levenshtein distance / length of the longer text, in characters; 1 if both are empty",
        "Levenshtein 1966; RepoEval, Qwen2.5-Coder fim-bench",
        scored(lambda pair: edits.levenshtein_similarity(pair.prediction, pair.reference)),
    ),
    (
        "edit.indel",
        "2 LCS / (n + m) of characters, not rounded; 1 if both are empty",
        "rapidfuzz.fuzz.ratio / 100; CrossCodeEval, RepoBench, CodeXGLUE",
        scored(lambda pair: edits.indel_similarity(pair.prediction, pair.reference)),
    ),
    (
        "identifier.exact",
        "1 if the lists of identifiers, without those of comments and strings and without keywords, are equal",
        CROSSCODEEVAL,
        of_language(_same_identifiers),
    ),
    (
        "identifier.f1",
        "F1 of the sets of such identifiers as identifier.exact compares; 1 if both are empty",
        CROSSCODEEVAL,
        of_language(_identifier_f1),
    ),
    (
        "chrf.delta",
        "chrF (orders 1 to 6, beta 2, no white space) of the n-grams that the edit changes",
        f"{ZED}; chrF: Popovic 2015",
        scored(lambda pair: changes.chrf_delta(pair.prediction, pair.reference, hole_of(pair))),
    ),
    ("lines.changed", "F1 of the lines that the edit adds and takes away", ZED, _lines_changed("f")),
    (
        "lines.changed.precision",
        "share of the lines that the prediction changes which the reference changes so",
        ZED,
        _lines_changed("precision"),
    ),
    (
        "lines.changed.recall",
        "share of the lines that the reference changes which the prediction changes so",
        ZED,
        _lines_changed("recall"),
    ),
    (
        "kept",
        "share of the prediction's changes, in characters of tokens, that is still in the final text",
        ZED,
        scored(_kept, "the prediction changes nothing: there is nothing to keep"),
    ),
)

for _name, _definition, _source, _function in _NAMED:
    register(
        Metric(
            name=_name,
            definition=_definition,
            range=(0.0, 1.0),
            direction="higher",
            source=_source,
            version="1",
            function=_function,
        )
    )
