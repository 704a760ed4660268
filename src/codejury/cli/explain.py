"""The commands below `explain`: what a figure means, by examples, and how two texts differ.

`explain` is a group whose commands are topics. Words of which the first is no topic belong to `pair`, so that
`explain A B` is `explain pair A B`. A text or a file that is named like a topic is written with `pair` before it.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from codejury.cli.common import check_writable, names_of, output
from codejury.cli.main import JsonOption, QuietOption, StoreOption, explain_app
from codejury.model.errors import UsageError

PAIR = "pair"


class Topics(TyperGroup):
    """The group: without the name of a topic, its words are those of `pair`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # Any: its class moved between versions
        """Put the name of the command where it was left out."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [PAIR, *args]
        return super().parse_args(ctx, args)


@explain_app.callback(cls=Topics)
def _explain() -> None:
    pass


@explain_app.command(PAIR)
def explain_texts(
    a: Annotated[str, typer.Argument(help="A text or a file, in the place of a reference.", metavar="A")],
    b: Annotated[str, typer.Argument(help="A text or a file, in the place of a prediction.", metavar="B")],
    language: Annotated[
        str | None,
        typer.Option(help="Of both.", show_default="by the files' names, else python", metavar="NAME"),
    ] = None,
    prefix: Annotated[
        str, typer.Option(help="Text, or a file of it, before both.", show_default="none", metavar="TEXT")
    ] = "",
    suffix: Annotated[
        str, typer.Option(help="Text, or a file of it, after both.", show_default="none", metavar="TEXT")
    ] = "",
    text: Annotated[bool, typer.Option("--text", help="All are texts, even where there are such files.")] = False,
    html: Annotated[
        str | None, typer.Option(help="Write the page there; - is standard output.", metavar="FILE")
    ] = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show how A becomes B: edits, trees, every metric, and what they do not say. `pair` may be left out."""
    from codejury.pipeline.explain_pair import ExplainPairSettings, explain_pair
    from codejury.report import write_bytes, write_json
    from codejury.report.explain_pair_page import pair_page
    from codejury.report.explain_pair_view import pair_report

    settings = ExplainPairSettings(a=a, b=b, language=language, prefix=prefix, suffix=suffix, text=text)
    for name, path in (("--json", json), ("--html", html)):
        check_writable(path, option=name)
    if "-" in (json, html) and json == html:
        raise UsageError("--json - and --html -: standard output takes one of them")
    document = explain_pair(settings)
    if json is not None:
        write_json(document, json)
    if html is not None:
        write_bytes(pair_page(document).encode(), html)
    if not quiet and "-" not in (json, html):
        output(pair_report(document))


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
