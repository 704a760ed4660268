"""The document of `doctor`: which layers of isolation a machine gives, and which tier that makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
from rich.console import Group
from rich.text import Text

from codejury.report.terminal import indented, plain_table, printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


class LayerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One layer.

    Attributes:
        layer: Its name.
        given: Whether the machine gives it.
        detail: What it is here, or what the kernel said.
        advice: What to do where it is missing; empty where it is not.
    """

    layer: str
    given: bool
    detail: str
    advice: str = ""


class TierRow(msgspec.Struct, frozen=True, kw_only=True):
    """One tier, as it was tried with programs of codejury's own.

    Attributes:
        tier: Its name.
        works: Whether a right program passed, a wrong one failed, and a spy saw nothing.
        detail: What was seen, or why it cannot be had.
    """

    tier: str
    works: bool
    detail: str


class EngineRow(msgspec.Struct, frozen=True, kw_only=True):
    """One container engine, for tier "container".

    Attributes:
        engine: Its command.
        answers: Whether it does.
        detail: Its version and whether it has the image, or why it does not answer.
    """

    engine: str
    answers: bool
    detail: str


class PartRow(msgspec.Struct, frozen=True, kw_only=True):
    """A part of codejury that needs more than the base installation.

    Attributes:
        part: What it is for.
        given: Whether it is there.
        detail: What it is here, or how to have it.
    """

    part: str
    given: bool
    detail: str


class DoctorDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `doctor` found.

    Attributes:
        schema: Name and version of this document.
        system: "Linux".
        kernel: Release of the kernel.
        arch: "x86_64", "aarch64".
        user: "root" or "ordinary user".
        container: Kind of container, where one is known.
        python: The interpreter that would run programs.
        layers: Each layer of isolation.
        tiers: Each tier, strongest first.
        tier: The tier that `judge` will use; null if there is none.
        engines: Container engines, which `judge` uses where it is told to.
        parts: What needs more than the base installation.
    """

    schema: Literal["doctor/1"] = "doctor/1"
    system: str
    kernel: str
    arch: str
    user: str
    container: str | None
    python: str
    layers: list[LayerRow]
    tiers: list[TierRow]
    tier: str | None
    engines: list[EngineRow] = []
    parts: list[PartRow] = []


def doctor_report(document: DoctorDocument) -> RenderableType:
    """Layers, tiers, what to do, and what `judge` will do."""
    where = f" in {document.container}" if document.container else ""
    heading = f"{document.system} {document.kernel}, {document.arch}{where}, {document.user}, {document.python}"
    parts: list[RenderableType] = [Text(printable(heading), "bold"), Text()]
    for table in _tables(document):
        parts += [table, Text()]
    said: dict[str, list[str]] = {}
    for row in document.layers:
        if row.advice:
            said.setdefault(row.advice, []).append(row.layer)
    for text, names in said.items():
        parts.append(indented(f"{', '.join(names)}: {text}", 2))
    if said:
        parts.append(Text())
    if document.tier is None:
        parts.append(Text("judge will refuse: no tier isolates programs here.", "red"))
    else:
        parts.append(Text(f"judge will use tier {document.tier!r}.", "green"))
    return Group(*parts)


def _tables(document: DoctorDocument) -> list[Table]:
    """What there is, by kind; a kind without rows has no table."""
    kinds: list[tuple[str, str, list[tuple[str, bool, str]]]] = [
        ("layer", "what it is here", [(row.layer, row.given, row.detail) for row in document.layers]),
        (
            "tier",
            "tried with right, wrong and spying programs",
            [(row.tier, row.works, row.detail) for row in document.tiers],
        ),
        ("engine", "for --tier container", [(row.engine, row.answers, row.detail) for row in document.engines]),
        ("part", "beside judging", [(row.part, row.given, row.detail) for row in document.parts]),
    ]
    tables = []
    for first, last, rows in kinds:
        if rows:
            table = _table(first, last)
            for name, good, detail in rows:
                table.add_row(name, _mark(good=good), Text(printable(detail)))
            tables.append(table)
    return tables


def _table(first: str, last: str) -> Table:
    table = plain_table()
    table.add_column(first)
    table.add_column("")
    table.add_column(last, overflow="fold")
    return table


def _mark(*, good: bool) -> Text:
    return Text("ok", "green") if good else Text("missing", "yellow")
