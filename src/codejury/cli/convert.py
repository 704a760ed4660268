"""The command `convert`: samples, problems and results from one format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from codejury.cli.main import QuietOption, StoreOption, app
from codejury.model.errors import UsageError


@app.command()
def convert(
    paths: Annotated[
        list[str],
        typer.Argument(help="What to read, a file, folder or set, and what to write.", metavar="[IN] OUT"),
    ],
    to: Annotated[
        str,
        typer.Option(
            help="codejury, humaneval, evalplus, folder, bigcode, bigcodebench, livecodebench, multiple or chat;"
            " of a run humaneval-results, evalplus-results, bigcode-results, bigcodebench-results or"
            " multiple-results.",
            metavar="FORMAT",
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="codejury, humaneval, bigcode, livecodebench, multiple, lm-eval or chat.",
            show_default="as the first row tells",
            metavar="FORMAT",
        ),
    ] = None,
    problems: Annotated[
        str | None, typer.Option(help="The problem set that samples answer: its name or a file.", metavar="SET")
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="Write this run's results; takes OUT alone.", metavar="NAME")
    ] = None,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Write although something is lost; it is said what.")
    ] = False,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="Keep empty answers.")] = False,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Convert samples, problems, or a run's results, to another format; refuse to lose anything unasked."""
    from codejury.pipeline import ConvertSettings, write_results
    from codejury.pipeline import convert as run_convert
    from codejury.store import Store

    def say(line: str) -> None:
        typer.echo(f"codejury: {line}", err=True)

    if run is not None:
        if len(paths) != 1 or source is not None or problems is not None:
            raise UsageError("--run NAME writes a run's results: name OUT alone, without --from and --problems")
        with Store.open(store, create=False) as opened:
            done = write_results(opened, run, paths[0], to, lossy=lossy, say=say)
    else:
        if len(paths) != 2:
            raise UsageError("name what to read and what to write: codejury convert IN OUT --to FORMAT")
        settings = ConvertSettings(
            source=paths[0],
            target=paths[1],
            to=to,
            origin=source,
            problems=problems,
            lossy=lossy,
            allow_empty=allow_empty,
        )
        done = run_convert(settings, say)
    if not quiet:
        for note in done.notes:
            say(note)
        typer.echo(f"Wrote {done.count} {done.noun} to {paths[-1]}.", err=True)
