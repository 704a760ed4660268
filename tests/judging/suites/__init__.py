"""The attack suite and the honest suite for the judge, as plain data: nothing here runs a program.

`ATTACKS` are wrong answers, none of which may pass; a probe of the isolation answers rightly only where the wall
has a hole, so that `passed` means a hole. `HONEST` are right answers with odd habits, which all must pass.
`VACUOUS` are problems at fault, whose tests test nothing. `WEAK` are forged passes of tests that interpret a
value, which separation cannot stop: such a pass must not be called strong.

Most probes expect `wrong_answer` and nothing else, so that a probe that could not even look is noticed.

A runner judges `Case.program` by `Case.tests`, whose entry point is `f` and whose check is `check`, or by
`Case.inputs` where there are such, with `Case.reference` as the problem's reference, and compares the outcome with
`Case.expect`. The cases are written for one CPU second a test. Keep the order of the cases of class "leftover", on
one slot: each finder looks for what the case before it left.

| module | covers |
| --- | --- |
| `attacks_answers` | classes "answer" and "equal", point 7 |
| `attacks_ends` | classes "exit" and "patch", point 2 |
| `attacks_outcomes` | point 12, and the impostors of 13 |
| `attacks_values` | points 3, 4 and 5 |
| `attacks_objects` | objects of classes: points 3 and 7, classes "answer", "equal", "forge" |
| `attacks_judge` | points 1 and 10 |
| `attacks_forge`, `attacks_runtime` | class "forge", point 11 |
| `attacks_leak` | class "leak", point 6 |
| `attacks_escape` | class "escape", point 8 |
| `attacks_resource`, `attacks_processes` | class "resource", points 9 and 10 |
| `attacks_leftovers` | class "leftover", point 9 |
| `vacuous` | the problems of point 5 |
| `honest_values`, `honest_raising` | points 3, 4 and 13: values, arguments, exceptions |
| `honest_source`, `honest_modules` | point 13: source text, modules, threads, state |
| `honest_numbers`, `honest_texts`, `honest_system` | the standard library |
| `honest_objects` | point 13: classes |
| `attacks_inputs`, `attacks_inputs_force`, `honest_inputs` | tests that are calls, and rules of comparing |

Programs that are run as a whole have suites of their own, which `test_suites_stdio.py` judges: `attacks_stdio`,
`honest_stdio`, with the problems in `tasks_stdio`. They also cover point 14. So have programs in the process of
their tests, which `test_suites_inprocess.py` judges: `attacks_inprocess`, `honest_inprocess`; they cover point 16.
"""

from __future__ import annotations

from dataclasses import replace

from . import (
    attacks_answers,
    attacks_ends,
    attacks_escape,
    attacks_forge,
    attacks_inputs,
    attacks_inputs_force,
    attacks_judge,
    attacks_leak,
    attacks_leftovers,
    attacks_objects,
    attacks_outcomes,
    attacks_processes,
    attacks_resource,
    attacks_runtime,
    attacks_values,
    honest_inputs,
    honest_modules,
    honest_numbers,
    honest_objects,
    honest_raising,
    honest_source,
    honest_system,
    honest_texts,
    honest_values,
    vacuous,
)
from .case import FAILS, Case

# What only namespaces give: numbers of one's own for processes and users, and no sight of what may not be opened.
_NAMESPACES = (
    *("hole-not-process-1", "hole-parent-visible", "hole-become-root", "hole-low-uid"),
    *("sees-host-devices", "sees-container-sockets", "finds-process"),
)
_FILES = ("library-temporary-file", "library-named-temporary-file", "library-temporary-folder")
_NEEDS = {**dict.fromkeys(_NAMESPACES, "namespaces"), **dict.fromkeys(_FILES, "files")}
# A program that cannot begin what it is up to ends in another way.
_LANDLOCK = {"forks-and-leaves-a-daemon": FAILS}


def _by_tier(*cases: Case) -> tuple[Case, ...]:
    return tuple(
        replace(case, needs=_NEEDS.get(case.name, ""), landlock=_LANDLOCK.get(case.name)) for case in cases
    )


ATTACKS: tuple[Case, ...] = _by_tier(
    *attacks_answers.CASES,
    *attacks_ends.CASES,
    *attacks_outcomes.CASES,
    *attacks_values.CASES,
    *attacks_objects.CASES,
    *attacks_judge.CASES,
    *attacks_forge.CASES,
    *attacks_runtime.CASES,
    *attacks_leak.CASES,
    *attacks_escape.CASES,
    *attacks_resource.CASES,
    *attacks_processes.CASES,
    *attacks_inputs.CASES,
    *attacks_inputs_force.CASES,
    *attacks_leftovers.CASES,
)
HONEST: tuple[Case, ...] = _by_tier(
    *honest_values.CASES,
    *honest_raising.CASES,
    *honest_source.CASES,
    *honest_modules.CASES,
    *honest_numbers.CASES,
    *honest_texts.CASES,
    *honest_system.CASES,
    *honest_objects.CASES,
    *honest_inputs.CASES,
)
VACUOUS: tuple[Case, ...] = vacuous.CASES
WEAK: tuple[Case, ...] = attacks_judge.WEAK

__all__ = ["ATTACKS", "HONEST", "VACUOUS", "WEAK", "Case"]
