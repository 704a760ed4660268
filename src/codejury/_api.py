"""The Python API in a line each; what it leaves out is in `codejury.pipeline`."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codejury.pipeline import JudgeSettings, summarise
from codejury.pipeline import judge as judge_into
from codejury.store import Store

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from codejury.report import JudgeDocument


def judge(
    samples: str | os.PathLike[str],
    problems: str,
    *,
    ks: Sequence[int] | None = None,
    store: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> JudgeDocument:
    """Judge a file of samples and give its figures, as the command `judge` does.

    Args:
        samples: A file of samples.
        problems: Name of a problem set, or a file.
        ks: The k of pass@k; 1, 10 and 100 as far as every problem has that many samples by default.
        store: Where the run is kept; by default it is not.
        settings: Further fields of `codejury.pipeline.JudgeSettings`, as `run="mine"` or `slots=4`.

    Raises:
        CodejuryError: What is wrong, in one line; see `codejury.model.errors`.
        TypeError: There is no such setting.
        RuntimeError: It is called inside an event loop: use `codejury.pipeline.judge` there.
    """
    wanted = JudgeSettings(
        samples=str(samples), problems=problems, ks=None if ks is None else tuple(ks), **settings
    )
    with (
        tempfile.TemporaryDirectory(prefix="codejury-") as folder,
        Store.open(store or Path(folder) / "runs.db") as opened,
    ):
        name = asyncio.run(judge_into(opened, wanted))
        return summarise(opened, name, ks, level=wanted.level, drop_short=wanted.drop_short)
