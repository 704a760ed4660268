"""The commands `gate` and `plan`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codejury.cli.common import check_writable, names_of, output
from codejury.cli.main import (
    GateMode,
    Inconclusive,
    JsonOption,
    QuietOption,
    StoreOption,
    WaiveOption,
    WeakOption,
    app,
)
from codejury.cli.settings import CONFIG, gate_tables
from codejury.model.errors import InputError, UsageError

if TYPE_CHECKING:
    from codejury.pipeline import GateRule
    from codejury.report import GateDocument


@app.command()
def gate(
    runs: Annotated[
        list[str], typer.Argument(help="Runs, or documents of judge: one of each problem set.", metavar="CURRENT")
    ],
    baseline: Annotated[
        list[str],
        typer.Option(help="A run, a document of judge, or branch:NAME; repeat it for sets.", metavar="BASE"),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="pass@K, pass^K, tokens, prompt_tokens, cost, latency; repeat it.", show_default="pass@1"
        ),
    ] = None,
    max_drop: Annotated[
        str | None, typer.Option(help="Tolerated drop of pass@K, pass^K.", show_default="0.01", metavar="SHARE")
    ] = None,
    max_rise: Annotated[
        str | None,
        typer.Option(help="Tolerated rise of the others, of the baseline.", show_default="0.1", metavar="SHARE"),
    ] = None,
    mode: Annotated[GateMode | None, typer.Option(help="How to decide.", show_default="regression")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="One-sided level.", show_default="0.05", metavar="SHARE")
    ] = None,
    slices: Annotated[
        list[str] | None,
        typer.Option("--slice", help="difficulty, tag, difficulty=NAME or tag=NAME; repeat it.", metavar="SLICE"),
    ] = None,
    on_inconclusive: Annotated[
        Inconclusive, typer.Option(help="Whether an inconclusive check fails (exit code 5).")
    ] = Inconclusive.FAIL,
    waive: WaiveOption = None,
    include_weak: WeakOption = False,
    markdown: Annotated[str | None, typer.Option(help="Write the result as Markdown.", metavar="FILE")] = None,
    junit: Annotated[str | None, typer.Option(help="Write the result as JUnit XML.", metavar="FILE")] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Annotations and step summary, as always in GitHub Actions.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Decide whether runs are worse than their baselines; exit code 1 if so, 5 if nobody can tell."""
    from codejury.pipeline import GateSettings
    from codejury.pipeline import gate as decide
    from codejury.report import write_json
    from codejury.report.gate_view import gate_report
    from codejury.store import Store

    settings = GateSettings(
        currents=tuple(runs),
        baselines=tuple(baseline),
        rules=_rules(metric, max_drop, max_rise, mode, alpha, slices),
        waive=tuple(waive or ()),
        on_inconclusive=on_inconclusive.value,
        include_weak=include_weak,
    )
    for name, path in (("--json", json), ("--markdown", markdown), ("--junit", junit)):
        check_writable(path, option=name)
    with Store.open(store, create=False) as opened:
        document = decide(opened, settings)
    if json is not None:
        write_json(document, json)
    _write(document, markdown, junit, github=github or os.environ.get("GITHUB_ACTIONS") == "true")
    if not quiet and json != "-":
        output(gate_report(document))
    if document.exit_code:
        raise typer.Exit(document.exit_code)


@app.command()
def plan(
    detect: Annotated[
        float, typer.Option(help="The drop of pass@1 to detect, as 0.02 for 2 points.", metavar="SHARE")
    ],
    problems: Annotated[str, typer.Option(help="Numbers of problems that there are.", metavar="N,N")] = "164",
    samples: Annotated[str, typer.Option(help="Numbers of samples of each, in each run.", metavar="N,N")] = "1,10",
    run: Annotated[
        str | None, typer.Option(help="Take the problems' chances from this run, or document of judge.")
    ] = None,
    mean: Annotated[float, typer.Option(help="Without a run: mean chance p of a right sample.")] = 0.5,
    spread: Annotated[float, typer.Option(help="Without a run: mean of p (1 - p).")] = 0.1,
    mode: Annotated[GateMode, typer.Option(help="How the gate decides.")] = GateMode.REGRESSION,
    max_drop: Annotated[str, typer.Option(help="Drop that the gate tolerates.", metavar="SHARE")] = "0.01",
    alpha: Annotated[float, typer.Option(help="One-sided level.", metavar="SHARE")] = 0.05,
    power: Annotated[float, typer.Option(help="Wanted chance of detecting it.", metavar="SHARE")] = 0.8,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Say how many problems and samples it takes to detect a drop, and what given ones detect."""
    from codejury.pipeline import PlanSettings
    from codejury.pipeline import plan as make_plan
    from codejury.report import write_json
    from codejury.report.plan_view import plan_report
    from codejury.stats import Mode
    from codejury.store import Store

    settings = PlanSettings(
        detect=detect,
        problems=_numbers("--problems", problems),
        samples=_numbers("--samples", samples),
        run=run,
        mean=mean,
        spread=spread,
        mode=Mode(mode.value),
        margin=max_drop,
        alpha=alpha,
        power=power,
    )
    check_writable(json)
    if run is None:
        document = make_plan(None, settings)
    else:
        with Store.open(store, create=False) as opened:
            document = make_plan(opened, settings)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(plan_report(document))


def _rules(
    metrics: list[str] | None,
    max_drop: str | None,
    max_rise: str | None,
    mode: GateMode | None,
    alpha: float | None,
    slices: list[str] | None,
) -> tuple[GateRule, ...]:
    """The rules of the options; without any of them those of codejury.toml, and without these the default."""
    import msgspec

    from codejury.pipeline import GateRule
    from codejury.stats import Mode

    if not any((metrics, max_drop, max_rise, mode, alpha, slices)) and (tables := gate_tables()):
        rules = []
        for number, table in enumerate(tables, 1):
            try:
                rules.append(msgspec.convert(table, GateRule))
            except msgspec.ValidationError as error:
                raise InputError(f"{error}", path=f"{CONFIG}: [[gate]] {number}") from None
        return tuple(rules)
    return tuple(
        GateRule(
            metric=one,
            max_drop=max_drop if one.startswith("pass") else None,
            max_rise=None if one.startswith("pass") else max_rise,
            mode=Mode((mode or GateMode.REGRESSION).value),
            alpha=0.05 if alpha is None else alpha,
            slice=part,
        )
        for one in metrics or ["pass@1"]
        for part in ("", *(slices or ()))
    )


def _write(document: GateDocument, markdown: str | None, junit: str | None, *, github: bool) -> None:
    from codejury.report import write_bytes
    from codejury.report.gate_view import gate_junit, gate_markdown, github_annotations

    if markdown is not None:
        write_bytes(gate_markdown(document).encode(), markdown)
    if junit is not None:
        write_bytes(gate_junit(document), junit)
    if not github:
        return
    # on standard error, which GitHub reads as well: standard output may be a document
    sys.stderr.write("".join(f"{line}\n" for line in github_annotations(document)))
    sys.stderr.flush()
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(gate_markdown(document))
        except OSError as error:
            raise UsageError(f"GITHUB_STEP_SUMMARY={summary}: {error.strerror or error}") from error


def _numbers(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(dict.fromkeys(int(part) for part in names_of(text)))
    except ValueError:
        raise UsageError(f"{option} {text!r}: take whole numbers with commas, as 1,10") from None
