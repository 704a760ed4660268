"""Presets: a peer's rules as metrics of their own, and beside each a corrected form where the peer errs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codejury.metrics.scoring import Metric, Pair, Scored, register
from codejury.metrics.text import edits, exact, lexing, peers
from codejury.metrics.text.family import of_language, scored
from codejury.metrics.text.statements import first_statement
from codejury.metrics.text.words import CROSSCODEEVAL

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Preset:
    """A peer's metrics.

    Attributes:
        name: Of the preset.
        source: The peer.
        metrics: Its metrics by their names here, in the order in which the peer reports them.
        corrected: Of each the corrected form.
        faults: What the corrected forms do otherwise, a line each.
    """

    name: str
    source: str
    metrics: tuple[str, ...]
    corrected: tuple[str, ...]
    faults: tuple[str, ...]


def _cceval(compare: Callable[[str, str, str], float]) -> Callable[[Pair], Scored]:
    def score(pair: Pair, language: str) -> Scored:
        if language not in CROSSCODEEVAL:
            return Scored(None, f"CrossCodeEval has no rule for language {language!r}")
        statement = peers.cceval_prediction(pair.prefix, pair.prediction, language)
        one, other = map(peers.cceval_without_comments, (statement, pair.reference))
        return scored(lambda _: compare(one, other, language))(pair)

    return of_language(score)


def _cceval_f1(one: str, other: str, language: str) -> float:
    left, right = (set(peers.cceval_identifiers(text, language)) for text in (one, other))
    return 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0


def _statement(compare: Callable[[Pair, str, str], float]) -> Callable[[Pair], Scored]:
    """Compares the first statement with the reference."""

    def score(pair: Pair, language: str) -> Scored:
        statement = first_statement(pair.prediction, language, before=pair.prefix)
        return scored(lambda _: compare(pair, statement, language))(pair)

    return of_language(score)


def _uncommented_similarity(pair: Pair, statement: str, language: str) -> float:
    one, other = (
        "\n".join(exact.code_lines(text, language, before=pair.prefix)) for text in (statement, pair.reference)
    )
    return edits.indel_similarity(one, other)


def _identifier_lists(pair: Pair, statement: str, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    one, other = (lexing.identifiers(text, language, before=pair.prefix) for text in (statement, pair.reference))
    return one, other


def _identifiers_f1(pair: Pair, statement: str, language: str) -> float:
    one, other = map(set, _identifier_lists(pair, statement, language))
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def _identifiers_same(pair: Pair, statement: str, language: str) -> float:
    one, other = _identifier_lists(pair, statement, language)
    return float(one == other)


def _same_code_tokens(pair: Pair, language: str) -> Scored:
    one, other = (
        lexing.code_tokens(text, language, before=pair.prefix) for text in (pair.prediction, pair.reference)
    )
    return Scored(float(one == other))


def _codexglue(compare: Callable[[str, str], float]) -> Callable[[Pair], Scored]:
    return scored(
        lambda pair: compare(peers.codexglue_text(pair.prediction.strip()), peers.codexglue_text(pair.reference))
    )


def _literals(compare: Callable[[str, str], float]) -> Callable[[Pair], Scored]:
    return scored(
        lambda pair: compare(
            peers.literals_back(pair.prediction).strip(), peers.literals_back(pair.reference).strip()
        )
    )


def _qwen(compare: Callable[[str, str], float]) -> Callable[[Pair], Scored]:
    return scored(lambda pair: compare(peers.qwen_prediction(pair.prediction, pair.reference), pair.reference))


def _stripped(compare: Callable[[str, str], float]) -> Callable[[Pair], Scored]:
    return scored(lambda pair: compare(pair.prediction.strip(), pair.reference.strip()))


def _first_line(compare: Callable[[str, str], float]) -> Callable[[Pair], Scored]:
    return scored(lambda pair: compare(peers.lca_line(pair.prediction), pair.reference))


_Form = tuple[str, str, "Callable[[Pair], Scored]"]

_FORMS: dict[str, tuple[_Form, ...]] = {
    "crosscodeeval": (
        (
            "em",
            "lines of the first statement and of the reference, comments removed, are equal",
            _cceval(lambda one, other, _: peers.cceval_lines(one) == peers.cceval_lines(other)),
        ),
        (
            "es",
            "indel of the first statement and the reference, comments removed, stripped, in hundredths",
            _cceval(lambda one, other, _: edits.rounded_ratio(one.strip(), other.strip())),
        ),
        (
            "id_em",
            "lists of identifiers are equal",
            _cceval(
                lambda one, other, language: (
                    peers.cceval_identifiers(one, language) == peers.cceval_identifiers(other, language)
                )
            ),
        ),
        ("id_f1", "F1 of the sets of identifiers; 0 if both are empty", _cceval(_cceval_f1)),
    ),
    "crosscodeeval.corrected": (
        (
            "em",
            "as crosscodeeval.em, with statements and comments by the language's rules",
            _statement(
                lambda pair, text, language: exact.same_lines(text, pair.reference, language, before=pair.prefix)
            ),
        ),
        (
            "es",
            "as crosscodeeval.es, with statements and comments by the language's rules, not rounded",
            _statement(_uncommented_similarity),
        ),
        (
            "id_em",
            "as crosscodeeval.id_em, with statements and identifiers by the language's rules",
            _statement(_identifiers_same),
        ),
        (
            "id_f1",
            "as crosscodeeval.id_f1, by the language's rules for statements and identifiers; 1 if both are empty",
            _statement(_identifiers_f1),
        ),
    ),
    "repobench": (
        ("em", "as exact.tokens", scored(lambda pair: exact.same_tokens(pair.prediction, pair.reference))),
        (
            "es",
            "indel similarity in hundredths",
            scored(lambda pair: edits.rounded_ratio(pair.prediction, pair.reference)),
        ),
    ),
    "codexglue": (
        ("em", "literals put back, as exact.tokens", _codexglue(exact.same_tokens)),
        (
            "es",
            "literals put back, prediction stripped, indel similarity in hundredths",
            _codexglue(edits.rounded_ratio),
        ),
    ),
    "codexglue.corrected": (
        ("em", "literals put back in one pass, as exact.tokens", _literals(exact.same_tokens)),
        (
            "es",
            "literals put back in one pass, both stripped, indel similarity",
            _literals(edits.indel_similarity),
        ),
    ),
    "lca": (
        ("em", "first line of the prediction, as exact.strip", _first_line(exact.same_stripped)),
        ("es", "first line of the prediction, indel similarity in hundredths", _first_line(edits.rounded_ratio)),
    ),
    "lca.corrected": (
        (
            "es",
            "first line of the prediction, both stripped as for em, indel similarity",
            _first_line(lambda one, other: edits.indel_similarity(one.strip(), other.strip())),
        ),
    ),
    "qwen-fim": (
        (
            "em",
            "as many lines as the reference has; equal tokens, with camelCase split and quotes alike",
            _qwen(lambda one, other: peers.qwen_tokens(one) == peers.qwen_tokens(other)),
        ),
        (
            "es",
            "as many lines as the reference has; stripped, indel similarity in hundredths",
            _qwen(lambda one, other: edits.rounded_ratio(one.strip(), other.strip())),
        ),
        (
            "es_repoeval",
            "as many lines as the reference has, stripped, Levenshtein similarity; 0 if both are empty",
            _qwen(peers.qwen_repoeval),
        ),
    ),
    "qwen-fim.corrected": (
        ("em", "equal tokens of the language, comments and white space left out", of_language(_same_code_tokens)),
        ("es", "indel similarity of the stripped texts", _stripped(edits.indel_similarity)),
        (
            "es_repoeval",
            "Levenshtein similarity of the stripped texts; 1 if both are empty",
            _stripped(edits.levenshtein_similarity),
        ),
    ),
}

_ROUNDED = "similarities are not rounded to hundredths"

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "crosscodeeval",
            "amazon-science/cceval, scripts/eval_metric.py (arXiv 2310.11248)",
            tuple(f"crosscodeeval.{name}" for name in ("em", "es", "id_em", "id_f1")),
            tuple(f"crosscodeeval.corrected.{name}" for name in ("em", "es", "id_em", "id_f1")),
            (
                "comments are those of the language: x = a // b stays whole in Python, and # stays in strings",
                "a statement ends by the language's rules: not in a string or for (;;), also at index 0",
                "a prompt that does not parse by itself does not keep the whole prediction",
                "identifiers may hold any letters; no identifiers on both sides agree",
                _ROUNDED,
            ),
        ),
        Preset(
            "repobench",
            "Leolty/repobench, evaluation/metrics.py (arXiv 2306.03091)",
            ("repobench.em", "repobench.es"),
            ("exact.tokens", "edit.indel"),
            (_ROUNDED,),
        ),
        Preset(
            "codexglue",
            "microsoft/CodeXGLUE, Code-Code/CodeCompletion-line/evaluator (arXiv 2102.04664)",
            ("codexglue.em", "codexglue.es"),
            ("codexglue.corrected.em", "codexglue.corrected.es"),
            (
                "the reference is stripped as the prediction is",
                "a literal that was put back is not taken for a mark again",
                _ROUNDED,
            ),
        ),
        Preset(
            "lca",
            "JetBrains-Research/lca-baselines, project_level_code_completion/eval (arXiv 2406.11612)",
            ("lca.em", "lca.es"),
            ("lca.em", "lca.corrected.es"),
            (
                "white space around the texts counts in neither metric, instead of in one",
                _ROUNDED,
                "a group's mean is of its own rows; the peer's holds those of earlier groups too",
            ),
        ),
        Preset(
            "qwen-fim",
            "QwenLM/Qwen2.5-Coder, qwencoder-eval/base/benchmarks/fim-bench/eval_metric.py (arXiv 2409.12186)",
            ("qwen-fim.em", "qwen-fim.es", "qwen-fim.es_repoeval"),
            ("qwen-fim.corrected.em", "qwen-fim.corrected.es", "qwen-fim.corrected.es_repoeval"),
            (
                "the prediction is not cut to the reference's number of lines, which tells it where to stop",
                "'a' and \"a\", fooBar and foo Bar are different tokens",
                "two empty texts are alike",
                _ROUNDED,
            ),
        ),
    )
}
"""The presets by name."""

for _group, _forms in _FORMS.items():
    for _name, _definition, _function in _forms:
        register(
            Metric(
                name=f"{_group}.{_name}",
                definition=_definition,
                range=(0.0, 1.0),
                direction="higher",
                source=PRESETS[_group.split(".")[0]].source,
                version="1",
                function=_function,
            )
        )
