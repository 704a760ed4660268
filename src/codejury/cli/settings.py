"""Defaults of options from `codejury.toml` and from the environment, which goes first.

In the file, an option stands in the table of its command, or above all tables for every command that has it:

    store = "runs.db"
    [judge]
    cpu = 3

In the environment, the same are `CODEJURY_STORE` and `CODEJURY_JUDGE_CPU`. What is set for a command goes before
what is set for all. Some options can be given on the command line alone.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from codejury.model.errors import UsageError

CONFIG = Path("codejury.toml")
PREFIX = "CODEJURY"
GATE = "gate"
SCORE, SCENARIOS = "score", "scenarios"
SPOKEN = frozenset(("unsafe",))
"""Options that nothing but the command line sets: who runs a command is to have asked for them."""


def gate_tables() -> list[dict[str, Any]]:
    """The tables `[[gate]]` of the file: the rules of `codejury gate`, which are no options.

    Raises:
        UsageError: The file is not TOML.
    """
    tables = _read().get(GATE, [])
    return [table for table in tables if isinstance(table, dict)] if isinstance(tables, list) else []


def scenario_tables() -> dict[str, Any]:
    """The tables `[score.scenarios.NAME]` of the file: weights of `codejury score`, which are no options.

    Raises:
        UsageError: The file is not TOML.
    """
    table = _read().get(SCORE)
    scenarios = table.get(SCENARIOS) if isinstance(table, dict) else None
    return scenarios if isinstance(scenarios, dict) else {}


def defaults(command: Any) -> dict[str, Any]:
    """Defaults of a command's options by parameter name; of a group, by command.

    Args:
        command: The root command, as click makes it.

    Raises:
        UsageError: The file is not TOML, or names a command or an option that there is not; the file or the
            environment sets an option of SPOKEN.
    """
    settings = _read()
    if isinstance(settings.get(GATE), list):
        del settings[GATE]
    score = settings.get(SCORE)
    if isinstance(score, dict) and isinstance(score.get(SCENARIOS), dict):
        del score[SCENARIOS]
    return _defaults(command, settings, {}, {}, CONFIG.name, PREFIX)


def _read() -> dict[str, Any]:
    if not CONFIG.is_file():
        return {}
    try:
        return tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{CONFIG}: {error}") from error


def _defaults(
    command: Any,
    settings: dict[str, Any],
    of_file: dict[str, Any],
    of_environment: dict[str, Any],
    place: str,
    prefix: str,
) -> dict[str, Any]:
    commands = getattr(command, "commands", {})
    options = _options(command)
    tables = {name: table for name, table in settings.items() if name in commands and isinstance(table, dict)}
    own = {name.replace("-", "_"): value for name, value in settings.items() if name not in tables}
    for name in own.keys() - options.keys():
        known = ", ".join(sorted((*commands, *options)))
        raise UsageError(f"{place}: {name!r} is no {'command or ' if commands else ''}option; known: {known}")
    of_file = of_file | own
    variables = {name: f"{prefix}_{name.upper()}" for name in options}
    of_environment = of_environment | {
        name: os.environ[variable] for name, variable in variables.items() if variable in os.environ
    }
    for name in SPOKEN & options.keys() & (own.keys() | of_environment.keys()):
        where = f"{place}: {name!r}" if name in own else f"environment: {variables[name]}"
        raise UsageError(f"{where} cannot be set there: give --{name} on the command line")
    if commands:
        return {
            name: _defaults(
                below,
                tables.get(name, {}),
                of_file,
                of_environment,
                f"{place} [{name}]",
                f"{prefix}_{name.upper()}",
            )
            for name, below in commands.items()
        }
    chosen = of_file | of_environment
    return {name: _value(chosen[name], option) for name, option in options.items() if name in chosen}


def _options(command: Any) -> dict[str, Any]:
    """The options of a command, or of all commands of a group, by parameter name."""
    if commands := getattr(command, "commands", None):
        return {name: option for below in commands.values() for name, option in _options(below).items()}
    return {parameter.name: parameter for parameter in command.params if parameter.param_type_name == "option"}


def _value(value: Any, option: Any) -> Any:
    return value.split() if option.multiple and isinstance(value, str) else value
