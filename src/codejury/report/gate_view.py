"""A gate's document on a terminal, as Markdown, as JUnit XML, and as GitHub's annotations."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.comparison_view import detectable_text, p_text, points
from codejury.report.terminal import indented, notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from codejury.report.comparison import DetectableRow
    from codejury.report.gate import GateCheck, GateDocument, GatePair

_SHOWN = 10
_STYLES = {"pass": "green", "regression": "red", "inconclusive": "yellow"}
_SAID = {
    "pass": "The gate passes.",
    "regression": "The gate fails: a regression.",
    "inconclusive": "The gate is inconclusive.",
}


def gate_report(document: GateDocument) -> RenderableType:
    """What was compared, each check with its interval, chances and decision, flips, warnings, the decision."""
    parts: list[RenderableType] = [Text(printable(_pair_line(pair)), "bold") for pair in document.pairs]
    table = plain_table()
    table.add_column("check", overflow="fold")
    for heading in ("before", "now", "change", "bounds", "p"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for check in document.checks:
        table.add_row(
            Text(
                printable(f"{check.metric}, {check.set}") + (f"\n{printable(check.slice)}" if check.slice else "")
            ),
            *(figures := _figures(check))[:2],
            Text(figures[2], "bold"),
            *figures[3:],
            Text(check.decision, _STYLES[check.decision]),
        )
    parts += [Text(), table]
    for check in document.checks:
        parts += [Text(), Text(printable(check_name(check)), "bold")]
        parts += [indented(line, 2) for line in facts(check)]
    for name, ids in _flips(document):
        parts += [Text(), indented(f"{name}: {ids}", 0)]
    verdict = Text(verdict_line(document), _STYLES[document.decision])
    return Group(*parts, *notes(document.warnings), Text(), verdict)


def verdict_line(document: GateDocument) -> str:
    """The decision in words."""
    ends = document.decision == "inconclusive" and document.on_inconclusive == "pass"
    return _SAID[document.decision] + (" That passes here." if ends else "")


def check_name(check: GateCheck) -> str:
    """Metric, set and slice."""
    return f"{check.metric}, {check.set}" + (f", {check.slice}" if check.slice else "")


def facts(check: GateCheck) -> list[str]:
    """A check's rule, its chances and what it detects, a line each."""
    what = "rise" if check.rises else "drop"
    margin, level = _share(check.margin, check), f"{100 * check.alpha:g} %"
    rules = {
        "point": f"fails when the {what} is more than {margin}",
        "regression": f"fails when the {what} is more than {margin} and chance is excluded at {level}",
        "noninferiority": f"passes when a {what} of {margin} or more is excluded at {level}, fails when one of at "
        f"most {margin} is",
    }
    alarms = f"fails in {100 * check.false_alarms:.1f} of 100 cases when nothing has changed"
    holm = f", by Holm {p_text(check.p_holm)}" if check.p_holm != check.p else ""
    lines = [f"{check.mode}: {rules[check.mode]}"]
    lines.append(f"{check.problems} problems, bounds {check.method}, p {p_text(check.p)}{holm}")
    lines.append(alarms)
    return [*lines, *(f"detects with 80 %, {line}" for line in _detected(check.detectable))]


def gate_markdown(document: GateDocument) -> str:
    """For a step summary or a comment."""
    icon = {"pass": "✅", "regression": "❌", "inconclusive": "⚠️"}[document.decision]
    lines = [f"## {icon} {verdict_line(document)}", ""]
    lines += [f"{_md(_pair_line(pair))}  " for pair in document.pairs]
    lines += ["", "| check | before | now | change | bounds | p | false alarms | detects | decision |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |")
    for check in document.checks:
        detects = "; ".join(_detected(check.detectable))
        cells = (
            check_name(check),
            *_figures(check),
            f"{100 * check.false_alarms:.1f} %",
            detects,
            f"**{check.decision}**",
        )
        lines.append(f"| {' | '.join(_md(cell, bold=True) for cell in cells)} |")
    for name, ids in _flips(document):
        lines += ["", f"{name}: {_md(ids)}"]
    if document.warnings:
        lines += ["", *(f"- {_md(warning)}" for warning in document.warnings)]
    return "\n".join(lines) + "\n"


def gate_junit(document: GateDocument) -> bytes:
    """JUnit XML: a test case a check; an inconclusive one is a failure or skipped, as the gate says."""
    failing = {"regression"} | ({"inconclusive"} if document.on_inconclusive == "fail" else set())
    failures = sum(check.decision in failing for check in document.checks)
    skipped = sum(check.decision == "inconclusive" for check in document.checks if check.decision not in failing)
    suite = ET.Element(
        "testsuite",
        name="codejury gate",
        tests=str(len(document.checks)),
        failures=str(failures),
        errors="0",
        skipped=str(skipped),
    )
    for check in document.checks:
        name = check.metric + (f" {check.slice}" if check.slice else "")
        case = ET.SubElement(suite, "testcase", classname=printable(f"codejury.{check.set}"), name=printable(name))
        said = _line(check)
        if check.decision in failing:
            ET.SubElement(case, "failure", message=printable(said), type=check.decision)
        elif check.decision == "inconclusive":
            ET.SubElement(case, "skipped", message=printable(said))
        ET.SubElement(case, "system-out").text = "\n".join(printable(line) for line in (said, *facts(check)))
    ET.SubElement(suite, "system-out").text = "\n".join(
        printable(line)
        for line in (
            verdict_line(document),
            *(_pair_line(pair) for pair in document.pairs),
            *(f"{name}: {ids}" for name, ids in _flips(document)),
            *document.warnings,
        )
    )
    ET.indent(suite)
    body: bytes = ET.tostring(suite, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body + b"\n"


def github_annotations(document: GateDocument) -> list[str]:
    """Workflow commands: a notice, error or warning a check by its decision, and a warning for each warning."""
    kinds = {"pass": "notice", "regression": "error", "inconclusive": "warning"}
    found = [_command(kinds[check.decision], check_name(check), _line(check)) for check in document.checks]
    found += [_command("warning", "codejury gate", warning) for warning in document.warnings]
    return found


def _line(check: GateCheck) -> str:
    before, now, change, bounds, p = _figures(check)
    margin = _share(check.margin, check)
    return f"{check.decision}: {before} before, {now} now, {change} ({bounds}), p {p}, margin {margin}"


def _command(kind: str, title: str, text: str) -> str:
    escaped = printable(text).replace("%", "%25")
    name = printable(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{escaped}"


def _figures(check: GateCheck) -> tuple[str, str, str, str, str]:
    """Before, now, change, bounds, p."""
    before, now = (
        (f"{value:.4g}" if check.rises else f"{100 * value:.1f} %") for value in (check.baseline, check.current)
    )
    unit = " %" if check.rises else ""
    bounds = f"{points(check.low)} to {points(check.high)}{unit}"
    return before, now, f"{points(check.difference)}{unit}", bounds, p_text(check.p_holm)


def _share(margin: float, check: GateCheck) -> str:
    return f"{100 * margin:g} %" if check.rises else f"{100 * margin:g} point{'' if margin == 0.01 else 's'}"


def _detected(rows: Sequence[DetectableRow]) -> list[str]:
    if rows and rows[0].model == "normal":
        return [f"normal: a rise by {100 * row.effect:.1f} %" for row in rows if row.effect is not None]
    return detectable_text(rows)


def _pair_line(pair: GatePair) -> str:
    of = f"{pair.problem_set.name} {pair.problem_set.version}"
    return f"{pair.current} against {pair.baseline}: {of}, {pair.problems} common problems"


def _flips(document: GateDocument) -> Iterator[tuple[str, str]]:
    for name in ("lost", "gained"):
        ids = [one for pair in document.pairs for one in getattr(pair, name)]
        if ids:
            more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
            yield f"{name}, {len(ids)}", ", ".join(ids[:_SHOWN]) + more


def _md(text: str, *, bold: bool = False) -> str:
    """Text that Markdown takes for text; `**` stays where it is ours."""
    special = "\\`|<>[]_" if bold else "\\`|<>[]_*"
    return "".join(f"\\{char}" if char in special else char for char in printable(text))
