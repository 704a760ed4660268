"""Syntax trees of completions, parsed in context, and how alike two of them are."""

from codejury.metrics.scoring import register
from codejury.metrics.trees.alpha import alpha
from codejury.metrics.trees.flat import Key, Tree, build
from codejury.metrics.trees.languages import LANGUAGES, Language
from codejury.metrics.trees.likeness import dice, dice_subtrees, dice_types, ted_similarity
from codejury.metrics.trees.metrics import METRICS
from codejury.metrics.trees.parsing import FileTooLargeError, Parsed, Status, introduced, parse, status
from codejury.metrics.trees.ted import Edit, TooLargeError, distance, mapping

__all__ = [
    "LANGUAGES",
    "METRICS",
    "Edit",
    "FileTooLargeError",
    "Key",
    "Language",
    "Parsed",
    "Status",
    "TooLargeError",
    "Tree",
    "alpha",
    "build",
    "dice",
    "dice_subtrees",
    "dice_types",
    "distance",
    "introduced",
    "mapping",
    "parse",
    "status",
    "ted_similarity",
]

for _each in METRICS:
    register(_each)
