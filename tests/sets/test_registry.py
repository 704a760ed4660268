"""Problem sets by name or by file."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from codejury import sets
from codejury.formats import write_problems
from codejury.model import Assertions, InputError, Problem, ProblemSet, UsageError
from codejury.sets import SetInfo, registry

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[2].parent / "shared" / "data"
ONE = Problem(id="T/0", prompt="", entry_point="f", tests=Assertions(code=("assert f() == 1",)))
TWO = Problem(id="T/1", prompt="", entry_point="f", tests=Assertions(code=("assert f() == 2",)))
THEIRS = ProblemSet(name="theirs", version="2-1", problems=(ONE, TWO), source="a test")


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A function that registers a plug-in: name, what its `load` is, further attributes of its module."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "codejury.sets" else [])

    def add(name: str, load: object, **further: Any) -> None:
        module = ModuleType(f"plugin_{len(points)}")
        vars(module).update(load=load, **further)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        points.append(EntryPoint(name=name, value=f"{module.__name__}:load", group="codejury.sets"))

    return add


def info(name: str) -> SetInfo:
    """What the list says of a set."""
    [found] = [each for each in sets.names() if each.name == name]
    return found


def test_built_in_sets_need_no_metadata(register: Callable[..., None]) -> None:
    """They are known with no entry point at all."""
    assert ["humaneval", "starter"] == [each.name for each in sets.names()]
    assert {"built-in"} == {each.source for each in sets.names()}


def test_a_set_of_the_registry_is_loaded(register: Callable[..., None]) -> None:
    """A plug-in's set comes as it gives it."""
    register("theirs", lambda: THEIRS)
    assert THEIRS == sets.load("theirs")
    assert SetInfo(name="theirs", source="an unknown package") == info("theirs")
    assert info("theirs").available


def test_a_set_that_is_not_available(register: Callable[..., None]) -> None:
    """The plug-in's own word is told, in the list and on loading, and the set is not loaded for it."""
    register("theirs", lambda: pytest.fail("loaded"), unavailable=lambda: "data missing: run fetch-theirs")
    assert not info("theirs").available
    assert "data missing: run fetch-theirs" == info("theirs").unavailable
    with pytest.raises(UsageError) as caught:
        sets.load("theirs")
    assert "problem set 'theirs' cannot be loaded: data missing: run fetch-theirs" == str(caught.value)


def test_a_broken_plug_in_hides_no_other(register: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that cannot be imported is one line in the list and one error on loading."""
    register("theirs", lambda: THEIRS)
    register("gone", None)
    monkeypatch.setitem(sys.modules, "plugin_1", None)
    assert info("theirs").available
    reason = str(info("gone").unavailable)
    assert reason.startswith(
        "an unknown package fails at plugin_1:load: ModuleNotFoundError: import of plugin_1 halted"
    )
    with pytest.raises(
        UsageError, match="problem set 'gone' cannot be loaded: an unknown package fails at plugin_1:load"
    ):
        sets.load("gone")


def test_built_in_names_cannot_be_taken(register: Callable[..., None]) -> None:
    """What is called humaneval is HumanEval."""
    register("humaneval", lambda: THEIRS)
    assert "built-in" == info("humaneval").source
    assert "codejury.sets.humaneval:load" == registry._registered()["humaneval"][0].value


def test_a_name_that_two_register(register: Callable[..., None]) -> None:
    """Neither is chosen in silence."""
    register("theirs", lambda: THEIRS)
    register("theirs", lambda: THEIRS)
    with pytest.raises(UsageError, match="both register it; uninstall all but one"):
        sets.load("theirs")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "returned no ProblemSet"),
        (ProblemSet(name="x", version="1-0", problems=()), "has no problems"),
        (ProblemSet(name="x", version="1-0", problems=(ONE, TWO, ONE)), "has two problems 'T/0'"),
    ],
)
def test_what_is_no_set(register: Callable[..., None], given: object, message: str) -> None:
    """A plug-in's mistake is told before anything is judged by it."""
    register("theirs", lambda: given)
    with pytest.raises(UsageError, match=message):
        sets.load("theirs")


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("humanevl", "did you mean 'humaneval'? A file"),
        ("startr", "did you mean 'starter'? A file"),
        ("mbpp", "known are humaneval, starter. A file"),
        ("", "known are humaneval, starter. A file"),
    ],
)
def test_an_unknown_name(register: Callable[..., None], spec: str, hint: str) -> None:
    """The error names what is close, or all that there is, and how files are named."""
    with pytest.raises(UsageError) as caught:
        sets.load(spec)
    assert not isinstance(caught.value, InputError)
    assert str(caught.value).startswith(f"no problem set {spec!r}: {hint} of problems ends in .jsonl,")


@pytest.mark.parametrize("name", ["own.set.jsonl", "own.set.jsonl.gz"])
def test_a_file(tmp_path: Path, name: str) -> None:
    """It is named by its stem and says where it came from, wherever it lies."""
    write_problems(tmp_path / name, [ONE, TWO])
    expected = ProblemSet(name="own.set", version="1-0", problems=(ONE, TWO), source=name)
    assert expected == sets.load(str(tmp_path / name)) == sets.load(tmp_path / name)


def test_a_name_goes_before_a_file(
    register: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the working folder cannot stand in for a registered set, unless it is named as a file."""
    register("theirs.jsonl", lambda: THEIRS)
    write_problems(tmp_path / "theirs.jsonl", [ONE])
    monkeypatch.chdir(tmp_path)
    assert "2-1" == sets.load("theirs.jsonl").version
    assert "1-0" == sets.load("./theirs.jsonl").version == sets.load(Path("theirs.jsonl")).version


@pytest.mark.parametrize("spec", ["none.jsonl", "none.json.gz", "folder/none"])
def test_a_file_that_is_missing(register: Callable[..., None], tmp_path: Path, spec: str) -> None:
    """What looks like a file is told as a file."""
    with pytest.raises(InputError, match="no such file; check the path"):
        sets.load(f"{tmp_path}/{spec}")


def test_the_installed_entry_points_are_ours() -> None:
    """The package's metadata names the same functions as the built-in table."""
    by_name = {point.name: point.value for point in entry_points(group="codejury.sets")}
    for point in registry._BUILT_IN:
        assert by_name.get(point.name, point.value) == point.value


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA}")
def test_a_published_file() -> None:
    """A set from a path, compressed."""
    found = sets.load(str(DATA / "problems" / "HumanEval_no_examples.jsonl.gz"))
    assert ("HumanEval_no_examples", "1-0", 164) == (found.name, found.version, len(found.problems))
