"""Defaults of options: the file, then the environment, then the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import typer

from codejury.cli.main import app, register
from codejury.cli.settings import defaults
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

register()


def _write(folder: Path, text: str) -> None:
    (folder / "codejury.toml").write_text(text, encoding="utf-8")


def _defaults() -> dict[str, Any]:
    return defaults(typer.main.get_command(app))


def _leaves(found: dict[str, Any]) -> list[object]:
    """What options are set to, of all commands."""
    return [leaf for value in found.values() for leaf in (_leaves(value) if isinstance(value, dict) else [value])]


def test_nothing_set(folder: Path) -> None:
    """No file, no variables: nothing for any command."""
    found = _defaults()
    assert {"judge", "report", "demo", "schema", "sets", "runs"} <= found.keys()
    assert {"list", "show", "delete", "merge", "import"} == found["runs"].keys()
    assert [] == _leaves(found)


def test_file(folder: Path) -> None:
    """Tables of commands, and above them what holds for all that have it; hyphens as on the command line."""
    _write(folder, 'store = "all.db"\ncpu = 2\n[judge]\ncpu-total = 9\ncpu = 3\n[sets]\nslots = 1\n')
    found = _defaults()
    assert {"store": "all.db", "cpu": 3, "cpu_total": 9} == found["judge"]
    assert {"store": "all.db"} == found["report"]
    assert {"cpu": 2, "slots": 1} == found["sets"]["check"]
    assert {} == found["demo"] == found["sets"]["show"]
    assert {"store": "all.db"} == found["runs"]["merge"]


def test_environment_goes_before_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a variable for all commands before a table for one; lists are split at spaces."""
    _write(folder, 'store = "all.db"\n[judge]\ncpu = 3\nstore = "own.db"\nquiet = true\n')
    monkeypatch.setenv("CODEJURY_STORE", "environment.db")
    monkeypatch.setenv("CODEJURY_JUDGE_CPU", "4")
    monkeypatch.setenv("CODEJURY_JUDGE_META", "model=m temperature=0.8")
    monkeypatch.setenv("CODEJURY_SETS_CHECK_SLOTS", "2")
    monkeypatch.setenv("CODEJURY_VERSION", "whatever")
    found = _defaults()
    assert {
        "store": "environment.db",
        "cpu": "4",
        "quiet": True,
        "meta": ["model=m", "temperature=0.8"],
    } == found["judge"]
    assert {"store": "environment.db"} == found["report"]
    assert {"slots": "2"} == found["sets"]["check"]
    monkeypatch.setenv("CODEJURY_JUDGE_STORE", "judge.db")
    assert "judge.db" == _defaults()["judge"]["store"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[judge]\ncpuu = 3\n", r"codejury.toml \[judge\]: 'cpuu' is no option; known: all_tests, .*cpu, "),
        ("cpuu = 3\n", "codejury.toml: 'cpuu' is no command or option; known: .*judge"),
        ("[jugde]\ncpu = 3\n", "codejury.toml: 'jugde' is no command or option"),
        ("judge = 3\n", "codejury.toml: 'judge' is no command or option"),
        ("[sets.check]\nstore = 'x'\n", r"codejury.toml \[sets\] \[check\]: 'store' is no option"),
        ("[judge]\nsamples = 'x'\n", "'samples' is no option"),
        ("version = true\n", "'version' is no command or option"),
        ("[judge\n", "codejury.toml: "),
    ],
)
def test_wrong_file_is_refused(folder: Path, text: str, message: str) -> None:
    """Named by table and key; arguments are no options."""
    _write(folder, text)
    with pytest.raises(UsageError, match=message):
        _defaults()


def test_unreadable_file_is_refused(folder: Path) -> None:
    """Not UTF-8."""
    (folder / "codejury.toml").write_bytes(b"store = '\xff'\n")
    with pytest.raises(UsageError, match=r"codejury.toml: 'utf-8' codec"):
        _defaults()


def test_all_three_reach_a_command(
    codejury: Callable[..., Any], tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File, environment, flag: the last of them that is there is taken, before anything is judged."""
    seen = []

    async def judge(_store: Any, settings: Any, _progress: Any) -> str:
        seen.append((settings.limits.cpu_s, _store.name))
        raise UsageError("seen")

    monkeypatch.setattr("codejury.pipeline.judge", judge)
    call = ("judge", "samples.jsonl", "--problems", "set.jsonl")
    _write(tiny, 'store = "file.db"\n[judge]\ncpu = 2\n')
    codejury(*call)
    monkeypatch.setenv("CODEJURY_JUDGE_CPU", "3")
    monkeypatch.setenv("CODEJURY_STORE", "environment.db")
    codejury(*call)
    codejury(*call, "--cpu", "4", "--store", "flag.db")
    assert [(2.0, "file.db"), (3.0, "environment.db"), (4.0, "flag.db")] == seen
    monkeypatch.setenv("CODEJURY_JUDGE_CPU", "much")
    ended = codejury(*call)
    assert 2 == ended.code
    assert ended.err.startswith("codejury: Invalid value for '--cpu': ")


def test_required_option_from_the_file(
    codejury: Callable[..., Any], tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project may say its problem set once."""
    seen = []

    async def judge(_store: Any, settings: Any, _progress: Any) -> str:
        seen.append((settings.problems, settings.ks, settings.meta, settings.all_tests))
        raise UsageError("seen")

    monkeypatch.setattr("codejury.pipeline.judge", judge)
    _write(tiny, '[judge]\nproblems = "set.jsonl"\nk = "1,2"\nmeta = ["model=m", "top_p=1"]\nall-tests = true\n')
    ended = codejury("judge", "samples.jsonl")
    assert (2, "codejury: seen\n") == (ended.code, ended.err)
    assert [("set.jsonl", (1, 2), {"model": "m", "top_p": "1"}, True)] == seen


@pytest.mark.parametrize("name", ["CODEJURY_UNSAFE", "CODEJURY_JUDGE_UNSAFE", "CODEJURY_SETS_CHECK_UNSAFE"])
def test_no_isolation_cannot_be_asked_for_by_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whatever is set there, for all commands or for one."""
    monkeypatch.setenv(name, "0")
    with pytest.raises(UsageError, match=f"environment: {name} cannot be set there: give --unsafe on the command"):
        _defaults()


@pytest.mark.parametrize("text", ["unsafe = true\n", "[judge]\nunsafe = true\n", "[sets.check]\nunsafe = false\n"])
def test_no_isolation_cannot_be_asked_for_by_the_file(folder: Path, text: str) -> None:
    """The same."""
    _write(folder, text)
    with pytest.raises(UsageError, match=r"codejury.toml.*: 'unsafe' cannot be set there: give --unsafe"):
        _defaults()
