"""Documents of every source with one value changed at random: read, or refused in one line; nothing else."""

from __future__ import annotations

import copy
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from codejury.agents.fields import Source
from codejury.agents.importers import IMPORTERS
from codejury.agents.patches import scanned
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2, 1.5, float("nan"), float("inf"), 10**30, -(10**400)),
    *("", " ", "x", "C", "\ud800", "../..", "reward", [], [1], [[]], {}, {"a": 1}, [{"tool_calls": 3}]),
]
TRIALS = 150

TESTS = {
    "FAIL_TO_PASS": {"success": ["a"], "failure": []},
    "PASS_TO_PASS": {"success": ["b"], "failure": ["c"]},
}
REPORT = {
    "a": {"patch_exists": True, "patch_successfully_applied": True, "resolved": False, "tests_status": TESTS}
}
ROW = {
    "task": "t",
    "agent": "a",
    "rollout": 1,
    "resolved": True,
    "status": "ok",
    "subtype": "",
    "tests_passed": 2,
    "tests_total": 2,
    "regressions": 0,
    "cost_usd": 1,
    "tool_calls": 2,
    "latency_s": 1.5,
    "tokens": 5,
    "patch": "--- a/x.py\n+++ b/x.py\n@@ -0,0 +1 @@\n+eval(x)\n",
    "code": "x = 1",
    "security_score": 0.5,
    "difficulty": "easy",
    "tags": ["x"],
    "attempt": 1,
}
SAMPLE = {
    "id": "a",
    "epoch": 1,
    "scores": {"match": {"value": "C"}},
    "model_usage": {"m": {"total_tokens": 5}},
    "total_time": 1.0,
    "limit": None,
    "error": None,
    "messages": [{"tool_calls": [{}]}],
}
SPEC = {"eval_id": "E", "task": "ctf", "model": "m"}

LAYOUTS: dict[str, dict[str, Any]] = {
    "jsonl": {"rows.json": [ROW, ROW]},
    "codebench": {"rows.json": [ROW]},
    "swebench": {
        "logs/run_evaluation/r/m/a/report.json": REPORT,
        "m.r.json": {
            "resolved_ids": ["b"],
            "unresolved_ids": ["c"],
            "error_ids": ["d"],
            "infra_failure_ids": ["e"],
            "failure_reasons": {"d": "timeout"},
        },
        "preds.json": [{"instance_id": "b", "model_name_or_path": "m", "model_patch": "x"}],
    },
    "harbor": {
        "t/result.json": {
            "task_name": "t",
            "trial_name": "t__a",
            "agent_info": {"name": "a", "model_info": {"name": "m"}},
            "verifier_result": {"rewards": {"reward": 1.0}},
            "exception_info": {"exception_type": "AgentTimeoutError"},
            "agent_result": {"cost_usd": 1.0, "n_input_tokens": 3},
            "started_at": "2026-11-01T10:00:00",
            "finished_at": "2026-11-01T10:00:01",
        },
        "t/agent/trajectory.json": {"steps": [{"tool_calls": [{}]}]},
    },
    "terminal-bench": {
        "run_metadata.json": {"agent_name": "a", "model_name": "m"},
        "results.json": {
            "results": [
                {
                    "task_id": "t",
                    "trial_name": "t.1",
                    "is_resolved": True,
                    "failure_mode": "unset",
                    "parser_results": {"x": "passed"},
                    "total_input_tokens": 3,
                    "trial_started_at": "2026-11-01T10:00:00",
                }
            ]
        },
    },
    "inspect": {"log.json": {"status": "success", "eval": SPEC, "samples": [SAMPLE]}},
    "mini-swe-agent": {
        "preds.json": {"b": {"model_name_or_path": "m", "model_patch": "x"}},
        "a/a.traj.json": {
            "info": {
                "model_stats": {"instance_cost": 1.0},
                "exit_status": "Submitted",
                "submission": "x",
                "config": {"model": {"model_name": "m"}},
            },
            "messages": [{"role": "assistant", "extra": {"actions": [{}]}}],
        },
    },
    "openhands": {
        "output.jsonl": {
            "instance_id": "a",
            "attempt": 1,
            "test_result": {"git_patch": "x", "report": {"resolved": True}},
            "metadata": {"agent_class": "A", "llm_config": {"model": "m"}},
            "metrics": {"accumulated_cost": 1.0},
            "history": [{"source": "agent", "action": "run"}],
            "error": None,
        }
    },
    "tau-bench": {
        "results.json": {
            "info": {"agent_info": {"implementation": "a", "llm": "m"}},
            "simulations": [
                {
                    "task_id": "t",
                    "trial": 0,
                    "termination_reason": "user_stop",
                    "reward_info": {"reward": 1.0},
                    "agent_cost": 1.0,
                    "duration": 2.0,
                    "messages": [{"role": "assistant", "tool_calls": [{}]}],
                }
            ],
        }
    },
}


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _places(item, (*path, at))


def _changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    found = copy.deepcopy(document)
    within = found
    for key in path[:-1]:
        within = within[key]
    within[path[-1]] = value
    return found


def _write(folder: Path, layout: dict[str, Any]) -> Path:
    for name, content in layout.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content) + "\n")
    return folder / "rows.json" if "rows.json" in layout else folder


def _read(name: str, place: Path) -> int:
    return len([scanned(located) for located in IMPORTERS[name].read(Source(str(place)))])


@pytest.mark.parametrize("name", LAYOUTS)
def test_one_changed_value(name: str, tmp_path: Path) -> None:
    """Every value may be anything."""
    generator = random.Random(name)  # noqa: S311 - no secret
    layout = LAYOUTS[name]
    assert 0 < _read(name, _write(tmp_path, layout))
    for _ in range(TRIALS):
        file = generator.choice(list(layout))
        path = generator.choice(list(_places(layout[file])))
        value = generator.choice(VALUES)
        place = _write(tmp_path, layout | {file: _changed(layout[file], path, value)})
        try:
            _read(name, place)
        except UsageError as error:
            assert "\n" not in str(error), (path, value)  # noqa: PT017 - most are read
        except Exception as error:
            error.add_note(f"{file}, {path}, {value!r}")
            raise
