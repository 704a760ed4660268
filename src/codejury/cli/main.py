"""The command `codejury`: what it knows, how its errors end."""

from __future__ import annotations

import os
import signal
import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from codejury import __version__
from codejury.model.errors import CodejuryError, UsageError

CONFIG = Path("codejury.toml")
INTERRUPTED = 130

app = typer.Typer(
    name="codejury",
    help="Judges code that models write: isolated execution, verdicts that resist forging, pass@k with intervals.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"auto_envvar_prefix": "CODEJURY", "help_option_names": ["-h", "--help"]},
)
sets_app = typer.Typer(
    no_args_is_help=True, help="Problem sets: what there is, one problem, whether a set is sound."
)
app.add_typer(sets_app, name="sets")

StoreOption = Annotated[
    str | None, typer.Option(help="Where runs are kept.", show_default=".codejury/runs.db", metavar="FILE")
]
JsonOption = Annotated[
    str | None, typer.Option("--json", help="Write the document there; - is standard output.", metavar="FILE")
]
KOption = Annotated[
    str | None,
    typer.Option("--k", help="The k of pass@k, as 1,10,100.", show_default="1, 10, 100 as far as n allows"),
]
SlotsOption = Annotated[
    int | None, typer.Option(min=1, help="Programs under way at once.", show_default="the usable cores")
]
PythonOption = Annotated[
    str | None,
    typer.Option(help="Interpreter or virtual environment for the programs.", show_default="codejury's own"),
]
PackagesOption = Annotated[
    str, typer.Option(help="Installed packages that programs may import, as numpy,scipy.", show_default="none")
]
CpuOption = Annotated[float, typer.Option(help="CPU seconds per test.")]
CpuTotalOption = Annotated[float, typer.Option(help="CPU seconds per sample.")]
MemoryOption = Annotated[int, typer.Option(help="MiB of memory per sample.", min=64)]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no tables.")]
LevelOption = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
DropShortOption = Annotated[
    bool,
    typer.Option("--drop-short", help="Leave out problems with fewer samples than the largest k, and say which."),
]


def _version(asked: bool) -> None:  # noqa: FBT001 - a callback's only argument
    if asked:
        typer.echo(f"codejury {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback acts
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.default_map = _settings()


def _settings() -> dict[str, Any]:
    """Defaults of options from codejury.toml in the current folder: one table for each command.

    Raises:
        UsageError: The file is not TOML, or names a command or an option that there is not.
    """
    if not CONFIG.is_file():
        return {}
    try:
        settings = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{CONFIG}: {error}") from error
    command = typer.main.get_command(app)
    _check_settings(settings, command, str(CONFIG))
    return settings


def _check_settings(settings: dict[str, Any], command: Any, place: str) -> None:
    commands = getattr(command, "commands", {})
    options = {parameter.name for parameter in command.params}
    for name, value in settings.items():
        if name in commands and isinstance(value, dict):
            _check_settings(value, commands[name], f"{place} [{name}]")
        elif name not in options or not commands == {}:
            known = ", ".join(sorted(commands or options - {None}))
            raise UsageError(f"{place}: {name!r} is no {'command' if commands else 'option'}; known: {known}")


def _interrupt(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGINT)


def main() -> None:
    """Run the command line; errors are one line on standard error, with their exit code."""
    from codejury.cli import commands  # noqa: F401, PLC0415 - registers the commands

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = app(standalone_mode=False)
    except CodejuryError as error:
        _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(INTERRUPTED)
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):  # the parser's own errors
            _fail(error.format_message(), error.exit_code)
        if type(error).__name__ == "Abort":
            _fail("interrupted", INTERRUPTED)
        raise
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split())
    sys.stderr.write(f"codejury: {line}\n")
    sys.exit(code)
