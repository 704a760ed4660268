"""The command itself: what it loads, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import codejury as package
from codejury import sets
from codejury.model import InfrastructureError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAVY = ("numpy", "scipy", "sqlalchemy", "rich.progress", "codejury.pipeline", "codejury.stats", "codejury.store")


@pytest.mark.parametrize("arguments", [["--help"], ["judge", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """So that it answers at once."""
    program = (
        "import sys\n"
        f"sys.argv = ['codejury', *{arguments!r}]\n"
        "from codejury.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "[]\n" == ended.stderr
    assert ended.stdout


def test_version(codejury: Callable[..., Any]) -> None:
    """As the package has it."""
    assert (0, f"codejury {package.__version__}\n", "") == codejury("--version")


@pytest.mark.parametrize(
    "arguments", [[], ["judge"], ["report"], ["demo"], ["schema"], ["sets"], ["sets", "check"]]
)
def test_help_names_no_environment_variable_of_its_own(codejury: Callable[..., Any], arguments: list[str]) -> None:
    """The rule is told once; there is no CODEJURY_HELP and no CODEJURY_VERSION. All fits in 80 columns."""
    ended = codejury(*arguments, "--help")
    assert 0 == ended.code
    assert "env var" not in ended.out
    assert "_HELP" not in ended.out
    assert "_VERSION" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


@pytest.mark.parametrize("arguments", [[], ["sets"]])
def test_without_a_command_it_shows_help(codejury: Callable[..., Any], arguments: list[str]) -> None:
    """As a usage error, readable."""
    ended = codejury(*arguments)
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith("Usage: codejury")
    assert "\nCommands:\n" in ended.err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError("two\nlines\tand \x1b[31mcolour"), 2, r"two lines and \x1b[31mcolour"),
        (InfrastructureError("no disk"), 3, "no disk"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_end_in_one_line(
    codejury: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    line: str,
) -> None:
    """On standard error, printable, with the exit code of their kind."""

    def fail() -> None:
        raise error

    monkeypatch.setattr(sets, "names", fail)
    ended = codejury("sets", "list")
    assert (code, "", f"codejury: {line}\n") == (ended.code, ended.out, ended.err.removeprefix("\n"))


def test_mistakes_of_ours_are_no_verdict(codejury: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback to report, and not exit code 1, which says that a check failed."""

    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(sets, "names", fail)
    ended = codejury("sets", "list")
    assert (3, "") == (ended.code, ended.out)
    assert "ZeroDivisionError" in ended.err
    assert ended.err.endswith("codejury: this is a mistake in codejury: please report it with the lines above\n")


@pytest.mark.parametrize(
    "arguments", [["schema", "judge"], ["sets", "show", "starter", "starter/trie"], ["--help"]]
)
def test_reader_that_leaves_is_no_failure(
    start: Callable[..., subprocess.Popen[str]], arguments: list[str]
) -> None:
    """As with `| head`: no message, and the shell's exit code for it."""
    with start(*arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert "" == process.stderr.read()
        assert 141 == process.wait()


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_text_can_be_printed(folder: Path, encoding: str) -> None:
    """What a terminal cannot show is escaped."""
    problem = {
        "id": "t/ü",
        "prompt": "# naïve ☃\n",
        "entry_point": "f",
        "tests": {"type": "assertions", "code": ["assert f(1) == 'é'"]},
    }
    (folder / "set.jsonl").write_text(json.dumps(problem) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "codejury", "sets", "show", "set.jsonl", "t/ü"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    ended = subprocess.run(command, capture_output=True, check=False, cwd=folder, env=environment)
    assert (0, b"") == (ended.returncode, ended.stderr)
    shown = ended.stdout.decode(encoding)
    assert ("☃" if encoding == "utf-8" else "\\u2603") in shown
