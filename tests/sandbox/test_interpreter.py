"""Interpreters that the user names: what they are, and that programs run on them."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging import ROLES, Slot, judge
from codejury.model import CheckFunction, Limits, Outcome, Problem, TierUnavailable, UsageError
from codejury.sandbox import Sandbox, Settings, choose_tier, describe

if TYPE_CHECKING:
    from codejury.sandbox import Interpreter

NAMES = ("3.9", "3.10", "3.11", "3.12", "3.13")
LIMITS = Limits(cpu_s=2.0, cpu_total_s=8.0)


def _others() -> list[str]:
    """Other interpreters of this machine, one for each version, oldest first."""
    found = {}
    for name in NAMES:
        pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{name}.*/bin/python{name}"))
        path = shutil.which(f"python{name}") if not pyenv else str(pyenv[-1])
        if path and os.path.realpath(path) != os.path.realpath(sys.executable):
            found[name] = path
    return list(found.values())


CHOICES = [pytest.param(path, id=Path(path).name) for path in _others()] or [
    pytest.param("", marks=pytest.mark.skip(reason="there is no other interpreter on this machine"), id="none")
]


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A virtual environment below /tmp, with two packages of our own."""
    folder = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    (packages / "shown_package.py").write_text("VALUE = 5\n", encoding="ascii")
    (packages / "hidden_package").mkdir()
    (packages / "hidden_package" / "__init__.py").write_text("VALUE = 6\n", encoding="ascii")
    return folder


# ---- what an interpreter is


def test_our_own_interpreter() -> None:
    """Without a name it is the one that runs codejury, virtual environment resolved."""
    own = describe()
    assert f"cpython {'.'.join(map(str, sys.version_info[:3]))}" == own.version
    assert os.path.realpath(sys.executable) == own.executable
    assert sys.base_prefix in own.prefixes
    assert any(Path(os.__file__).is_relative_to(tree) for tree in own.trees)


def test_virtual_environment(venv: Path) -> None:
    """By its folder or its interpreter: the base's program, the environment's packages."""
    by_folder, by_program = describe(str(venv)), describe(str(venv / "bin" / "python"))
    assert by_folder == by_program
    assert os.path.realpath(sys.executable) == by_folder.executable
    packages = str(next(venv.glob("lib/python3*/site-packages")))
    assert packages in by_folder.masks
    assert packages in by_folder.packages
    assert [f"{packages}/shown_package.py"] == by_folder.find_packages(("shown_package",))
    assert [f"{packages}/hidden_package"] == by_folder.find_packages(("hidden_package",))


def test_name_on_the_path(venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare name is looked for as a shell does."""
    monkeypatch.setenv("PATH", str(venv / "bin"))
    assert describe(str(venv)) == describe("python3")


def test_package_that_is_not_installed(venv: Path) -> None:
    """It is named, and so is the interpreter."""
    with pytest.raises(UsageError, match=r"'nothing_of_that_name' is not installed for .*python"):
        describe(str(venv)).find_packages(("shown_package", "nothing_of_that_name"))


def test_package_with_its_libraries(tmp_path: Path) -> None:
    """A wheel's shared libraries beside the package come along; they alone are no package."""
    for name in ("pack", "pack.libs", "bare.libs"):
        (tmp_path / name).mkdir()
    (tmp_path / "fast.cpython-311-x86_64-linux-gnu.so").touch()
    own = describe()
    made = type(own)(own.executable, own.version, own.prefixes, own.trees, own.masks, (str(tmp_path),))
    assert [f"{tmp_path}/pack", f"{tmp_path}/pack.libs"] == made.find_packages(("pack",))
    assert [f"{tmp_path}/fast.cpython-311-x86_64-linux-gnu.so"] == made.find_packages(("fast",))
    with pytest.raises(UsageError):
        made.find_packages(("bare",))


def _script(folder: Path, text: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "text",
    ["exit 1", "echo wrong 1>&2; exit 2", "echo text", "echo '{}'", "echo 5", "kill -9 $$", "true"],
)
def test_what_is_no_interpreter(tmp_path: Path, text: str) -> None:
    """One line that names the option, the path and the trouble."""
    path = _script(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        describe(path)
    message = str(caught.value)
    assert message.startswith(f"--python {path}: not an interpreter that can be run: ")
    assert "\n" not in message
    assert len(message) < len(path) + 200
    assert "wrong" in message or "wrong" not in text


@pytest.mark.parametrize("path", ["/nowhere/python", "no-such-python", "/etc/hostname", "/"])
def test_what_is_not_there(path: str) -> None:
    """A missing file, a file that is no program, a folder that is no environment."""
    with pytest.raises(UsageError, match=f"--python {path}: not an interpreter"):
        describe(path)


def test_interpreter_that_is_too_old(tmp_path: Path) -> None:
    """It says its version and the oldest that will do."""
    path = _script(tmp_path, """echo '{"numbers": [3, 8, 18], "version": "cpython 3.8.18"}'""")
    with pytest.raises(UsageError, match=r"cpython 3\.8\.18 is too old; Python 3\.9 or later is needed"):
        describe(path)


# ---- programs on it

PROGRAM = """
import dataclasses, enum, fractions
@dataclasses.dataclass
class Point:
    x: int = 0
def f(x, seen=[]):
    seen.append(x)
    if x == 3:
        raise KeyError("three")
    return seen
"""
TESTS = """
import sys
def check(c):
    first = c(1)
    assert first == [1]
    assert c(2) is first
    assert first == [1, 2]
    try:
        c(3)
    except KeyError as error:
        assert error.args == ("three",)
    assert first == [1, 2, 3]
    for kind in (sys.version_info[:2], float("inf"), 1 << 9000, {1}, "\\u00e9", b"x", None):
        assert c(kind)[-1] == kind
"""


def _judge(interpreter: Interpreter, packages: tuple[str, ...], *programs: tuple[str, str]) -> list[Any]:
    """The verdicts on (program, tests) in one sandbox."""

    async def run() -> list[Any]:
        tier = choose_tier().tier
        settings = Settings(interpreter=interpreter, limits=LIMITS, packages=packages, tier=tier)
        async with Sandbox(settings, ROLES) as sandbox:
            slot = Slot(sandbox, LIMITS)
            try:
                return [
                    (await judge(slot, _problem(tests), source, LIMITS, None, all_tests=True)).verdict
                    for source, tests in programs
                ]
            finally:
                slot.close()

    try:
        return asyncio.run(run())
    except TierUnavailable as error:
        pytest.skip(str(error))


def _problem(tests: str) -> Problem:
    return Problem(id="p", prompt="", entry_point="f", tests=CheckFunction(code=tests))


@pytest.mark.sandbox
@pytest.mark.parametrize("path", CHOICES)
def test_programs_run_on_another_interpreter(path: str) -> None:
    """Judge and candidate run on it: values, kept objects, exceptions, restarts, and its own version."""
    interpreter = describe(path)
    version = tuple(map(int, interpreter.version.split()[1].split(".")))
    says = "import sys\ndef f(x):\n    if x: sys.exit()\n    return list(sys.version_info[:3])\n"
    tests = (
        f"def check(c):\n    assert c(0) == {list(version)}\n    assert c(1)\n    assert c(0) == {list(version)}\n"
    )
    right, ended = _judge(interpreter, (), (PROGRAM, TESTS), (says, tests))
    assert (Outcome.PASSED, 12) == (right.outcome, len(right.tests)), right
    assert ["passed", "early_exit", "passed"] == [test.outcome.value for test in ended.tests], ended


@pytest.mark.sandbox
def test_programs_run_in_a_virtual_environment(venv: Path) -> None:
    """Below /tmp, too: of its packages those are visible that are named."""
    source = "import shown_package\ndef f(): return shown_package.VALUE\n"
    hidden = "import hidden_package\ndef f(): return hidden_package.VALUE\n"
    tests = "def check(c):\n    assert c() in (5, 6)\n"
    shown, missing = _judge(describe(str(venv)), ("shown_package",), (source, tests), (hidden, tests))
    assert Outcome.PASSED is shown.outcome
    assert (Outcome.EXCEPTION, True) == (missing.outcome, "ModuleNotFoundError" in missing.detail)


@pytest.mark.sandbox
def test_interpreter_below_tmp_itself(tmp_path: Path) -> None:
    """An interpreter that is installed below /tmp, whose folder the sandbox covers with its own."""
    base = Path(describe().prefixes[0])
    home = tmp_path / "python"
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (home / "bin").mkdir(parents=True)
    (home / "lib").mkdir()
    shutil.copy2(os.path.realpath(sys.executable), home / "bin" / name)
    ignored = shutil.ignore_patterns("site-packages", "test", "__pycache__", "config-*", "idlelib", "ensurepip")
    shutil.copytree(base / "lib" / name, home / "lib" / name, ignore=ignored)
    for library in (base / "lib").glob("libpython*.so*"):
        shutil.copy2(library, home / "lib")
    try:
        interpreter = describe(str(home / "bin" / name))
    except UsageError as error:
        pytest.skip(f"a copy of this interpreter does not run: {error}")
    if str(home) not in interpreter.prefixes:
        pytest.skip("a copy of this interpreter looks for its library elsewhere")
    (verdict,) = _judge(interpreter, (), ("def f(): return 1\n", "def check(c):\n    assert c() == 1\n"))
    assert Outcome.PASSED is verdict.outcome
