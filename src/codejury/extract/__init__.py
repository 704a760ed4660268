"""Code out of a model's answer."""

from codejury.extract.fences import Block, blocks
from codejury.extract.program import AUTO, program
from codejury.extract.registry import EXTRACTORS, Extractor, extractor

__all__ = ["AUTO", "EXTRACTORS", "Block", "Extractor", "blocks", "extractor", "program"]
