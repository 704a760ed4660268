"""docs/cli.md names what the program has: commands, options, defaults, exit codes, settings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

from codejury.cli import main, settings
from codejury.model import CodejuryError, InfrastructureError, NotComparableError, UsageError
from codejury.report import schema_names

main.register()

TEXT = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def _commands(command: Any, path: str) -> dict[str, Any]:
    """The commands that do something, by what one types."""
    below = getattr(command, "commands", None)
    if not below:
        return {path: command}
    return {name: found for key, sub in below.items() for name, found in _commands(sub, f"{path} {key}").items()}


ROOT = typer.main.get_command(main.app)
COMMANDS = _commands(ROOT, "codejury")


def _section(title: str) -> str:
    _, _, rest = TEXT.partition(f"\n## {title}\n")
    return rest.partition("\n## ")[0]


def _rows(section: str) -> list[list[str]]:
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def _documented(name: str) -> dict[frozenset[str], str]:
    """The options of a command as documented, with their defaults."""
    rows = _rows(_section(name))
    return {frozenset(re.findall(r"(?<![\w-])(--?[a-z][\w-]*)", row[0])): row[1] for row in rows}


def _default(option: Any) -> str:
    """The default of an option in the page's words."""
    if option.required:
        return "required"
    if isinstance(option.show_default, str):
        return option.show_default
    if option.is_flag:
        return "off"
    if isinstance(option.default, str):
        return option.default
    return "none" if option.default is None else f"{option.default:g}"


def test_each_command_has_its_section() -> None:
    """The sections are the commands."""
    assert set(COMMANDS) == set(re.findall(r"^## (codejury [^.\n]+)$", TEXT, re.MULTILINE))


@pytest.mark.parametrize("name", COMMANDS)
def test_options_and_defaults_are_those_of_the_command(name: str) -> None:
    """A section's table has the command's options with their defaults, and no others."""
    options = [parameter for parameter in COMMANDS[name].params if parameter.param_type_name == "option"]
    expected = {frozenset((*option.opts, *option.secondary_opts)): _default(option) for option in options}
    assert expected == _documented(name)
    assert bool(options) != ("No options." in _section(name))


@pytest.mark.parametrize("name", COMMANDS)
def test_usage_line_has_the_arguments(name: str) -> None:
    """A section's usage line has the command's arguments."""
    arguments = [p.metavar for p in COMMANDS[name].params if p.param_type_name == "argument"]
    usage = next(line for line in _section(name).splitlines() if line.startswith("    codejury"))
    required = r"( --[a-z-]+ [A-Z0-9.][\w.]*)+$"
    assert " ".join((name, *arguments)) == re.sub(required, "", usage).strip()


def test_global_options() -> None:
    """The options that are no command's."""
    assert {"--version"} == {opt for parameter in ROOT.params for opt in parameter.opts}
    for option in ("--version", "--help", "-h"):
        assert f"`{option}`" in TEXT or f" {option}`" in TEXT


def test_exit_codes() -> None:
    """Every error's exit code is in the table."""
    codes = set(re.findall(r"\d+", " ".join(row[0] for row in _rows(_section("Exit codes")))))
    errors = (CodejuryError, UsageError, InfrastructureError, NotComparableError)
    assert {str(error.exit_code) for error in errors} | {"0", str(main.INTERRUPTED)} <= codes


def test_documents() -> None:
    """The documents that have a schema."""
    assert set(schema_names()) == set(re.findall(r"`([a-z-]+)`", _section("codejury schema")))


def test_example_of_settings_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's codejury.toml is read, and its values reach their commands."""
    example = _section("codejury.toml and the environment").split("```toml\n")[1].split("```")[0]
    (tmp_path / settings.CONFIG).write_text(example, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CODEJURY_SETS_CHECK_SLOTS", "3")
    found = settings.defaults(ROOT)
    table = tomllib.loads(example)
    assert table["judge"] | {"store": table["store"]} == found["judge"]
    assert {"slots": "3"} == found["sets"]["check"]
    assert {"store": table["store"]} == found["report"]
