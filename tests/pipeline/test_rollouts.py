"""Rollouts imported and reported."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import InfrastructureError, InputError, UsageError
from codejury.pipeline.rollout_report import ReportSettings, report_rollouts
from codejury.pipeline.rollouts import ImportSettings, delete_rollouts, import_rollouts, list_rollouts
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codejury.report.rollouts import AgentFigures, RolloutsDocument

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "rollouts"
Report = Any


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture
def report(store: Store, tmp_path: Path) -> Callable[..., RolloutsDocument]:
    """Imports rows as a run and reports it."""
    numbers = itertools.count()

    def run(rows: list[dict[str, Any]], **settings: Any) -> RolloutsDocument:
        file, name = tmp_path / "rows.jsonl", f"r{next(numbers)}"
        file.write_text("".join(json.dumps({"agent": "a"} | row) + "\n" for row in rows))
        import_rollouts(store, ImportSettings("jsonl", (str(file),), name))
        return report_rollouts(store, name, ReportSettings(**settings))

    return run


def _rows(n: int, cs: list[int], **fields: Any) -> list[dict[str, Any]]:
    """N rollouts of each task, c of them resolved."""
    return [{"task": f"t{task}", "resolved": at < c} | fields for task, c in enumerate(cs) for at in range(n)]


def _values(agent: AgentFigures, k: int) -> tuple[float, float, float]:
    figures = agent.figures
    return figures.resolve_rate.value, figures.reliability_at_k[str(k)].value, figures.pass_hat_k[str(k)].value


# ---- golden values


@pytest.mark.parametrize(
    ("c", "reliability", "hat"),
    [
        *((0, 0, 0), (1, 5 / 8, 0), (2, 25 / 28, 0), (3, 55 / 56, 0), (4, 1, 0)),
        *((5, 1, 1 / 56), (6, 1, 3 / 28), (7, 1, 3 / 8), (8, 1, 1)),
    ],
)
def test_one_task_of_eight_rollouts(report: Report, c: int, reliability: float, hat: float) -> None:
    """reliability@5 and pass^5 of one task, beside pass@1."""
    (agent,) = report(_rows(8, [c]), ks=(5,)).agents
    assert (c / 8, reliability, hat) == pytest.approx(_values(agent, 5))


def test_ten_tasks(report: Report) -> None:
    """Golden group 9: two tasks solved once of eight look like 1/8, and are 1/40 when run once."""
    (agent,) = report(_rows(8, [0, 0, 1, 0, 0, 0, 0, 0, 1, 0]), ks=(5,)).agents
    assert (1 / 40, 1 / 8, 0) == pytest.approx(_values(agent, 5))
    assert (0, 2, 8) == (agent.figures.solved.always, agent.figures.solved.sometimes, agent.figures.solved.never)


@pytest.mark.parametrize(("tests", "passed", "shown"), [(10, 4, 41 / 42), (5, 2, 1), (15, 6, 137 / 143)])
def test_misuse_is_refused(report: Report, tests: int, passed: int, shown: float) -> None:
    """Golden group 2: one failed rollout whose tests would give a figure near 1 gives none."""
    assert shown > 0.95
    rows = [{"task": "t", "tests_passed": passed, "tests_total": tests}]
    with pytest.raises(
        UsageError,
        match=r"reliability@5 needs 5 rollouts of each task, and there are fewer of 1 task: t of a \(1\).*"
        r"tests are not independent rollouts, and pass@k of them is near 1 though it failed.*explain passk",
    ):
        report(rows, ks=(5,))
    (agent,) = report(rows).agents
    assert (0, 0, 0) == _values(agent, 1)


def test_as_many_rollouts_as_tests_is_said(report: Report) -> None:
    """It may be so, or a misuse earlier."""
    document = report(_rows(4, [1, 2], tests_total=4, tests_passed=1))
    assert any("n equals the number of tests of every task" in line for line in document.warnings)
    assert not any("n equals" in line for line in report(_rows(4, [1, 2], tests_total=5, tests_passed=1)).warnings)


def test_swe_bench_pilot(store: Store, tmp_path: Path) -> None:
    """Golden group 12 from report.json files."""
    pilot = [((2, 2), (13, 13)), ((0, 1), (20, 20)), ((0, 2), (644, 644)), ((0, 4), (63, 68)), ((0, 1), (2, 9))]
    for number, pair in enumerate(pilot):
        file = tmp_path / f"logs/run_evaluation/pilot/codex/task-{number}/report.json"
        file.parent.mkdir(parents=True)
        status = {
            kind: {"success": ["x"] * passed, "failure": ["x"] * (total - passed)}
            for kind, (passed, total) in zip(("FAIL_TO_PASS", "PASS_TO_PASS"), pair, strict=True)
        }
        body = {"patch_exists": True, "resolved": number == 0, "tests_status": status}
        file.write_text(json.dumps({f"task-{number}": body}))
    import_rollouts(store, ImportSettings("swebench", (str(tmp_path / "logs"),), "pilot"))
    (agent,) = report_rollouts(store, "pilot").agents
    figures = agent.figures
    assert figures.test_pass_rate is not None
    assert figures.regression_rate is not None
    found = [figures.resolve_rate.value, figures.test_pass_rate.macro.value, figures.regression_rate.macro.value]
    assert [1 / 5, 1091869 / 1356600, 277 / 1800] == pytest.approx(found)
    gap = figures.test_pass_rate.gap_to_resolved
    assert gap is not None
    assert gap.value == pytest.approx(1091869 / 1356600 - 0.2)


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not beside the project")
def test_tau_bench_as_published(store: Store) -> None:
    """pass^1 to pass^4 of GPT-4o on the airline tasks."""
    file = DATA / "tau_bench_gpt4o_airline.json"
    import_rollouts(store, ImportSettings("tau-bench", (str(file),), "tau"))
    (agent,) = report_rollouts(store, "tau").agents
    assert ["0.420", "0.273", "0.220", "0.200"] == [f"{e.value:.3f}" for e in agent.figures.pass_hat_k.values()]


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not beside the project")
def test_security_of_the_study_as_recorded(store: Store) -> None:
    """At 0.80 nothing is withdrawn; at no finding at all the order of the agents inverts."""
    import_rollouts(store, ImportSettings("codebench", (str(DATA / "beyond_passk_h4.json"),), "h4"))
    document = report_rollouts(store, "h4", ReportSettings(ks=(5,)))
    found = {}
    for agent in document.agents:
        assert agent.security is not None
        rows = {row.threshold: row for row in agent.security.thresholds}
        assert 0 == rows[0.8].withdrawn
        found[agent.agent] = [
            f"{value:.4f}"
            for value in (
                agent.figures.resolve_rate.value,
                agent.figures.reliability_at_k["5"].value,
                rows[0.8].reliability_at_k["5"].value,
                rows[1.0].reliability_at_k["5"].value,
            )
        ]
    assert {
        "codex": ["1.0000", "1.0000", "1.0000", "0.7000"],
        "agent-x": ["0.7375", "0.9875", "0.9875", "0.8875"],
        "claude-code": ["0.4500", "0.7929", "0.7929", "0.7036"],
    } == found
    assert any("lets 24 rollouts with findings pass" in line for line in document.warnings)


# ---- which rollouts count


def test_infrastructure_is_in_no_n(report: Report) -> None:
    """The figures leave it out, and the bounds say what it leaves open."""
    rows = [*_rows(4, [4, 2, 0]), {"task": "t0", "status": "infra", "subtype": "docker"}]
    (agent,) = report(rows, ks=(1, 2), max_infra=0.1).agents
    assert (13, 4, 4, 0.5) == (agent.rollouts, agent.n.min, agent.n.max, agent.figures.resolve_rate.value)
    unknown = agent.unknown
    assert unknown is not None
    assert (1, 0, pytest.approx(1 / 13)) == (unknown.infra, unknown.missing, unknown.share)
    bounds = unknown.resolve_rate
    assert (0.5, pytest.approx((4 / 5 + 0.5) / 3), pytest.approx((1 + 0.5) / 3)) == (
        bounds.excluded,
        bounds.all_failed,
        bounds.all_passed,
    )
    hat = unknown.pass_hat_k["2"]
    assert hat.all_failed == pytest.approx((6 / 10 + 1 / 6) / 3)
    assert {("ok", ""): 12, ("infra", "docker"): 1} == {(m.status, m.subtype): m.rollouts for m in agent.modes}


def test_too_much_infrastructure_fails(report: Report) -> None:
    """Past the share that is stated: 1 of 13 is more than 5 %."""
    rows = [*_rows(4, [4, 2, 0]), {"task": "t0", "status": "infra"}]
    with pytest.raises(InfrastructureError, match=r"1 of 13 rollouts of a \(7.7 %\).*more than 5 %.*--max-infra"):
        report(rows)


def test_missing_grades_stop_the_report(report: Report) -> None:
    """Neither failures nor successes; with leave they are in the bounds."""
    rows = [*_rows(4, [4, 2]), {"task": "t1"}]
    with pytest.raises(UsageError, match=r"no grade for 1 rollout: t1 of a.*--allow-missing"):
        report(rows)
    (agent,) = report(rows, allow_missing=True).agents
    assert (0.75, 1) == (agent.figures.resolve_rate.value, agent.unknown.missing)
    assert [0, 1] == [row.missing for row in agent.per_task]


def test_timeouts_and_model_failures_count(report: Report) -> None:
    """They are what the agent did; a time-out may be resolved all the same."""
    rows = [
        {"task": "t", "status": "timeout"},
        {"task": "t", "status": "timeout", "resolved": True},
        {"task": "t", "status": "model_fail"},
    ]
    (agent,) = report(rows).agents
    assert (3, pytest.approx(1 / 3), None) == (agent.n.min, agent.figures.resolve_rate.value, agent.unknown)


def test_unequal_rollouts(report: Report) -> None:
    """K up to the fewest; above only without the short tasks, for every agent."""
    rows = [
        *_rows(4, [4, 2], agent="a"),
        *_rows(2, [1], agent="b"),
        *[row | {"task": "t1"} for row in _rows(4, [3], agent="b")],
    ]
    document = report(rows)
    assert ([1, 2], 2, []) == (document.ks, document.tasks, document.dropped)
    assert any(line.startswith("b: tasks have 2 to 4 rollouts") for line in document.warnings)
    with pytest.raises(UsageError, match=r"reliability@4 needs 4 .*t0 of b \(2\)"):
        report(rows, ks=(4,))
    document = report(rows, ks=(1, 4), drop_short=True)
    assert (["t0"], [1, 1]) == (document.dropped, [agent.figures.tasks for agent in document.agents])
    assert [0.5, 0.75] == [agent.figures.resolve_rate.value for agent in document.agents]
    assert any("left out of every figure: 1 task with too few rollouts (t0)" in line for line in document.warnings)
    with pytest.raises(UsageError, match="no task has 9 rollouts"):
        report(rows, ks=(9,), drop_short=True)


def test_agents_with_other_tasks(report: Report) -> None:
    """Each over its own, and that is said."""
    rows = [*_rows(2, [2, 0], agent="a"), *_rows(2, [1], agent="b")]
    document = report(rows)
    assert [0.5, 0.5] == [agent.figures.resolve_rate.value for agent in document.agents]
    assert any("did not do the same tasks (a 2, b 1)" in line for line in document.warnings)


# ---- slices and security


def test_slices(report: Report) -> None:
    """By difficulty, easy first, and by tag; a task counts for each of its tags."""
    rows = [
        *_rows(2, [1], difficulty="hard", tags=["x", "y"]),
        *[row | {"task": "u"} for row in _rows(2, [2], difficulty="easy", tags=["x"])],
        *[row | {"task": "v"} for row in _rows(2, [0])],
    ]
    (agent,) = report(rows).agents
    assert [("easy", 1, 1.0), ("hard", 1, 0.5), ("unrated", 1, 0.0)] == [
        (name, part.tasks, part.resolve_rate.value) for name, part in agent.by_difficulty.items()
    ]
    assert [("x", 2, 0.75), ("y", 1, 0.5)] == [
        (name, part.tasks, part.resolve_rate.value) for name, part in agent.by_tag.items()
    ]


def test_many_tags(report: Report) -> None:
    """Those with the most tasks, and that is said."""
    rows = [{"task": f"t{at}", "resolved": True, "tags": ["all", f"tag-{at}"]} for at in range(120)]
    document = report(rows)
    assert (100, 120) == (len(document.agents[0].by_tag), document.agents[0].by_tag["all"].tasks)
    assert any("of the 100 with the most tasks, of 121 tags" in line for line in document.warnings)


def test_security_from_code(report: Report) -> None:
    """Findings of a scan: by threshold and by severity, counted per rollout."""
    codes = ["x = 1\n", "eval(y)\n", "import os\nos.system('ls')\n", "x = 2\n"]
    rows = [{"task": "t", "resolved": at < 3, "code": code} for at, code in enumerate(codes)]
    (agent,) = report(rows, ks=(1, 2)).agents
    security = agent.security
    assert (3, 0, 2) == (security.scored, security.unscored, security.hidden)
    assert [(0.0, 0), (0.8, 0), (1 - 1 / 7, 0), (1.0, 2)] == [
        (row.threshold, row.withdrawn) for row in security.thresholds
    ]
    assert {"low": 2, "medium": 1, "high": 1, "critical": 0} == {
        r.severity: r.withdrawn for r in security.severities
    }
    strict = security.thresholds[-1]
    assert (0.25, 0.5, 0.0) == (
        strict.pass_at_1.value,
        strict.reliability_at_k["2"].value,
        strict.pass_hat_k["2"].value,
    )


def test_resolved_rollout_without_a_score(report: Report) -> None:
    """Nothing can be said of whether it is secure; a failed one needs none."""
    scored = {"task": "t", "resolved": True, "security_score": 0.9}
    (agent,) = report([scored, {"task": "t", "resolved": False}]).agents
    assert (1, 0) == (agent.security.scored, agent.security.unscored)
    assert ([0.0, 0.8, 0.9, 1.0], []) == (
        [r.threshold for r in agent.security.thresholds],
        agent.security.severities,
    )
    document = report([scored, {"task": "t", "resolved": True}])
    assert ([], []) == (document.agents[0].security.thresholds, document.agents[0].security.severities)
    assert any("no security score for 1 rollout that should" in line for line in document.warnings)


def test_many_scores_make_a_grid(report: Report) -> None:
    """Thresholds stay few."""
    rows = [{"task": "t", "resolved": True, "security_score": at / 100} for at in range(100)]
    (agent,) = report(rows, ks=(1,)).agents
    assert 22 > len(agent.security.thresholds)


# ---- import, list, delete


def test_import_notes_and_lists(store: Store, tmp_path: Path) -> None:
    """What was met is kept with the run; paths of the machine are not."""
    file = tmp_path / "rows.jsonl"
    file.write_text('{"task": "t", "agent": "a", "resolved": true, "x": 1, "y": 2}\n' * 2)
    document = import_rollouts(store, ImportSettings("jsonl", (str(file),), "r"))
    assert document == list_rollouts(store)
    (row,) = document.runs
    assert ("rows.jsonl", 2) == (row.source, row.rollouts)
    assert ["field 'x' is not read (2 times)", "field 'y' is not read (2 times)"] == row.notes
    assert ["r"] == delete_rollouts(store, ["r"])
    with pytest.raises(UsageError, match="no run 'r' of rollouts"):
        delete_rollouts(store, ["r"])


def test_several_files_are_one_run(store: Store, tmp_path: Path) -> None:
    """A file that is given twice is met twice."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"task": "t", "agent": "{name}", "resolved": true}}\n')
    paths = tuple(str(tmp_path / f"{name}.jsonl") for name in ("one", "two"))
    assert 2 == import_rollouts(store, ImportSettings("jsonl", paths, "r")).runs[0].agents
    with pytest.raises(InputError, match="is the file or folder given twice"):
        import_rollouts(store, ImportSettings("jsonl", (*paths, paths[0]), "s"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (ImportSettings("nothing", ("x",), "r"), "no format 'nothing' of rollouts: take one of swebench, harbor"),
        (ImportSettings("jsonl", ("nowhere.jsonl",), "r"), r"nowhere\.jsonl: no such file or folder"),
        (ImportSettings("jsonl", (__file__,), "r"), "unknown kind of file"),
        (ImportSettings("csv", (str(Path(__file__).parent),), "r"), "cannot be read: Is a directory"),
        (ImportSettings("tau-bench", (str(Path(__file__).parent),), "r"), "cannot be read: No such file"),
        (ImportSettings("harbor", (__file__,), "r"), "Not a directory"),
    ],
)
def test_what_cannot_be_imported(store: Store, settings: ImportSettings, message: str) -> None:
    """One line each."""
    with pytest.raises(UsageError, match=message):
        import_rollouts(store, settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (ReportSettings(ks=(0,)), "k 0: give one or more k of at least 1"),
        (ReportSettings(ks=()), "k none"),
        (ReportSettings(level=1.0), "level 1.0"),
        (ReportSettings(max_infra=2.0), "max-infra 2.0"),
    ],
)
def test_settings_that_make_no_sense(store: Store, settings: ReportSettings, message: str) -> None:
    """Before anything is read."""
    with pytest.raises(UsageError, match=message):
        report_rollouts(store, "r", settings)
