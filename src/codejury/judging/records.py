"""What a session is asked, what the judge says in it, and what it showed."""

from __future__ import annotations

from typing import Annotated

import msgspec

from codejury.model import Limits, Outcome, TestResult, Tests

Count = Annotated[int, msgspec.Meta(ge=-1, le=1 << 53)]
"""A number as a judge may say it: one that a float holds, since it may be hostile."""


class Edit(msgspec.Struct, frozen=True, array_like=True):
    """A change of the tests' source: in the text `part`, the characters from `start` to `end` become `text`."""

    part: int
    start: int
    end: int
    text: str


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a session needs.

    Attributes:
        source: The whole program.
        entry_point: The function that the tests call.
        tests: The tests.
        limits: Of this sample.
        all_tests: Run on after a failed test.
        apply: Carry changes of the arguments back into the tests.
        scan: Look for names by which the tests may act on values.
        skip: Positions of assertions to leave out, since they killed the candidate before.
        code: The tests as a former judge compiled them.
        expected: Outputs that the reference gave, where the tests do not say them: texts of the value protocol.
        objects: Whether the entry point may give objects that stay in the candidate: the problem is of a class.
        series: Samples of the same series may have the same judge, one after the other, while each passes and
            leaves nothing behind; None for a judge of its own.
        together: Run the tests in the candidate's own process.
        edit: A change of the tests to make: a control run.
        controls: Say which changes could be controls.
    """

    source: str
    entry_point: str
    tests: Tests
    limits: Limits
    all_tests: bool = False
    apply: bool = True
    scan: bool = False
    skip: tuple[int, ...] = ()
    code: str | None = None
    expected: tuple[str, ...] | None = None
    objects: bool = False
    series: str | None = None
    together: bool = False
    edit: Edit | None = None
    controls: bool = False


class Report(msgspec.Struct, frozen=True):
    """The judge's last word, as `judge.py` sends it."""

    outcome: str
    detail: str
    calls: Count
    finished: Count
    changed: bool
    line: Count
    killed: Count
    acting: str | None
    again: bool = False
    objects: bool = False


class Message(msgspec.Struct, frozen=True):
    """A frame of the judge."""

    tests: list[tuple[Count, str, Count]]
    end: Report | None = None
    code: str | None = None
    lasting: bool = False
    expected: tuple[str, ...] | None = None
    observing: str | None = None
    controls: tuple[Edit, ...] = ()


class Observation(msgspec.Struct, kw_only=True):
    """What one session showed.

    Attributes:
        outcome: Measured by the host where it can, else the judge's; None for a fault of the problem.
        detail: One line for people.
        tests: Results in order; `skipped` marks those that were left out.
        calls, finished, changed, acting, objects: See the judge's report.
        killed: Position of the assertion during which the candidate ended; -1 for none that can be left out.
        cpu_s, wall_s, peak_bytes: Measured by the host.
        all_cpu_s: CPU seconds of candidate and judge together.
        slowest_cpu_s: See `Timekeeper`.
        waited_s: Seconds in which the candidate could have run but had no processor; None where unknown.
        code: The tests as the judge compiled them, where it was asked to look at them.
        lasting: Whether a run of the tests leaves nothing behind, where the judge was asked to look at them.
        expected: Outputs, where they were recorded.
        observing: A name by which the tests may see more than values, where the judge was asked to look at them.
        controls: Changes of the tests that could be controls, where they were asked for.
    """

    outcome: Outcome | None
    detail: str
    tests: list[TestResult | None]
    calls: int = 0
    finished: int = 0
    changed: bool = False
    acting: str | None = None
    objects: bool = False
    killed: int = -1
    cpu_s: float = 0.0
    all_cpu_s: float = 0.0
    slowest_cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_bytes: int | None = None
    waited_s: float | None = None
    code: str | None = None
    lasting: bool = False
    expected: tuple[str, ...] | None = None
    observing: str | None = None
    controls: tuple[Edit, ...] = ()
