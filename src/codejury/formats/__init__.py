"""Readers and writers of other people's files, one module a family.

`read_problems` and `read_samples` tell the format from the first row; everything streams.
"""

from codejury.formats.checks import missing_ids
from codejury.formats.drawn import SETTINGS
from codejury.formats.files import Format, read_problems, write_problems
from codejury.formats.jsonl import Row, read_rows, write_rows
from codejury.formats.meta import read_meta, write_meta
from codejury.formats.pairs import PairRow, count_pairs, read_pairs
from codejury.formats.samples import SampleSource, holds_samples, read_samples, samples_hash, write_samples
from codejury.formats.values import plain

__all__ = [
    "SETTINGS",
    "Format",
    "PairRow",
    "Row",
    "SampleSource",
    "count_pairs",
    "holds_samples",
    "missing_ids",
    "plain",
    "read_meta",
    "read_pairs",
    "read_problems",
    "read_rows",
    "read_samples",
    "samples_hash",
    "write_meta",
    "write_problems",
    "write_rows",
    "write_samples",
]
