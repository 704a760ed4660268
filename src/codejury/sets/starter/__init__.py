"""The built-in problem set `starter`, and samples of three synthetic contestants for it.

`load` gives the problems; `codejury.sets.starter.contestants` gives the samples, which no model ever wrote.
"""

from codejury.sets.starter.catalogue import load

__all__ = ["load"]
