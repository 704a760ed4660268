"""The registry of problem sets, and the built-in one."""

from codejury.sets.registry import SetInfo, load, names

__all__ = ["SetInfo", "load", "names"]
