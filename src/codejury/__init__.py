"""codejury judges code that models write.

    import codejury
    document = codejury.judge("samples.jsonl", "humaneval")
    with codejury.Jury("humaneval") as jury:
        verdict = jury.judge("HumanEval/0", program)

What is here is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from codejury._version import __version__

if TYPE_CHECKING:
    from codejury._api import judge
    from codejury.pipeline import AsyncJury, JudgeSettings, Jury, JurySettings
    from codejury.report import JudgeDocument

__all__ = ["AsyncJury", "JudgeDocument", "JudgeSettings", "Jury", "JurySettings", "__version__", "judge"]

_HOMES = {"judge": "codejury._api", "JudgeDocument": "codejury.report"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'codejury' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, "codejury.pipeline")), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
