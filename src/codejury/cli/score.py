"""The command `score`."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated

import typer

from codejury.cli.common import check_writable, names_of, output
from codejury.cli.main import JsonOption, LevelOption, QuietOption, StoreOption, app
from codejury.cli.settings import CONFIG, scenario_tables
from codejury.model.errors import InputError

if TYPE_CHECKING:
    from codejury.metrics.composite import Scenario


class Truncate(enum.StrEnum):
    """Where a prediction can be cut."""

    LINE = "line"
    STATEMENT = "statement"
    BLOCK = "block"
    FUNCTION = "function"


class Unscored(enum.StrEnum):
    """What an unscored part of the composite does."""

    FAIL = "fail"
    DROP = "drop"
    ZERO = "zero"


@app.command()
def score(
    pairs: Annotated[
        str | None,
        typer.Argument(
            help="JSON lines, gzipped or not: {prefix, suffix, reference, prediction, language}.", metavar="PAIRS"
        ),
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="Score a run's programs against the references.", metavar="NAME")
    ] = None,
    problems: Annotated[
        str | None,
        typer.Option(help="PAIRS are samples of this set's problems: its name or a file.", metavar="SET"),
    ] = None,
    truncate: Annotated[
        Truncate | None, typer.Option(help="Cut predictions at the end of what they begin with or in.")
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            help="Metrics (metrics list), as edit.indel,ast.*; all for all of them.",
            show_default="the usual six",
            metavar="NAME,NAME",
        ),
    ] = "",
    preset: Annotated[
        list[str] | None,
        typer.Option(help="A peer's rules and their corrected forms; repeat it.", metavar="NAME"),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(help="Also one score of several: line, function, refactor, or of codejury.toml."),
    ] = None,
    unscored: Annotated[Unscored, typer.Option(help="What an unscored part of that score does.")] = Unscored.FAIL,
    language: Annotated[str | None, typer.Option(help="Of pairs that do not name one.", metavar="NAME")] = None,
    out: Annotated[
        str | None, typer.Option(help="Write each pair's scores there, as JSON lines.", metavar="FILE")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes.", show_default="the usable cores", metavar="N")
    ] = None,
    level: LevelOption = 0.95,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Score predictions against references: likeness of texts and trees, one by one and in one score."""
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import ScoreSettings
    from codejury.pipeline import score as run_score
    from codejury.report import write_json
    from codejury.report.score_view import score_report
    from codejury.store import Store

    settings = ScoreSettings(
        pairs=pairs,
        run=run,
        problems=problems,
        truncate=None if truncate is None else truncate.value,
        metrics=names_of(metrics),
        presets=tuple(preset or ()),
        scenario=scenario,
        scenarios=_scenarios(),
        policy=unscored.value,
        language=language,
        out=out,
        jobs=jobs,
        level=level,
    )
    for name, path in (("--json", json), ("--out", out)):
        check_writable(path, option=name)
    with TerminalProgress(quiet=quiet) as progress:
        if run is None:
            document = run_score(None, settings, progress)
        else:
            with Store.open(store, create=False) as opened:
                document = run_score(opened, settings, progress)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(score_report(document))


def _scenarios() -> dict[str, Scenario]:
    """The scenarios of codejury.toml; all are checked, also those that are not asked for."""
    import msgspec

    from codejury.metrics.composite import Scenario, check_scenario

    found: dict[str, Scenario] = {}
    for name, table in scenario_tables().items():
        place = f"{CONFIG}: [score.scenarios.{name}]"
        try:
            found[name] = msgspec.convert(table, Scenario)
        except msgspec.ValidationError as error:
            raise InputError(f"{error}", path=place) from None
        check_scenario(name, found[name], where=str(CONFIG))
    return found
