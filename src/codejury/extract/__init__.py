"""Code out of a model's answer."""

from codejury.extract.program import program

__all__ = ["program"]
