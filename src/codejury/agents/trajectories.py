"""mini-swe-agent's and OpenHands' runs on SWE-bench: what the agent did, to be joined with a SWE-bench report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from codejury.agents.fields import Place, as_object, calls_in, files_below, load_object, named, number, part, text
from codejury.agents.swebench import UNGRADED, Grade, grades_of
from codejury.formats.jsonl import read_rows
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from codejury.agents.fields import Source
    from codejury.agents.swebench import Run
    from codejury.model import LocatedRollout, RolloutStatus

_OUT_OF_BUDGET = ("limitsexceeded", "timeout", "timelimit", "costlimit", "steplimit")
_MODEL_FAILS = ("contextwindow", "formaterror", "outputlength", "repeatedaction")
_NO_REPORT = "no grade: join a SWE-bench report with --report; without one their rollouts are missing"


def read_mini(source: Source) -> Iterator[LocatedRollout]:
    """The rollouts of a folder of mini-swe-agent: `preds.json` and `INSTANCE/INSTANCE.traj.json`.

    The label is `--label`, else the report's run_id, else the folder's name.

    Raises:
        InputError: A file has another layout.
        UsageError: The folder holds no trajectory, or the report cannot be told.
    """
    predictions = _predictions(Path(source.path) / "preds.json")
    run = grades_of(source)
    label = source.label or (run.run if run else Path(source.path).resolve().name)
    seen: set[str] = set()
    for file in _trajectories(source.path):
        instance = file.name.removesuffix(".traj.json")
        place, trajectory = Place(str(file)), load_object(file)
        info = part(place, trajectory, "info")
        stats = part(place, info, "model_stats")
        model = part(place, part(place, info, "config"), "model").get("model_name")
        agent = source.agent or _said(predictions.get(instance), "model_name_or_path") or _text_or_none(model)
        if agent is None:
            raise place.error(
                "names no model; say which agent this is with --agent", "info.config.model.model_name"
            )
        patch = info.get("submission") or _said(predictions.get(instance), "model_patch")
        ended = str(info.get("exit_status") or "")
        yield place.rollout(
            task=instance,
            agent=agent,
            rollout=label,
            cost_usd=number(place, stats, "instance_cost"),
            tool_calls=_commands(trajectory.get("messages")),
            patch=patch if isinstance(patch, str) else None,
            **_graded(source, place, run, instance, _mini_end(ended, patch)),
        )
        seen.add(instance)
    if not seen:
        raise UsageError(f"{source.path}: holds no INSTANCE.traj.json of mini-swe-agent; name the run's folder")
    for instance, row in predictions.items():
        if instance not in seen:
            source.note("predictions without a trajectory: their costs and calls are not known")
            place = Place(str(Path(source.path) / "preds.json"))
            yield place.rollout(
                task=instance,
                agent=source.agent or text(place, row, "model_name_or_path"),
                rollout=label,
                patch=_said(row, "model_patch"),
                **_graded(source, place, run, instance, None),
            )


def read_openhands(source: Source) -> Iterator[LocatedRollout]:
    """The rollouts of OpenHands' `output.jsonl`, of which one file is one rollout of each instance.

    An `attempt` is a retry that a critic asked for: it is not independent of the one before. A row is a whole
    chain of them; two rows of one instance are refused.

    Raises:
        InputError: A row has another layout, or is a second one of its instance.
        UsageError: The report cannot be told.
    """
    path = Path(source.path)
    file = path / "output.jsonl" if path.is_dir() else path
    run = grades_of(source)
    label = source.label or (run.run if run else file.resolve().parent.name)
    first: dict[str, int] = {}
    for row in read_rows(file):
        place, fields = Place(row.path, row.line), row.fields
        instance = text(place, fields, "instance_id")
        if instance in first:
            raise place.error(
                f"{instance} is on line {first[instance]} already: attempts that a critic asks for have seen what "
                "became of those before and are no independent rollouts; give the file with one row an instance, "
                "and independent runs as files of their own; `codejury explain passk` shows it",
                "attempt" if "attempt" in fields else "instance_id",
            )
        first[instance] = row.line
        if (number(place, fields, "attempt") or 1) > 1:
            source.note("chains of attempts: each counts as one rollout")
        patch = part(place, fields, "test_result").get("git_patch") or part(place, fields, "instance").get(
            "git_patch"
        )
        metadata = part(place, fields, "metadata")
        llm = part(place, metadata, "llm_config") or part(place, metadata, "llm")
        agent = source.agent or named(_text_or_none(metadata.get("agent_class")), _text_or_none(llm.get("model")))
        yield place.rollout(
            task=instance,
            agent=agent or "OpenHands",
            rollout=label,
            cost_usd=number(place, part(place, fields, "metrics"), "accumulated_cost"),
            tool_calls=_actions(fields.get("history")),
            patch=patch if isinstance(patch, str) else None,
            **_graded(source, place, run, instance, _openhands_end(place, fields, patch)),
        )


# ---- grades


def _graded(source: Source, place: Place, run: Run | None, instance: str, end: Grade | None) -> dict[str, Any]:
    """The report's grade; without one what the agent's end says, where it says that there is no answer."""
    grade = run.grades.get(instance) if run else None
    if grade is not None:
        ran_out = end is not None and end.status == "timeout" and grade.status in ("ok", "model_fail")
        return grade.fields() | ({"status": "timeout", "subtype": end.subtype} if ran_out and end else {})
    if end is not None:
        return end.fields()
    source.note("no grade in the report: their rollouts are missing" if run else _NO_REPORT)
    return Grade("missing", UNGRADED, None, place).fields()


def _mini_end(ended: str, patch: object) -> Grade | None:
    lowered = ended.lower()
    if any(name in lowered for name in _OUT_OF_BUDGET):
        return _end("timeout", ended)
    if any(name in lowered for name in _MODEL_FAILS):
        return _end("model_fail", ended)
    if lowered in ("", "submitted"):
        return None if patch else _end("model_fail", "empty_patch")
    return _end("infra", ended)


def _openhands_end(place: Place, fields: Mapping[str, Any], patch: object) -> Grade | None:
    report = part(place, part(place, fields, "test_result"), "report") or part(place, fields, "report")
    if report.get("error_eval"):
        return _end("infra", "error_eval")
    if report.get("test_timeout"):
        return _end("timeout", "test_timeout")
    if isinstance(report.get("resolved"), bool):
        failed = report.get("failed_apply_patch")
        return _end("model_fail", "patch_apply_failed") if failed else _end("ok", "", resolved=report["resolved"])
    if not fields.get("error"):
        return None if patch else _end("model_fail", "empty_patch")
    return _error_end(str(fields["error"]))


def _error_end(error: str) -> Grade:
    """An agent that ran out of budget or into a loop failed; any other error is of what is around it."""
    lowered = error.lower()
    if "iteration" in lowered or "timeout" in lowered or "timed out" in lowered or "budget" in lowered:
        return _end("timeout", "limit")
    if "stuck" in lowered or "loop" in lowered:
        return _end("model_fail", "stuck")
    return _end("infra", "error")


def _end(status: RolloutStatus, subtype: str, *, resolved: bool = False) -> Grade:
    return Grade(status, subtype, None if status == "infra" else resolved, Place(""))


# ---- what the agents did


def _trajectories(root: str) -> Iterator[Path]:
    """`INSTANCE/INSTANCE.traj.json`, in order."""
    place = Path(root)
    if not place.is_dir():
        raise UsageError(f"{root}: is no folder; name the one with preds.json")
    for folder in sorted(place.iterdir()):
        if folder.is_dir() and not folder.is_symlink():
            yield from files_below(str(folder), f"{folder.name}.traj.json")


def _predictions(file: Path) -> dict[str, dict[str, Any]]:
    if file.is_symlink() or not file.is_file():
        return {}
    return {key: as_object(row, str(file)) for key, row in load_object(file).items()}


def _said(row: Mapping[str, Any] | None, name: str) -> str | None:
    return None if row is None else _text_or_none(row.get(name))


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _commands(messages: object) -> int | None:
    """Commands of a trajectory: its calls of tools, or the actions that older versions take from the text."""
    if not isinstance(messages, list) or not messages:
        return None
    extras = [message.get("extra") for message in messages if isinstance(message, dict)]
    actions = [extra["actions"] for extra in extras if isinstance(extra, dict) and "actions" in extra]
    found = sum(len(some) for some in actions if isinstance(some, list))
    if found:
        return found
    if calls := calls_in(messages):
        return calls
    return sum(1 for message in messages if isinstance(message, dict) and message.get("role") == "assistant")


def _actions(history: object) -> int | None:
    """Events of the agent that did something: with an `action` that is no message, or a `tool_call`."""
    if not isinstance(history, list) or not history:
        return None
    idle = (None, "message", "system", "recall", "finish", "think", "null")
    events = [event for event in history if isinstance(event, dict)]
    acted = [event for event in events if event.get("source") == "agent" and event.get("action") not in idle]
    return len(acted) or sum(1 for event in events if event.get("kind") == "ActionEvent")
