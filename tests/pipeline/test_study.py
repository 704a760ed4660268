"""The study as one document: complete, and to every printed digit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codejury.agents.study.recorded import SOURCE
from codejury.model import InputError, UsageError
from codejury.pipeline.study import beyond_passk, write_figures

RECORDED = Path(__file__).parents[3] / "shared" / "data" / "rollouts" / "beyond_passk_h4.json"
DOCS = Path(__file__).parents[2] / "docs"
PRINTED = 22
"""H1 2, H2 6 and the mean, H3 2, H4 6 and tau with p, pilot 3."""


def test_every_printed_figure_is_reproduced() -> None:
    """All of them, with a reason beside each that is corrected."""
    document = beyond_passk()
    assert (PRINTED, PRINTED) == (document.printed, document.reproduced)
    assert ["E0", "E1", "E2", "E3", "E4", "pilot", "inversion"] == [one.id for one in document.experiments]
    assert (SOURCE, 5, 30) == (document.recorded, document.k, len(document.pairs))
    for experiment in document.experiments:
        for row in experiment.rows:
            if row.published is not None and row.published != row.corrected:
                assert row.reason or row.figure == "pooled test pass rate"


@pytest.mark.shared
def test_recorded_rollouts_give_the_same() -> None:
    """From a file: the same printed digits, and what the look-up of the last program hides."""
    document = beyond_passk(str(RECORDED))
    assert (PRINTED, PRINTED) == (document.printed, document.reproduced)
    assert RECORDED.name == document.recorded
    (fourth,) = (one for one in document.experiments if one.id == "E4")
    assert 3 == sum(row.figure == "no finding, by the last program" for row in fourth.rows)


def test_own_rollouts_have_no_printed_figures(tmp_path: Path) -> None:
    """Experiment 4 of other agents is computed; the paper printed nothing of them."""
    rows = [
        {"task": "t", "agent": agent, "rollout": at, "success": at < c, "security_score": score}
        for agent, c, score in (("one", 4, 0.5), ("two", 2, 1.0))
        for at in range(6)
    ]
    file = tmp_path / "r.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    document = beyond_passk(str(file))
    (fourth,) = (one for one in document.experiments if one.id == "E4")
    assert {None} == {row.printed for row in fourth.rows}
    assert [0.0, 0.5, 0.8, 1.0] == [row.threshold for row in document.thresholds]
    assert [0, 0, 4, 4] == [row.withdrawn for row in document.thresholds]


def test_figures_are_written_and_those_of_the_page_are_up_to_date(tmp_path: Path) -> None:
    """Four files, the same as in docs/study/."""
    written = write_figures(beyond_passk(), str(tmp_path / "new"))
    assert ["baseline.svg", "suite-size.svg", "inflation.svg", "proxy.svg"] == [path.name for path in written]
    for path in written:
        assert (DOCS / "study" / path.name).read_text("utf-8") == path.read_text("utf-8")


def test_wrong_input(tmp_path: Path) -> None:
    """No file, no JSON, a level that is none, a folder that cannot be."""
    with pytest.raises(UsageError, match="no such file"):
        beyond_passk(str(tmp_path / "nothing.json"))
    file = tmp_path / "x.json"
    file.write_text("{", encoding="utf-8")
    with pytest.raises(InputError):
        beyond_passk(str(file))
    with pytest.raises(UsageError, match="confidence level"):
        beyond_passk(level=1.0)
    with pytest.raises(UsageError, match=r"--figures .*cannot be made"):
        write_figures(beyond_passk(), str(file / "below"))
