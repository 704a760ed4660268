"""Many jobs over many slots: this machine's."""

from codejury.engine.local import LocalEngine, usable_cores

__all__ = ["LocalEngine", "usable_cores"]
