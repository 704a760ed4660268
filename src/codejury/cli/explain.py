"""The commands below `explain`: what a figure means, by examples.

`explain` is a group whose commands are topics. A form with texts, `explain A B`, can stand beside them: the group
then takes a first word that names no topic for a text, and gives all words to one more command. A file
that is named like a topic is written as ./passk.
"""

from __future__ import annotations

from typing import Annotated

import typer

from codejury.cli.common import check_writable, names_of, output
from codejury.cli.main import JsonOption, QuietOption, StoreOption, explain_app
from codejury.model.errors import UsageError


@explain_app.command("passk")
def explain_passk(
    n: Annotated[
        int | None, typer.Option("--n", help="Samples of a problem.", show_default="20, or the run's", metavar="N")
    ] = None,
    k: Annotated[int, typer.Option("--k", help="Samples that are asked about.", metavar="K")] = 10,
    c: Annotated[
        str | None,
        typer.Option("--c", help="Right samples, as 1,4.", show_default="a few", metavar="C,C"),
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="Take a run's counts, or those of a document of judge.", metavar="NAME")
    ] = None,
    abilities: Annotated[
        str | None,
        typer.Option(
            help="beta:A,B or chances.", show_default="the run's rates, or beta:0.5,0.5", metavar="CHANCES"
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="Simulated trials of each ability.", metavar="N")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the simulation.", metavar="N")] = 0,
    store: StoreOption = None,
    svg: Annotated[str | None, typer.Option(help="Write the picture as SVG.", metavar="FILE")] = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show three forms of pass@k side by side: their bias and variance, exact and simulated; and misuses."""
    from codejury.pipeline import ExplainSettings
    from codejury.pipeline import explain_passk as explain
    from codejury.report import write_bytes, write_json
    from codejury.report.explain_svg import passk_svg
    from codejury.report.explain_view import passk_report
    from codejury.store import Store

    settings = ExplainSettings(n=n, k=k, counts=_counts(c), run=run, abilities=abilities, trials=trials, seed=seed)
    for name, path in (("--json", json), ("--svg", svg)):
        check_writable(path, option=name)
    if "-" in (json, svg) and json == svg:
        raise UsageError("--json - and --svg -: standard output takes one of them")
    if run is None:
        document = explain(None, settings)
    else:
        with Store.open(store, create=False) as opened:
            document = explain(opened, settings)
    if json is not None:
        write_json(document, json)
    if svg is not None:
        write_bytes(passk_svg(document).encode(), svg)
    if not quiet and "-" not in (json, svg):
        output(passk_report(document))


def _counts(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        found = tuple(int(part) for part in names_of(text))
    except ValueError:
        found = ()
    if not found:
        raise UsageError(f"--c {text!r}: take whole numbers with commas, as 1,4")
    return found
