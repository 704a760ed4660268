"""SWE-bench's predictions, summaries and reports per instance, and grades of them for other agents' runs.

A file of predictions has one of each instance, so a rollout is a run of the harness: its run_id. Where several
sources speak of one instance of one run, the report of the instance goes before the summary, and that before the
predictions, which know no grade.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from codejury.agents.fields import MAX_BYTES, Place, as_object, files_below, load, part, rows, text
from codejury.formats.checks import shortened
from codejury.formats.jsonl import read_rows
from codejury.model import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from codejury.agents.fields import Source
    from codejury.model import LocatedRollout, RolloutStatus

_SUMMARY = ("resolved_ids", "unresolved_ids")
_LISTS: tuple[tuple[str, RolloutStatus, str, bool | None], ...] = (
    ("infra_failure_ids", "infra", "infra_failure", None),
    ("resolved_ids", "ok", "", True),
    ("empty_patch_ids", "model_fail", "empty_patch", False),
    ("unresolved_ids", "ok", "", False),
    ("ambiguous_failure_ids", "infra", "ambiguous_failure", None),
    ("error_ids", "infra", "error", None),
    ("incomplete_ids", "missing", "incomplete", None),
)
"""The lists of a summary, and what they say of an instance."""


_Predictions: TypeAlias = "dict[str, tuple[Place, str | None]]"  # place and patch by instance


@dataclass(frozen=True)
class Grade:
    """What SWE-bench says of one instance in one run."""

    status: RolloutStatus
    subtype: str
    resolved: bool | None
    place: Place
    tests_passed: int | None = None
    tests_total: int | None = None
    regressions: int | None = None

    def fields(self) -> dict[str, Any]:
        """As `Rollout` takes them."""
        names = ("status", "subtype", "resolved", "tests_passed", "tests_total", "regressions")
        return {name: getattr(self, name) for name in names}


UNGRADED = "ungraded"
"""Subtype of a rollout that no report speaks of."""


@dataclass
class Run:
    """The grades of one run of the harness over one agent's predictions.

    Attributes:
        run: Its run_id.
        agent: The predictions' model_name_or_path, "/" as "__".
        grades: By instance.
        folders: The log folder of an instance, where there is one.
    """

    run: str
    agent: str
    grades: dict[str, Grade]
    folders: dict[str, Path]


def read(source: Source) -> Iterator[LocatedRollout]:
    """The rollouts of a summary, a file of predictions, or a folder that holds them and the harness's logs.

    Raises:
        InputError: A file has another layout.
        UsageError: There is nothing of SWE-bench.
    """
    runs, predictions = collect(source.path, source)
    if not runs and not predictions:
        raise UsageError(
            f"{source.path}: holds no predictions, summary or report.json of SWE-bench; name the folder that holds"
            " logs/run_evaluation, or a file"
        )
    names = {_file_name(agent): agent for agent in predictions}
    for run in runs:
        agent = source.agent or names.get(run.agent) or run.agent.replace("__", "/")
        yield from _run_rollouts(run, agent, source.label or run.run, _matching(run.agent, predictions))
    graded = {run.agent for run in runs}
    for agent, found in predictions.items():
        if _file_name(agent) in graded:
            continue
        source.note(f"predictions of {agent} have no report: their rollouts are missing")
        for files in found:
            for instance, (place, patch) in files.items():
                label = source.label or Path(place.path).stem
                yield _ungraded(place, instance, source.agent or agent, label, patch)


def _ungraded(place: Place, task: str, agent: str, label: str, patch: str | None) -> LocatedRollout:
    return place.rollout(
        task=task, agent=agent, rollout=label, status="missing", subtype=UNGRADED, resolved=None, patch=patch
    )


def _run_rollouts(run: Run, agent: str, label: str, predictions: _Predictions) -> Iterator[LocatedRollout]:
    for instance, grade in run.grades.items():
        patch = _logged_patch(run.folders.get(instance))
        if patch is None and instance in predictions:
            patch = predictions[instance][1]
        yield grade.place.rollout(task=instance, agent=agent, rollout=label, patch=patch, **grade.fields())
    for instance, (place, patch) in predictions.items():
        if instance not in run.grades:
            yield _ungraded(place, instance, agent, label, patch)


# ---- what there is


def collect(path: str, source: Source) -> tuple[list[Run], dict[str, list[_Predictions]]]:
    """The runs below a path, and the predictions of each agent, a dictionary a file."""
    runs: dict[tuple[str, str], Run] = {}
    predictions: dict[str, list[_Predictions]] = {}
    summaries: list[tuple[Path, dict[str, Any]]] = []
    for file in _candidates(path):
        document = None if ".jsonl" in file.name else load(file)
        if isinstance(document, dict) and all(name in document for name in _SUMMARY):
            summaries.append((file, document))
        elif document is None or _is_predictions(document):
            for agent, found in _read_predictions(file, document).items():
                predictions.setdefault(agent, []).append(found)
        elif not Path(path).is_dir():
            raise InputError("is no summary and no predictions of SWE-bench", path=str(file))
    if Path(path).is_dir():
        _add_reports(path, runs, source)
    for file, document in summaries:
        _add_summary(file, document, runs, source)
    return list(runs.values()), predictions


def grades_of(source: Source) -> Run | None:
    """The one run that `--report` names, for trajectories that know no grade; None where it names none.

    Raises:
        UsageError: It holds no run, or several of which `--label` names none.
    """
    if source.report is None:
        return None
    runs, _ = collect(source.report, source)
    if source.label is not None and len(runs) > 1:
        runs = [run for run in runs if run.run == source.label]
    if len(runs) != 1:
        named = ", ".join(sorted({run.run for run in runs})) or "none"
        raise UsageError(f"--report {source.report}: holds several runs or none ({named}): name one with --label")
    return runs[0]


def _candidates(path: str) -> list[Path]:
    place = Path(path)
    if not place.is_dir():
        return [place]
    try:
        found = [entry for entry in place.iterdir() if entry.suffix in (".json", ".jsonl")]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    return sorted(entry for entry in found if not entry.is_symlink() and entry.is_file())


def _is_predictions(document: Any) -> bool:
    items = list(document.values()) if isinstance(document, dict) else document
    return (
        isinstance(items, list)
        and bool(items)
        and all(isinstance(row, dict) and "model_patch" in row for row in items)
    )


def _read_predictions(file: Path, document: Any) -> dict[str, _Predictions]:
    """By agent and instance; raises InputError for an instance that is there twice."""
    found: dict[str, _Predictions] = {}
    located: Iterator[tuple[Place, dict[str, Any]]]
    if document is None:
        located = ((Place(row.path, row.line), row.fields) for row in read_rows(file))
    elif isinstance(document, list):
        located = ((Place(f"{file}[{at}]"), as_object(row, f"{file}[{at}]")) for at, row in enumerate(document))
    else:
        located = ((Place(str(file)), {"instance_id": key, **row}) for key, row in document.items())
    for place, row in located:
        agent, instance = text(place, row, "model_name_or_path"), text(place, row, "instance_id")
        patch = row.get("model_patch")
        if patch is not None and not isinstance(patch, str):
            raise place.error("expected a text or null", "model_patch")
        known = found.setdefault(agent, {})
        if instance in known:
            raise place.error(
                f"{instance} is predicted twice in one file; SWE-bench takes one: which one counts is undefined",
                "instance_id",
            )
        known[instance] = (place, patch)
    return found


def _matching(agent: str, predictions: Mapping[str, list[_Predictions]]) -> _Predictions:
    """The predictions of a run's agent, where there is one file of them: several cannot be told apart."""
    files = [file for name, found in predictions.items() if _file_name(name) == agent for file in found]
    return files[0] if len(files) == 1 else {}


def _file_name(agent: str) -> str:
    return agent.replace("/", "__")


def _add_reports(path: str, runs: dict[tuple[str, str], Run], source: Source) -> None:
    for file in files_below(path, "report.json"):
        parts = file.resolve().parts
        if len(parts) < 5:
            continue
        run, agent, instance = parts[-4:-1]
        report = as_object(load(file), str(file))
        if set(report) != {instance}:
            raise InputError(
                f"speaks of {', '.join(map(repr, report)) or 'nothing'}, and its folder is named {instance!r}; "
                "SWE-bench writes RUN/MODEL/INSTANCE/report.json",
                path=str(file),
            )
        grade = _report_grade(Place(str(file)), as_object(report[instance], str(file)), source)
        found = runs.setdefault((run, agent), Run(run, agent, {}, {}))
        found.grades[instance] = grade
        found.folders[instance] = file.parent


def _report_grade(place: Place, report: Mapping[str, Any], source: Source) -> Grade:
    if report.get("infra_failure"):
        return Grade("infra", str(report.get("infra_failure_reason") or "infra_failure"), None, place)
    if report.get("patch_is_None") or report.get("patch_exists") is False:
        return Grade("model_fail", "empty_patch", resolved=False, place=place)
    if report.get("patch_successfully_applied") is False:
        return Grade("model_fail", "patch_apply_failed", resolved=False, place=place)
    said = report.get("resolved")
    if not isinstance(said, bool):
        raise place.error("is missing; expected true or false", "resolved")
    tests = part(place, report, "tests_status")
    if not tests:
        return Grade("ok", "", said, place)
    counts = {
        (kind, end): len(rows(place, part(place, tests, kind), end))
        for kind in ("FAIL_TO_PASS", "PASS_TO_PASS")
        for end in ("success", "failure")
    }
    passed, total = sum(n for (_, end), n in counts.items() if end == "success"), sum(counts.values())
    resolved = said and passed == total
    if said and not resolved:
        source.note("said to be resolved though tests fail: counted as not resolved")
    return Grade("ok", "", resolved, place, passed, total, counts["PASS_TO_PASS", "failure"])


# ---- summaries


def _add_summary(file: Path, summary: Mapping[str, Any], runs: dict[tuple[str, str], Run], source: Source) -> None:
    """Grades of a summary, where no report of an instance gives one."""
    place = Place(str(file))
    run, agent = _summary_names(place, file, runs, source)
    found = runs.setdefault((run, agent), Run(run, agent, {}, {}))
    for instance, grade in _summary_grades(place, summary).items():
        if instance not in found.grades or found.grades[instance].status == "missing":
            found.grades[instance] = grade


def _summary_names(
    place: Place, file: Path, runs: Mapping[tuple[str, str], Run], source: Source
) -> tuple[str, str]:
    """The run and the agent of a summary, by its name: MODEL.RUN.json, or results.json in the run's folder."""
    whole = file.name.removesuffix(".json")
    if whole == "results":
        if len(runs) == 1:
            return next(iter(runs))
        if source.agent is None:
            raise place.error("names no model; say which agent this is with --agent")
        return file.resolve().parent.name, source.agent
    # a model's name may hold dots: a run that is known by its reports tells where it ends
    known = [key for key in runs if whole == f"{key[1]}.{key[0]}"]
    agent, dot, run = whole.rpartition(".")
    return known[0] if known else (run, agent) if dot else (whole, whole)


def _summary_grades(place: Place, summary: Mapping[str, Any]) -> dict[str, Grade]:
    """The grade of each instance; of several lists that hold one, the first below counts."""
    reasons = part(place, summary, "failure_reasons")
    if both := set(_ids(place, summary, "resolved_ids")) & set(_ids(place, summary, "unresolved_ids")):
        raise place.error(f"{min(both)} is in resolved_ids and in unresolved_ids", "resolved_ids")
    grades: dict[str, Grade] = {}
    for name, status, subtype, resolved in _LISTS:
        for instance in _ids(place, summary, name):
            reason = str(reasons.get(instance) or subtype)
            grade = Grade(status, reason if name == "infra_failure_ids" else subtype, resolved, place)
            grades.setdefault(instance, _error_grade(place, reason) if name == "error_ids" else grade)
    return grades


def _ids(place: Place, summary: Mapping[str, Any], name: str) -> list[str]:
    found = rows(place, summary, name)
    for instance in found:
        if not isinstance(instance, str) or not instance:
            raise place.error(f"holds {shortened(ascii(instance))}; expected ids", name)
    return found


def _error_grade(place: Place, reason: str) -> Grade:
    """An instance that was not graded: the reason tells whose fault it was, else it is the harness's."""
    lowered = reason.lower()
    if "patch" in lowered or "apply" in lowered:
        return Grade("model_fail", "patch_apply_failed", resolved=False, place=place)
    if "timeout" in lowered or "timed out" in lowered:
        return Grade("timeout", reason, resolved=False, place=place)
    return Grade("infra", reason, None, place)


def _logged_patch(folder: Path | None) -> str | None:
    file = None if folder is None else folder / "patch.diff"
    if file is None or file.is_symlink() or not file.is_file():
        return None
    try:
        with file.open("rb") as stream:
            body = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=os.fspath(file)) from None
    if len(body) > MAX_BYTES:
        raise InputError("is larger than a patch can be", path=os.fspath(file))
    return body.decode("utf-8", "replace")
