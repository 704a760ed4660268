"""Candidates whose zygote has imported the run's packages: faster, and the same verdicts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from codejury.judging import ROLES, Slot, judge, profile
from codejury.judging.lanes import _imports
from codejury.model import Assertions, Limits, Outcome, Problem, TierUnavailable
from codejury.sandbox import Sandbox, Settings, describe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from codejury.model import Verdict

    Judging = Callable[..., Awaitable[list[Verdict]]]

LIMITS = Limits(cpu_s=2.0, cpu_total_s=6.0)
PACKAGES = {
    "quick": "import time\nSTAMP = time.monotonic_ns()\n",
    "threaded": "import threading, time\nSTAMP = time.monotonic_ns()\n"
    "threading.Thread(target=threading.Event().wait, daemon=True).start()\n",
    "forking": "import os, time\nSTAMP = time.monotonic_ns()\n"
    "if os.fork() == 0:\n    time.sleep(1)\n    os._exit(0)\n",
    "broken": "raise ImportError('not today')\n",
    "leaving": "import os\nos._exit(0)\n",
    "numpy": "class random:\n    seeded = []\n    seed = seeded.append\n",
}
"""Installed packages of ours, by name."""

PROBLEM = Problem(
    id="p",
    prompt="",
    entry_point="f",
    reference="def f(x):\n    return x + 1\n",
    tests=Assertions(code=("assert f(1) == 2",)),
)


@pytest.fixture(name="verdicts", params=["namespaces", "landlock"])
def fixture_verdicts(tmp_path: Path, request: pytest.FixtureRequest) -> Judging:
    """Judges programs that may import the packages above, in each tier that this machine gives."""
    tmp_path.chmod(0o755)
    for name, source in PACKAGES.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(source)
    interpreter = msgspec.structs.replace(describe(), packages=(str(tmp_path),))

    async def verdicts(*sources: str) -> list[Verdict]:
        settings = Settings(interpreter=interpreter, limits=LIMITS, packages=tuple(PACKAGES), tier=request.param)
        sandbox = Sandbox(settings, ROLES)
        try:
            await sandbox.__aenter__()
        except TierUnavailable as error:
            pytest.skip(str(error))
        slot = Slot(sandbox, LIMITS)
        try:
            reference = await profile(slot, PROBLEM, LIMITS)
            return [(await judge(slot, PROBLEM, source, LIMITS, reference)).verdict for source in sources]
        finally:
            slot.close()
            await sandbox.__aexit__()

    return verdicts


def stamp(module: str, number: int) -> str:
    """A program that tells when its package was imported."""
    return f"import {module}\ndef f(x):\n    raise ValueError({module}.STAMP)  # {number}\n"


def stamps(verdicts: list[Verdict]) -> list[str]:
    """The stamps that programs told."""
    found = [re.search(r"ValueError: (\d+)", verdict.detail) for verdict in verdicts]
    assert None not in found, [verdict.detail for verdict in verdicts]
    return [match[1] for match in found if match]


@pytest.mark.sandbox
async def test_packages_are_imported_once_for_all(verdicts: Judging) -> None:
    """Where nothing speaks against it; with threads or processes of its own, each program imports its own."""
    sources = [stamp(module, number) for module in ("quick", "threaded", "forking") for number in (1, 2)]
    seen = await verdicts(*sources)
    quick, threaded = stamps(seen[:2]), stamps(seen[2:4])
    assert quick[0] == quick[1]
    assert threaded[0] != threaded[1]
    if seen[0].tier == "landlock":  # where no program may fork
        assert {"while loading: PermissionError: [Errno 1] Operation not permitted"} == {
            verdict.detail for verdict in seen[4:]
        }
    else:
        forking = stamps(seen[4:])
        assert forking[0] != forking[1]


@pytest.mark.sandbox
async def test_a_package_that_fails_fails_in_the_program(verdicts: Judging) -> None:
    """As it would without codejury; others are imported all the same."""
    programs = (
        "import broken\ndef f(x):\n    return x + 1\n",
        "import leaving\ndef f(x):\n    return x + 1\n",
        (
            "try:\n    import broken\nexcept ImportError as error:\n    text = str(error)\n"
            "def f(x):\n    return x + 1 if text == 'not today' else None\n"
        ),
        "def f(x):\n    import quick\n    return x + 1\n",
        "import missing\ndef f(x):\n    return x + 1\n",
    )
    seen = await verdicts(*programs)
    expected = [Outcome.EXCEPTION, Outcome.EARLY_EXIT, Outcome.PASSED, Outcome.PASSED, Outcome.EXCEPTION]
    assert expected == [verdict.outcome for verdict in seen]
    assert "not today" in seen[0].detail
    assert {"strong"} == {verdict.integrity for verdict in seen}


@pytest.mark.sandbox
async def test_random_state_is_fixed(verdicts: Judging) -> None:
    """That of numpy is seeded once, in the zygote, as that of `random` is."""
    source = "import numpy\ndef f(x):\n    return x + 1 if numpy.random.seeded == [0] else numpy.random.seeded\n"
    (seen,) = await verdicts(source)
    assert (Outcome.PASSED, "") == (seen.outcome, seen.detail)


@pytest.mark.sandbox
async def test_changes_of_a_package_end_with_the_sample(verdicts: Judging) -> None:
    """What a program does to a package that its zygote holds is nobody else's."""
    change = "import quick\nquick.STAMP = 7\nquick.extra = 1\ndef f(x):\n    return x + 1\n"
    look = "import quick\ndef f(x):\n    return x + (quick.STAMP != 7 and not hasattr(quick, 'extra'))\n"
    seen = await verdicts(change, look)
    assert [Outcome.PASSED, Outcome.PASSED] == [verdict.outcome for verdict in seen]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import numpy\n", True),
        ("    import os, numpy as np\n", True),
        ("from numpy.linalg import norm\n", True),
        ("try: import numpy\nexcept ImportError: pass\n", True),
        ("import numpyro\n", False),
        ("numpy = 1\n", False),
        ("import os\nx = 'numpy'\n", False),
        ("", False),
    ],
)
def test_what_an_import_is(source: str, *, found: bool) -> None:
    """By the text alone; a mistake costs time, never a verdict."""
    search = _imports(("numpy", "a.b"))
    assert search is not None
    assert found is bool(search(source))


def test_no_packages_no_search() -> None:
    """Where none are shown there is nothing to look for."""
    assert _imports(()) is None


def test_search_is_linear() -> None:
    """A long line of imports is no way to stop the controller: the pattern looks a hundred characters ahead."""
    search = _imports(("numpy",))
    assert search is not None
    assert search("import " * 300_000) is None
