"""The study of arXiv 2608.14711 as one document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from codejury.agents.fields import Source
from codejury.agents.generic import read_jsonl
from codejury.agents.study.recorded import SOURCE, experiment_4, inversion, outcomes_of, paper_outcomes, pilot
from codejury.agents.study.rows import agrees
from codejury.agents.study.simulated import experiment_0, experiment_1, experiment_2, experiment_3
from codejury.agents.study.synthetic import K
from codejury.model import UsageError
from codejury.pipeline import refusals
from codejury.report.files import write_bytes
from codejury.report.study import StudyDocument
from codejury.report.study_svg import study_figures

if TYPE_CHECKING:
    from collections.abc import Sequence

PAPER = "arXiv 2608.14711"


def beyond_passk(rollouts: str | None = None, *, level: float = 0.95) -> StudyDocument:
    """All experiments of the paper: as it computes them, and as they should be.

    Args:
        rollouts: A JSON list or JSON lines of recorded rollouts with their outcome and security score, for
            experiment 4; None takes the counts of the paper's own, which are kept here.
        level: Confidence level of the bounds.

    Raises:
        UsageError: A level outside (0, 1); no such file; or its rollouts do not suffice.
        InputError: The file holds something else.
    """
    refusals.check_options(level)
    if rollouts is None:
        outcomes, recorded = paper_outcomes(), SOURCE
    elif not Path(rollouts).is_file():
        raise UsageError(f"{rollouts}: no such file; check the path, or leave --rollouts out")
    else:
        outcomes, recorded = outcomes_of(read_jsonl(Source(rollouts)), rollouts), Path(rollouts).name
    third, pairs = experiment_3(level)
    fourth, thresholds = experiment_4(outcomes, level)
    experiments = [
        experiment_0(level),
        experiment_1(),
        experiment_2(level),
        third,
        fourth,
        pilot(level),
        inversion(level),
    ]
    printed = [row for one in experiments for row in one.rows if row.printed is not None]
    return StudyDocument(
        paper=PAPER,
        k=K,
        level=level,
        recorded=recorded,
        experiments=experiments,
        pairs=pairs,
        thresholds=thresholds,
        printed=len(printed),
        reproduced=sum(map(agrees, printed)),
    )


def write_figures(document: StudyDocument, folder: str) -> Sequence[Path]:
    """Draw the study's figures into a folder, which is made where it is missing.

    Returns:
        The files, in the order of the experiments.

    Raises:
        UsageError: The folder cannot be made, or a file not be written.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--figures {folder}: cannot be made: {error.strerror or error}") from error
    written = []
    for name, picture in study_figures(document).items():
        write_bytes(picture.encode(), place / name)
        written.append(place / name)
    return written
