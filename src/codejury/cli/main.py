"""The command `codejury`: what it knows, how its errors end."""

from __future__ import annotations

import enum
import io
import os
import signal
import sys
import traceback
from typing import Annotated, NoReturn

import typer

from codejury._version import __version__
from codejury.cli.settings import defaults
from codejury.model.errors import CodejuryError, InfrastructureError, UsageError

INTERRUPTED = 130

app = typer.Typer(
    name="codejury",
    help="Judges code that models write: isolated execution, verdicts that resist forging, pass@k with intervals.",
    epilog=(
        "Options may also stand in codejury.toml (cpu = 3 in its table [judge]) and in the environment"
        " (CODEJURY_JUDGE_CPU=3), which goes before the file; the command line goes before both."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
sets_app = typer.Typer(
    no_args_is_help=True, help="Problem sets: what there is, one problem, whether a set is sound."
)
app.add_typer(sets_app, name="sets")
runs_app = typer.Typer(no_args_is_help=True, help="Runs in the store: list, show, delete, merge.")
app.add_typer(runs_app, name="runs")
explain_app = typer.Typer(no_args_is_help=True, help="What figures mean, by examples.")
app.add_typer(explain_app, name="explain")
metrics_app = typer.Typer(no_args_is_help=True, help="Metrics that compare a prediction with a reference.")
app.add_typer(metrics_app, name="metrics")

StoreOption = Annotated[
    str | None, typer.Option(help="Where runs are kept.", show_default=".codejury/runs.db", metavar="FILE")
]
ProblemsOption = Annotated[str, typer.Option(help="A problem set: its name (sets list) or a file.", metavar="SET")]
JsonOption = Annotated[
    str | None, typer.Option(help="Write the document there; - is standard output.", metavar="FILE")
]
SetArgument = Annotated[str, typer.Argument(help="A problem set: its name or a file.", metavar="SET")]
LimitOption = Annotated[
    int | None, typer.Option(min=1, help="The first N problems of what is chosen otherwise.", metavar="N")
]
IdsOption = Annotated[str | None, typer.Option(help="These problems; @FILE has one id a line.", metavar="ID,ID")]
TagsOption = Annotated[str | None, typer.Option(help="Problems with any of these tags.", metavar="TAG,TAG")]
DifficultyOption = Annotated[
    str | None, typer.Option(help="Problems with any of these difficulties.", metavar="NAME,NAME")
]
SinceOption = Annotated[
    str | None, typer.Option(help="Problems that were made on this day or later.", metavar="DAY")
]
UntilOption = Annotated[
    str | None, typer.Option(help="Problems that were made on this day or before.", metavar="DAY")
]
ShardOption = Annotated[
    str | None, typer.Option(help="The i-th of N parts of the chosen problems.", metavar="i/N")
]
KOption = Annotated[
    str | None,
    typer.Option(help="The k of pass@k, as 1,10,100.", show_default="1, 10, 100 as far as n allows"),
]
SlotsOption = Annotated[
    int | None,
    typer.Option(min=1, help="Programs under way at once.", show_default="the usable cores", metavar="N"),
]
PythonOption = Annotated[
    str | None,
    typer.Option(help="Interpreter or virtual environment for the programs.", show_default="codejury's own"),
]
PackagesOption = Annotated[
    str, typer.Option(help="Installed packages that programs may import, as numpy,scipy.", show_default="none")
]


class Tier(enum.StrEnum):
    """Isolation tiers that can be asked for."""

    AUTO = "auto"
    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    CONTAINER = "container"


class ContainerCommand(enum.StrEnum):
    """Commands that start containers."""

    AUTO = "auto"
    DOCKER = "docker"
    PODMAN = "podman"


class GateMode(enum.StrEnum):
    """How a gate decides."""

    POINT = "point"
    REGRESSION = "regression"
    NONINFERIORITY = "noninferiority"


class Inconclusive(enum.StrEnum):
    """What an inconclusive check does."""

    FAIL = "fail"
    PASS = "pass"  # noqa: S105 - no password


TierOption = Annotated[Tier, typer.Option(help="Isolation; auto is the strongest that this machine gives.")]
ImageOption = Annotated[
    str | None, typer.Option(help="For --tier container: the image.", show_default="codejury", metavar="IMAGE")
]
EngineOption = Annotated[
    ContainerCommand, typer.Option(help="For --tier container: auto is the first that answers and has the image.")
]
RuntimeOption = Annotated[
    str | None,
    typer.Option(
        help="For --tier container: OCI runtime, as runsc.", show_default="the engine's own", metavar="NAME"
    ),
]
UnsafeOption = Annotated[
    bool, typer.Option("--unsafe", help="No isolation: programs can do all that you can; verdicts are weak.")
]
CpuOption = Annotated[float, typer.Option(help="CPU seconds per test.", metavar="SECONDS")]
CpuTotalOption = Annotated[float, typer.Option(help="CPU seconds per sample.", metavar="SECONDS")]
MemoryOption = Annotated[int, typer.Option(help="Memory per sample.", min=64, metavar="MIB")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no tables.")]
LevelOption = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
DropShortOption = Annotated[
    bool,
    typer.Option("--drop-short", help="Leave out problems with fewer samples than the largest k, and say which."),
]

WaiveOption = Annotated[
    list[str] | None,
    typer.Option(help="Compare although this condition differs; repeat it.", metavar="CONDITION"),
]
WeakOption = Annotated[
    bool, typer.Option("--include-weak", help="Keep problems whose verdicts are weak; the result says so.")
]


def _version(asked: bool) -> None:
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
    context.default_map = defaults(context.command)


class InterruptedRunError(CodejuryError):
    """The user broke a run off; says what is kept."""

    exit_code = INTERRUPTED


def register() -> None:
    """Import the modules of all commands: each registers its own."""
    from codejury.cli import (  # noqa: F401 - for what importing them does
        commands,
        compare,
        convert,
        doctor,
        explain,
        gates,
        generate,
        metrics,
        rollouts,
        rollouts_compare,
        run,
        runs,
        score,
        sets,
        study,
    )


def main() -> None:
    """Run the command line; errors are one line on standard error, with their exit code."""
    # Also where a shell started us with SIGINT ignored, as in the background: SIGTERM takes the same way.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # texts of models hold what a terminal may not be able to show
            stream.reconfigure(errors="backslashreplace")
    try:
        register()
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except CodejuryError as error:
        _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has enough. Typer and rich end with exit code 1 then, which is a verdict here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except Exception as error:  # noqa: BLE001 - the last one who can tell the user
        _fail_otherwise(error)
    if code == INTERRUPTED:  # typer ends so, without a word; older ones raise Abort
        _fail("interrupted", INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _fail_otherwise(error: Exception) -> NoReturn:
    """End with an error of the command line's parser, which is none of ours by its class, or of the program."""
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{error}\n")
        sys.exit(UsageError.exit_code)
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        _fail(error.format_message(), error.exit_code)
    if type(error).__name__ == "Abort":
        _fail("interrupted", INTERRUPTED)
    traceback.print_exception(error)
    _fail("this is a mistake in codejury: please report it with the lines above", InfrastructureError.exit_code)


def _fail(message: str, code: int) -> NoReturn:
    """Say the last word; whoever is impatient cannot turn it into a traceback any more."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    line = " ".join(message.split())
    line = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)
    if line:
        sys.stderr.write(f"codejury: {line}\n")
    sys.exit(code)
