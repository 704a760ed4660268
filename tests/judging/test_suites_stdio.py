"""The suites of whole programs: as data, before plain Python, and before the real judge in both tiers."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import Outcome

if TYPE_CHECKING:
    from pathlib import Path

CONFTEST: Any = importlib.import_module("judging_conftest")
SUITES = CONFTEST.load_suites().__name__
ATTACKS = importlib.import_module(f"{SUITES}.attacks_stdio").CASES
HONEST = importlib.import_module(f"{SUITES}.honest_stdio").CASES

pytestmark = pytest.mark.slow  # half a minute each; the suite of functions stays


def _name(case: Any) -> str:
    return str(case.name)


@cache
def _judged(tier: str) -> Any:
    return asyncio.run(CONFTEST.judge_cases((*ATTACKS, *HONEST), slots=4, tier=tier))


def _verdict(case: Any, tier: str) -> Any:
    if case.needs and tier == "landlock":
        pytest.skip(f"tier {tier!r} has no {case.needs}")
    return _judged(tier)[case.name]


each_tier = pytest.mark.parametrize("tier", ["namespaces", "landlock"])


@pytest.mark.sandbox
@each_tier
@pytest.mark.parametrize("case", ATTACKS, ids=_name)
def test_attack_fails(case: Any, tier: str) -> None:
    """No attack passes, none becomes an infrastructure error, and each ends as its case expects."""
    judged = _verdict(case, tier)
    assert judged.verdict.outcome not in (Outcome.PASSED, Outcome.INFRA_ERROR), judged
    assert judged.verdict.outcome in case.expect, judged


@pytest.mark.sandbox
@each_tier
@pytest.mark.parametrize("case", HONEST, ids=_name)
def test_honest_program_passes(case: Any, tier: str) -> None:
    """A right program passes, however odd its habits."""
    judged = _verdict(case, tier)
    assert (Outcome.PASSED, Outcome.PASSED) == (judged.profile.outcome, judged.verdict.outcome), judged
    assert ("strong", tier) == (judged.verdict.integrity, judged.verdict.tier)


def test_suites_have_their_size() -> None:
    """They must not shrink unnoticed; names mean one case each, and no attack is a reference."""
    assert len(ATTACKS) >= 130
    assert len(HONEST) >= 100
    assert [] == [name for name, n in Counter(map(_name, (*ATTACKS, *HONEST))).items() if n > 1]
    assert [] == [case.name for case in ATTACKS if case.program.strip() == case.reference.strip()]
    assert not any(Outcome.PASSED in case.expect or Outcome.INFRA_ERROR in case.expect for case in ATTACKS)


@pytest.mark.slow
def test_honest_programs_are_right_plainly(tmp_path: Path) -> None:
    """Each honest program, and each reference, is right for plain Python: status 0, and the expected output."""
    checkers = importlib.import_module("checkers")
    programs = {(case.program, case.tests): case.name for case in HONEST}
    programs.update({(case.reference, case.tests): case.name for case in (*ATTACKS, *HONEST)})

    def failures(item: Any) -> list[Any]:
        (program, tests), name = item
        rules = {
            "kind": tests.checker.kind,
            "rel_tol": tests.checker.rel_tol,
            "abs_tol": tests.checker.abs_tol,
            "code": tests.checker.code,
        }
        right = checkers.checker(rules)
        found = []
        for place, case in enumerate(tests.cases):
            folder = tmp_path / f"{name}-{abs(hash(program))}-{place}"
            folder.mkdir()
            (folder / "main.py").write_text(program)
            done = subprocess.run(
                [sys.executable, "-X", "utf8", "main.py"],
                input=case.stdin.encode(),
                capture_output=True,
                cwd=folder,
                timeout=60,
                check=False,
            )
            wrong = right(case.stdin, case.stdout, done.stdout.decode())
            if done.returncode or wrong:
                found.append((name, done.returncode, wrong, done.stderr[-300:]))
        return found

    with ThreadPoolExecutor(2) as pool:
        assert [] == [failure for each in pool.map(failures, programs.items()) for failure in each]
