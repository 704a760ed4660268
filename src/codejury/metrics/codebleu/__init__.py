"""CodeBLEU: with its faults mended, and as the PyPI package computes it."""

from codejury.metrics.codebleu.compat import LANGUAGES as COMPAT_LANGUAGES
from codejury.metrics.codebleu.compat import codebleu_parts
from codejury.metrics.codebleu.flow import RULES, data_flow
from codejury.metrics.codebleu.mended import codebleu
from codejury.metrics.codebleu.ngrams import bleu, weighted_bleu
from codejury.metrics.scoring import Metric, Pair, Scored, register
from codejury.metrics.text.edits import TooLargeError
from codejury.metrics.text.family import of_language

__all__ = ["COMPAT_LANGUAGES", "RULES", "bleu", "codebleu", "codebleu_parts", "data_flow", "weighted_bleu"]

_SOURCE = "CodeBLEU (Ren et al. 2020, arXiv 2009.10297)"


def _compat(pair: Pair, language: str) -> Scored:
    if language not in COMPAT_LANGUAGES:
        return Scored(None, f"codebleu.compat has no rules for language {language!r}")
    try:
        parts = codebleu_parts(pair.prediction, pair.reference, language)
    except TooLargeError as error:
        return Scored(None, str(error))
    return Scored(parts["codebleu"], None, dict(parts))


for _name, _definition, _origin, _function in (
    (
        "codebleu",
        "mean of BLEU, keyword-weighted BLEU, syntax and data-flow match, of those parts that the reference has",
        _SOURCE,
        codebleu,
    ),
    (
        "codebleu.compat",
        "CodeBLEU as the PyPI package codebleu 0.7.0 computes it for one pair, faults included",
        f"{_SOURCE}; k4black/codebleu 0.7.0",
        _compat,
    ),
):
    register(
        Metric(
            name=_name,
            definition=_definition,
            range=(0.0, 1.0),
            direction="higher",
            source=_origin,
            version="1",
            function=of_language(_function),
        )
    )
