"""Documents on a terminal: readable at 80 columns, without colour, and when piped into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import ConsoleOptions, RenderableType, RenderResult

    from codejury.model import Problem
    from codejury.report.document import Estimate, Interval, JudgeDocument, SetsCheckDocument, Slice
    from codejury.report.strength import SetsStrengthDocument, StrengthRow

_BAR = 30
_SHOWN = 10
_GOOD, _BAD, _NOTE = "green", "red", "yellow"


def printable(text: str) -> str:
    """`text` in one line without control characters: names and details may come from a candidate."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def judge_report(document: JudgeDocument) -> RenderableType:
    """A run's figures: what was judged, pass@k with both intervals and their meaning, verdicts, warnings."""
    parts: list[RenderableType] = [_heading(document), Text()]
    if document.pass_at_k:
        parts += [estimates_table(document.pass_at_k), _meaning(document.level), Text()]
    if document.pass_at_k_base:
        base = "Base tests alone, the set's further (plus) tests left out:"
        parts += [Text(base), estimates_table(document.pass_at_k_base), Text()]
    if document.weak is not None and document.weak.pass_at_k:
        apart = f"{_count(document.weak.problems, 'problem')} judged within the candidate's reach (weak), apart:"
        parts += [Text(apart), estimates_table(document.weak.pass_at_k), Text()]
    if document.by_difficulty:
        parts += [difficulty_table(document.by_difficulty), Text()]
    parts.append(tally_table(document.verdicts))
    parts += notes(document.warnings)
    return Group(*parts)


def sets_check_report(document: SetsCheckDocument) -> RenderableType:
    """Whether a set's references pass and its probes fail."""
    references = document.references
    table = plain_table()
    table.add_column("program")
    table.add_column("judged", justify="right")
    table.add_column("passed", justify="right")
    table.add_column("expected", justify="right")
    judged = references.passed + references.failed
    table.add_row("reference", str(judged), str(references.passed), str(judged))
    for name, probe in document.probes.items():
        table.add_row(Text(printable(name)), str(probe.judged), str(probe.passed), "0")
    verdict = Text("The set is sound.", _GOOD) if document.ok else Text("The set is not sound.", _BAD)
    name = printable(f"{document.problem_set.name} {document.problem_set.version}")
    rest = f"{_count(document.problems, 'problem')}, {references.absent} without reference, tier {document.tier}"
    heading = Text.assemble((name, "bold"), ": ", printable(rest))
    parts: list[RenderableType] = [heading, Text(), table, Text(), verdict]
    parts += [
        indented(_colons(failure.id, failure.program, failure.outcome, failure.detail), 2)
        for failure in document.failures[:_SHOWN]
    ]
    if len(document.failures) > _SHOWN:
        parts.append(Text(f"  and {len(document.failures) - _SHOWN} more"))
    parts += notes(document.warnings)
    return Group(*parts)


def sets_strength_report(document: SetsStrengthDocument) -> RenderableType:
    """How many mutants each problem's tests fail, and which they do not."""
    name = printable(f"{document.problem_set.name} {document.problem_set.version}")
    rest = (
        f"{_count(document.problems, 'problem')}, {len(document.unmutated)} without mutants, tier {document.tier}"
    )
    parts: list[RenderableType] = [Text.assemble((name, "bold"), ": ", printable(rest)), Text()]
    parts.append(_strength_table(document))
    if document.survivors:
        parts += [Text(), Text("Mutants that pass the tests:")]
    for survivor in document.survivors:
        parts += [indented(f"{survivor.id}, {survivor.mutant}", 2), indented(survivor.text, 6)]
    for title, lines in (
        ("Errors of the set:", [_colons(fault.id, fault.mutant, fault.detail) for fault in document.faults]),
        ("Without mutants:", [_colons(problem.id, problem.reason) for problem in document.unmutated]),
    ):
        if lines:
            parts += [Text(), Text(title), *(indented(line, 2) for line in lines)]
    if document.total.infra_errors:
        parts += notes([f"{_count(document.total.infra_errors, 'mutant')} could not be judged: judge again"])
    least = f"{100 * document.min_score:.4g} %"
    if document.ok:
        verdict = Text(f"Each problem's score is at least {least}.", _GOOD)
    elif document.below:
        verdict = Text(
            f"{_count(len(document.below), 'problem')} below {least}: {printable(', '.join(document.below))}", _BAD
        )
    else:
        verdict = Text("The set has errors." if document.faults else "Not all mutants are judged.", _BAD)
    return Group(*parts, Text(), verdict)


def indented(line: str, columns: int) -> Padding:
    """A line that stays indented where it is wrapped."""
    return Padding(Text(printable(line)), (0, 0, 0, columns), expand=False)


def _colons(*parts: str | None) -> str:
    return ": ".join(part for part in parts if part)


def _strength_table(document: SetsStrengthDocument) -> Table:
    """Mutants by problem, with a last row of all."""
    table = plain_table()
    table.add_column("problem", overflow="fold")
    for heading in ("mutants", "killed", "equivalent", "survivors", "score"):
        table.add_column(heading, justify="right")

    def add(name: str, row: StrengthRow, style: str = "") -> None:
        survivors = row.mutants - row.killed - row.equivalent - row.infra_errors
        cells = [str(number) for number in (row.mutants, row.killed, row.equivalent, survivors)]
        table.add_row(
            Text(printable(name)), *cells, "-" if row.score is None else _percent(row.score), style=style
        )

    for row in document.per_problem:
        add(row.id, row, _BAD if row.id in document.below else "")
    add("all", document.total, "bold")
    return table


def estimates_table(estimates: Mapping[str, Estimate]) -> Table:
    """pass@k by k, with both intervals, in percent."""
    table = plain_table()
    table.add_column("")
    table.add_column("value", justify="right", style="bold")
    for kind in ("fixed suite", "population"):
        table.add_column(kind, justify="right")
        table.add_column("method")
    for k, estimate in estimates.items():
        fixed, population = estimate.fixed_suite, estimate.population
        cells = (_interval(fixed), _method(fixed), _interval(population), _method(population))
        table.add_row(f"pass@{k}", _percent(estimate.value), *cells)
    return table


def difficulty_table(slices: Mapping[str, Slice]) -> Table:
    """pass@k by difficulty; with one k also the population's interval, as slices hold different problems."""
    table = plain_table()
    table.add_column("difficulty")
    table.add_column("problems", justify="right")
    table.add_column("samples", justify="right")
    ks = list(dict.fromkeys(k for part in slices.values() for k in part.pass_at_k))
    alone = len(ks) == 1  # intervals of several would not fit in 80 columns
    for k in ks:
        table.add_column(f"pass@{k}", justify="right", style="bold")
    if alone:
        table.add_column("population", justify="right")
    for name, part in slices.items():
        found = [part.pass_at_k.get(k) for k in ks]
        cells = [_percent(estimate.value) if estimate else "-" for estimate in found]
        if alone:
            cells.append(_interval(found[0].population if found[0] else None))
        table.add_row(Text(printable(name)), str(part.problems), str(part.samples), *cells)
    return table


def tally_table(verdicts: Mapping[str, int]) -> Table:
    """Samples by outcome, with their share as a bar."""
    table = plain_table()
    table.add_column("verdict")
    table.add_column("samples", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    total = sum(verdicts.values())
    for outcome, number in verdicts.items():
        style = _GOOD if outcome == "passed" else _NOTE if outcome == "infra_error" else _BAD
        table.add_row(Text(outcome), str(number), _percent(number / total), _Bar(number / total, style))
    return table


def problem_table(problems: Iterable[Problem]) -> Table:
    """Problems in a list: id, entry point, difficulty, tags, and whether there is a reference."""
    table = plain_table()
    table.add_column("problem", overflow="fold")
    table.add_column("entry point", overflow="fold")
    table.add_column("difficulty")
    table.add_column("reference")
    table.add_column("tags", overflow="fold")
    for problem in problems:
        cells = (
            problem.id,
            problem.entry_point,
            problem.difficulty or "",
            "yes" if problem.reference is not None else "no",
            ", ".join(problem.tags),
        )
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def plain_table() -> Table:
    """A table without a frame; only its heading is underlined."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)


class _Bar:
    """A bar of `share` of 30 characters; of ASCII where the terminal has no more."""

    def __init__(self, share: float, style: str) -> None:
        self.share, self.style = share, style

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        length = max(1, round(self.share * _BAR)) if self.share else 0
        yield Text(("#" if options.ascii_only else "█") * length, self.style)

    def __rich_measure__(self, _console: Console, _options: ConsoleOptions) -> Measurement:
        return Measurement(_BAR, _BAR)


def _heading(document: JudgeDocument) -> Text:
    problem_set, n, timing = document.problem_set, document.n, document.timing
    each = f"{n.min}" if n.min == n.max else f"{n.min} to {n.max}"
    judged = f"{document.judged} of {document.samples}" if document.partial else f"{document.samples}"
    problems = f"{_count(document.problems, 'problem')}, {each} samples each"
    if document.weak is not None and not document.problems:
        problems = f"{_count(document.weak.problems, 'problem')}, none judged out of the candidate's reach"
    lines = [
        f"{problem_set.name} {problem_set.version}: {problems}",
        f"{judged} samples judged ({document.programs} distinct programs), tier {document.tier or 'none'}",
    ]
    if timing.wall_s:
        lines.append(f"{timing.wall_s:.1f} s, {timing.samples_per_s:.0f} samples/s")
    rest = "".join(f"\n  {printable(line)}" for line in lines)
    return Text.assemble((f"Run {printable(document.run)}", "bold"), rest)


def _meaning(level: float) -> Text:
    return Text(
        f"\nEach value has two {100 * level:.4g} % intervals, in percent:\n"
        "  fixed suite: would a rerun on these problems differ?\n"
        "  population:  would other problems of this kind differ?",
        "dim",
    )


def notes(warnings: Sequence[str]) -> list[RenderableType]:
    """Warnings, each with its mark; nothing for none."""
    if not warnings:
        return []
    table = Table.grid(padding=(0, 1))
    for warning in warnings:
        table.add_row(Text("!", _NOTE), Text(printable(warning)))
    return [Text(), table]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _interval(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else "not known"


def _method(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return "binomial" if interval.method in ("wilson", "clopper-pearson") else interval.method


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
