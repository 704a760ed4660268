"""How runs in the store are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from codejury.pipeline.selection import described
from codejury.report.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.model import Manifest, SamplesInfo
    from codejury.pipeline import MergeResult
    from codejury.report import RunDocument, RunsDocument


def runs_table(document: RunsDocument) -> RenderableType:
    """Runs in a list, oldest first."""
    if not document.runs:
        return Text("no runs")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for heading in ("run", "set", "model", "temp."):
        table.add_column(heading, overflow="fold")
    for heading in ("samples", "judged", "pass@1"):
        table.add_column(heading, justify="right")
    table.add_column("created (UTC)")
    for row in document.runs:
        names = (row.run, row.problem_set.name, row.model or "-", row.temperature or "-")
        table.add_row(
            *(Text(printable(name)) for name in names),
            str(row.samples),
            str(row.judged),
            "-" if row.pass_at_1 is None else f"{100 * row.pass_at_1:.1f} %",
            row.created[:16].replace("T", " "),
        )
    return table


def run_view(document: RunDocument) -> RenderableType:
    """Everything of one run, a line each."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in (*_of_counts(document), *_of_manifest(document.manifest)):
        table.add_row(Text(name), Text(printable(value)))
    return table


def merge_report(result: MergeResult, document: RunDocument) -> RenderableType:
    """What was merged, whether the runs differ, and what is to be known."""
    row, manifest = document.run, document.manifest
    named = ", ".join(part.run for part in manifest.parts)
    parts = [Text(printable(f"Run {row.run}: {named}")), Text(f"  {row.problems} problems, {row.samples} samples")]
    if result.homogeneity is not None:
        for words, test in (
            ("over all problems: CMH chi-square", result.homogeneity.overall),
            ("on single problems: sum of chi-squares", result.homogeneity.scatter),
        ):
            parts.append(Text(f"  {words} {test.statistic:.2f}, df {test.df}, p = {test.p:.2g}"))
    parts += [Text(f"! {printable(note)}") for note in manifest.notes]
    return Group(*parts)


def _of_counts(document: RunDocument) -> Iterator[tuple[str, str]]:
    row = document.run
    yield "run", row.run
    yield "created", row.created
    yield "judged", f"{row.judged} of {row.samples} samples, {document.programs} distinct programs"
    yield "pass@1", "not known" if row.pass_at_1 is None else f"{100 * row.pass_at_1:.1f} %"
    yield "time", f"{document.timing.wall_s:.1f} s"


def _of_manifest(manifest: Manifest) -> Iterator[tuple[str, str]]:
    problem_set, selection = manifest.problem_set, manifest.selection
    source = f", from {problem_set.source}" if problem_set.source else ""
    yield "problem set", f"{problem_set.name} {problem_set.version}{source}"
    yield "  hash", problem_set.hash
    if selection is not None:
        yield "selection", f"{selection.chosen} of {selection.set_problems} problems: {described(selection)}"
        yield "  samples left out", str(selection.samples_left_out)
        yield "  hash of the set", selection.set_hash
    yield from _of_samples("samples", manifest.samples)
    for part in manifest.parts:
        yield from _of_samples(f"part {part.run}", part.samples)
    if manifest.missing:
        yield "missing", _joined(manifest.missing)
    if manifest.rules:
        yield "extraction", _joined(f"{rule} {number}" for rule, number in manifest.rules.items())
    for key, value in manifest.meta.items():
        yield f"meta {key}", value
    limits = msgspec.structs.asdict(manifest.limits)
    yield "limits", _joined(f"{name} {_plain(value)}" for name, value in limits.items())
    yield "tier", manifest.tier or "none"
    yield "all tests", "yes" if manifest.all_tests else "no"
    yield "confirmed", manifest.confirm
    if manifest.python is not None:
        yield "interpreter", f"{manifest.python.implementation} {manifest.python.version}"
    yield "packages", _joined(manifest.packages) or "none"
    yield "versions", f"judge {manifest.judge_version}, codejury {manifest.codejury_version}"
    if (machine := manifest.machine) is not None:
        yield "machine", f"{machine.system} {machine.kernel}, {machine.arch}, {machine.cpus} CPUs"
    for note in manifest.notes:
        yield "note", note


def _of_samples(title: str, samples: SamplesInfo) -> Iterator[tuple[str, str]]:
    yield title, f"{samples.count}{f' of {samples.file}' if samples.file else ''}"
    if samples.sha256:
        yield "  sha256", samples.sha256


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _joined(items: Iterable[str]) -> str:
    return ", ".join(items)
