"""Text metrics: exact matches, edit distances, identifiers, and what an edit changed."""

from codejury.metrics.text.changes import Agreement, Hole, chrf_delta, kept, lines_changed
from codejury.metrics.text.edits import (
    TooLargeError,
    indel_similarity,
    levenshtein_distance,
    levenshtein_similarity,
    rounded_ratio,
)
from codejury.metrics.text.exact import code_lines, same, same_lines, same_stripped, same_tokens
from codejury.metrics.text.lexing import LANGUAGES, code_tokens, identifiers, language_name, without
from codejury.metrics.text.presets import PRESETS, Preset

__all__ = [
    "LANGUAGES",
    "PRESETS",
    "Agreement",
    "Hole",
    "Preset",
    "TooLargeError",
    "chrf_delta",
    "code_lines",
    "code_tokens",
    "identifiers",
    "indel_similarity",
    "kept",
    "language_name",
    "levenshtein_distance",
    "levenshtein_similarity",
    "lines_changed",
    "rounded_ratio",
    "same",
    "same_lines",
    "same_stripped",
    "same_tokens",
    "without",
]
