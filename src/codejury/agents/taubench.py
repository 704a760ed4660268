"""tau-bench's and tau2-bench's results: a JSON list of trials, or an object with `simulations`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from codejury.agents.fields import Place, as_object, calls_in, load, named, number, part, rows, solved, text
from codejury.formats.jsonl import read_rows
from codejury.model import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from codejury.agents.fields import Source
    from codejury.model import LocatedRollout, RolloutStatus

_ENDS: dict[str, RolloutStatus] = {
    "user_stop": "ok",
    "agent_stop": "ok",
    "max_steps": "timeout",
    "timeout": "timeout",
    "too_many_errors": "model_fail",
    "agent_error": "model_fail",
    "context_window_exceeded": "model_fail",
    "user_error": "infra",
    "infrastructure_error": "infra",
    "unexpected_error": "infra",
}
"""tau2's `termination_reason`: a simulated user that breaks is no fault of the agent."""


def read(source: Source) -> Iterator[LocatedRollout]:
    """The trials of one file, or of a folder with tau2's `results.json`.

    tau-bench gives reward 0 to a trial that ended in an exception, with `info.error`: it is "infra" here.

    Raises:
        InputError: The file has another layout.
    """
    path = Path(source.path)
    if path.is_dir():
        path = path / "results.json"
    if _is_list(path):
        agent = source.agent or path.name.removesuffix(".gz").removesuffix(".json").split("_range_")[0]
        for row in read_rows(path):
            yield _trial(Place(row.path, row.line), row.fields, agent)
        return
    document = as_object(load(path), str(path))
    if "simulations" not in document:
        raise InputError("expected tau-bench's list of trials, or tau2's object with simulations", path=str(path))
    yield from _simulations(source, Place(str(path)), document)


def _is_list(path: Path) -> bool:
    if path.suffix == ".gz":
        return True
    try:
        with path.open("rb") as stream:
            return stream.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=str(path)) from None


def _trial(place: Place, fields: Mapping[str, Any], agent: str) -> LocatedRollout:
    reward = number(place, fields, "reward")
    status: RolloutStatus = "ok"
    subtype = ""
    if part(place, fields, "info").get("error"):
        status, subtype = "infra", "exception"
    elif reward is None:
        status, subtype = "missing", "no_reward"
    return place.rollout(
        task=text(place, fields, "task_id"),
        agent=agent,
        rollout=text(place, fields, "trial"),
        status=status,
        subtype=subtype,
        resolved=solved(reward) if status == "ok" and reward is not None else None,
        tool_calls=calls_in(fields.get("traj")),
    )


def _simulations(source: Source, place: Place, document: Mapping[str, Any]) -> Iterator[LocatedRollout]:
    info = part(place, part(place, document, "info"), "agent_info")
    agent = source.agent or named(info.get("implementation"), info.get("llm"))
    if agent is None:
        raise place.error("is missing; say which agent this is with --agent", "info.agent_info")
    for index, simulation in enumerate(rows(place, document, "simulations")):
        here = Place(f"{place.path}[simulations][{index}]")
        yield _simulation(here, as_object(simulation, here.path), agent)


def _simulation(place: Place, fields: Mapping[str, Any], agent: str) -> LocatedRollout:
    reason = text(place, fields, "termination_reason", "agent_stop")
    if reason not in _ENDS:
        raise place.error(f"is {reason!r}; known are {', '.join(_ENDS)}", "termination_reason")
    status, subtype = _ENDS[reason], "" if _ENDS[reason] == "ok" else reason
    reward = number(place, part(place, fields, "reward_info"), "reward")
    resolved = None if status == "infra" else reward is not None and solved(reward)
    if status == "ok" and reward is None:
        status, subtype, resolved = "missing", "no_reward", None
    messages = fields.get("messages")
    own = None
    if isinstance(messages, list):
        own = [each for each in messages if isinstance(each, dict) and each.get("role") == "assistant"]
    return place.rollout(
        task=text(place, fields, "task_id"),
        agent=agent,
        rollout=text(place, fields, "trial"),
        status=status,
        subtype=subtype,
        resolved=resolved,
        cost_usd=number(place, fields, "agent_cost"),
        latency_s=number(place, fields, "duration"),
        tool_calls=calls_in(own),
    )
