"""Harbor's job folders and terminal-bench's runs: a result of each trial in a folder of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codejury.agents.fields import (
    Place,
    as_object,
    calls_in,
    files_below,
    load_object,
    named,
    number,
    part,
    rows,
    seconds_between,
    solved,
    text,
    whole,
)
from codejury.model import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from codejury.agents.fields import Source
    from codejury.model import LocatedRollout, RolloutStatus

# Parts of an exception's name, in small letters, and whose fault it was; the first that fits counts.
_FAULTS: tuple[tuple[str, RolloutStatus], ...] = (
    ("agentsetuptimeout", "infra"),
    ("environmentstarttimeout", "infra"),
    ("agenttimeout", "timeout"),
    ("verifiertimeout", "timeout"),
    ("budget", "timeout"),
    ("nonzeroagentexitcode", "model_fail"),
    ("contextlength", "model_fail"),
    ("contextwindow", "model_fail"),
    ("outputlength", "model_fail"),
)

_FAILURES: dict[str, RolloutStatus] = {
    "none": "ok",
    "unset": "ok",
    "agent_timeout": "timeout",
    "test_timeout": "timeout",
    "context_length_exceeded": "model_fail",
    "output_length_exceeded": "model_fail",
    "fatal_llm_parse_error": "model_fail",
    "parse_error": "infra",
    "agent_installation_failed": "infra",
    "unknown_agent_error": "infra",
    "unknown": "infra",
}
"""terminal-bench's `failure_mode`; "parse_error" is of the grader, which could not read the tests' output."""


def read(source: Source) -> Iterator[LocatedRollout]:
    """The trials of Harbor below a folder, however many jobs it holds; a label is a trial's name.

    A reward that is not there is neither 0 nor left out: the rollout is missing, or as its exception says.

    Raises:
        InputError: A result has another layout, or rewards of which `--score` names none.
        UsageError: There is no trial.
    """
    trials = 0
    for file in files_below(source.path, "result.json"):
        result = load_object(file)
        if "trial_name" in result:  # a job's own result has none
            trials += 1
            yield _trial(source, file, result)
    if not trials:
        raise UsageError(f"{source.path}: holds no trial's result.json of Harbor; name the job's folder")


def _trial(source: Source, file: Path, result: Mapping[str, Any]) -> LocatedRollout:
    place = Place(str(file))
    info = part(place, result, "agent_info")
    model = part(place, info, "model_info").get("name")
    agent = source.agent or named(info.get("name"), model if isinstance(model, str) else None)
    if agent is None:
        raise place.error("is missing; say which agent this is with --agent", "agent_info.name")
    answer = part(place, result, "agent_result")
    counts = [whole(place, answer, name) for name in ("n_input_tokens", "n_output_tokens")]
    known = [count for count in counts if count is not None]
    latency = seconds_between(part(place, result, "agent_execution"), "started_at", "finished_at")
    return place.rollout(
        task=text(place, result, "task_name"),
        agent=agent,
        rollout=text(place, result, "trial_name"),
        cost_usd=number(place, answer, "cost_usd"),
        tokens=sum(known) if known else None,
        latency_s=latency if latency is not None else seconds_between(result, "started_at", "finished_at"),
        tool_calls=_tool_calls(source, file.parent / "agent"),
        **_outcome(source, place, result),
    )


def _outcome(source: Source, place: Place, result: Mapping[str, Any]) -> dict[str, Any]:
    exception = str(part(place, result, "exception_info").get("exception_type") or "")
    fault = _fault(exception)
    reward = _reward(source, place, part(place, part(place, result, "verifier_result"), "rewards"))
    if reward is not None:
        # the verifier has spoken; only a time-out is worth a status of its own
        status = "timeout" if fault == "timeout" else "ok"
        return {"status": status, "subtype": exception, "resolved": solved(reward)}
    if not exception:
        return {"status": "missing", "subtype": "no_reward", "resolved": None}
    return {"status": fault, "subtype": exception, "resolved": None if fault == "infra" else False}


def _fault(exception: str) -> RolloutStatus:
    lowered = exception.lower()
    return next((status for name, status in _FAULTS if name in lowered), "infra")


def _reward(source: Source, place: Place, rewards: Mapping[str, Any]) -> float | None:
    names = list(rewards)
    if source.score is not None:
        names = [name for name in names if name == source.score]
    elif "reward" in names:
        names = ["reward"]
    if len(names) > 1:
        raise place.error(
            f"has {', '.join(sorted(names))}: say which one tells success with --score", "verifier_result.rewards"
        )
    return number(place, rewards, names[0]) if names else None


def _tool_calls(source: Source, folder: Path) -> int | None:
    """Of the trajectory in the agent's folder; one that cannot be read leaves them unknown."""
    file = folder / "trajectory.json"
    if file.is_symlink() or not file.is_file():
        return None
    try:
        return calls_in(load_object(file).get("steps"))
    except InputError:
        source.note("trajectories that cannot be read: their calls of tools are not known")
        return None


def read_terminal(source: Source) -> Iterator[LocatedRollout]:
    """The trials of terminal-bench below a folder, however many runs it holds; a label is a trial's name.

    A trial's own `results.json` goes before the list in its run's `results.json`.

    Raises:
        InputError: A result has another layout.
        UsageError: There is no trial.
    """
    agents: dict[Path, str | None] = {}
    seen: set[tuple[str, str]] = set()
    lists: list[tuple[Path, list[Any]]] = []
    for file in files_below(source.path, "results.json"):
        result = load_object(file)
        if "trial_name" in result:
            seen.add((str(result.get("task_id")), str(result["trial_name"])))
            yield _terminal_trial(source, Place(str(file)), result, _terminal_agent(file.parent, agents))
        elif "results" in result:
            lists.append((file, rows(Place(str(file)), result, "results")))
    for file, trials in lists:
        for at, trial in enumerate(trials):
            place = Place(f"{file}[results][{at}]")
            fields = as_object(trial, place.path)
            key = (str(fields.get("task_id")), str(fields.get("trial_name")))
            if key not in seen:
                yield _terminal_trial(source, place, fields, _terminal_agent(file.parent, agents))
    if not seen and not any(trials for _, trials in lists):
        raise UsageError(f"{source.path}: holds no trial's results.json of terminal-bench; name the run's folder")


def _terminal_agent(folder: Path, known: dict[Path, str | None]) -> str | None:
    """Of the nearest `run_metadata.json`, in the folder or above it."""
    if folder not in known:
        file = folder / "run_metadata.json"
        if file.is_file() and not file.is_symlink():
            metadata = load_object(file)
            known[folder] = named(metadata.get("agent_name"), metadata.get("model_name"))
        else:
            known[folder] = None if folder.parent == folder else _terminal_agent(folder.parent, known)
    return known[folder]


def _terminal_trial(source: Source, place: Place, result: Mapping[str, Any], agent: str | None) -> LocatedRollout:
    agent = source.agent or agent
    if agent is None:
        raise place.error(
            "no run_metadata.json is in its folders; say which agent this is with --agent", "agent_name"
        )
    tests = part(place, result, "parser_results")
    counts = [whole(place, result, name) for name in ("total_input_tokens", "total_output_tokens")]
    latency = seconds_between(result, "agent_started_at", "agent_ended_at")
    return place.rollout(
        task=text(place, result, "task_id"),
        agent=agent,
        rollout=text(place, result, "trial_name"),
        tests_passed=sum(ended == "passed" for ended in tests.values()) if tests else None,
        tests_total=len(tests) or None,
        tokens=sum(count or 0 for count in counts) or None,
        latency_s=latency
        if latency is not None
        else seconds_between(result, "trial_started_at", "trial_ended_at"),
        **_terminal_outcome(place, result),
    )


def _terminal_outcome(place: Place, result: Mapping[str, Any]) -> dict[str, Any]:
    mode = text(place, result, "failure_mode", "unset")
    if mode not in _FAILURES:
        raise place.error(f"is {mode!r}; known are {', '.join(_FAILURES)}", "failure_mode")
    status, subtype, said = _FAILURES[mode], "" if mode in ("none", "unset") else mode, result.get("is_resolved")
    if said is not None and not isinstance(said, bool):
        raise place.error(f"is {said!r}; expected true, false or null", "is_resolved")
    if said:
        return {"status": "timeout" if status == "timeout" else "ok", "subtype": subtype, "resolved": True}
    if status == "ok" and said is None:
        return {"status": "missing", "subtype": "no_outcome", "resolved": None}
    return {"status": status, "subtype": subtype, "resolved": None if status == "infra" else False}
