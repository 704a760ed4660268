"""The sources of rollouts by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codejury.agents import generic, harbor, inspect_logs, swebench, taubench, trajectories
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codejury.agents.fields import Source
    from codejury.model import LocatedRollout


@dataclass(frozen=True)
class Importer:
    """A source of rollouts.

    Attributes:
        read: Gives the rollouts of one path, streaming.
        reads: What it reads, one line.
        rollout: What is one rollout there, one line.
    """

    read: Callable[[Source], Iterator[LocatedRollout]]
    reads: str
    rollout: str


IMPORTERS = {
    "swebench": Importer(swebench.read, "summary, predictions, or a folder with logs/run_evaluation", "a run_id"),
    "harbor": Importer(harbor.read, "a job's folder, or one of several", "a trial"),
    "terminal-bench": Importer(harbor.read_terminal, "a run's folder, or one of several", "a trial"),
    "inspect": Importer(inspect_logs.read, "an .eval or .json log, or a folder of them", "an epoch of a log"),
    "mini-swe-agent": Importer(trajectories.read_mini, "a run's folder; grades by --report", "a run"),
    "openhands": Importer(trajectories.read_openhands, "output.jsonl or its folder; grades by --report", "a run"),
    "tau-bench": Importer(taubench.read, "a result of tau-bench or tau2", "a trial"),
    "codebench": Importer(generic.read_jsonl, "a JSON list of rollouts", "a row"),
    "csv": Importer(generic.read_csv, "a CSV file with a header", "a row"),
    "jsonl": Importer(generic.read_jsonl, "a file of JSON lines", "a row"),
}


def importer(name: str) -> Importer:
    """The source of this name.

    Raises:
        UsageError: There is none.
    """
    if name not in IMPORTERS:
        raise UsageError(f"no format {name!r} of rollouts: take one of {', '.join(IMPORTERS)}")
    return IMPORTERS[name]
