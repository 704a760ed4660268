"""The pages hold together: links lead somewhere, command lines parse, examples are true, names are complete."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer

from codejury.cli import main
from codejury.model import Limits, Outcome

main.register()

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`(codejury [^`\n]*)`")
LINE = re.compile(r"^(?:    |\$ )(?:\.venv/bin/)?(codejury .*)$", re.MULTILINE)


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _command(line: str) -> str:
    """What there is to type: up to a comment, a pipe or a description in a second column."""
    return re.split(r"\s{2,}|\s[#|>;&]", line)[0].strip()


def _parse(line: str, *, mention: bool = False) -> None:
    """Parse a command line without running it, or a mere mention of a command; raises what the parser raises."""
    _, *words = shlex.split(line)
    command: Any = typer.main.get_command(main.app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    if words in (["--help"], ["-h"], ["--version"]):
        return
    assert not getattr(command, "commands", None), f"{line!r} is no whole command"
    if mention and not words:
        return
    command.make_context(line, words)


def test_the_check_of_command_lines_can_fail() -> None:
    """A command or an option that does not exist does not parse."""
    for line in ("codejury nothing", "codejury judge x", "codejury judge x --problems y --nothing 1"):
        with pytest.raises(Exception, match=r"whole command|problems|--nothing") as found:
            _parse(line)
        assert type(found.value).__name__ in ("AssertionError", "MissingParameter", "NoSuchOption")


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_command_lines_parse(page: Path) -> None:
    """Every command line of a page is one that the program takes."""
    text = page.read_text(encoding="utf-8")
    for line in LINE.findall(text):
        _parse(_command(line))
    for line in SPAN.findall(text):
        _parse(_command(line), mention=True)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    """Links within the project name a file that exists, and a heading of it."""
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        assert not anchor or anchor in _anchors(file), target


def test_every_page_is_in_the_index() -> None:
    """The index links every other page below docs."""
    index = ROOT / "docs" / "index.md"
    targets = LINK.findall(index.read_text(encoding="utf-8"))
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in targets if "://" not in target}
    assert set(PAGES[1:]) - {index} <= linked


@pytest.mark.parametrize("page", ["comparisons.md", "refusals.md", "statistics.md"])
def test_examples_in_python_are_true(page: str) -> None:
    """The interactive examples of a page give what it shows."""
    failed, tried = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
    assert tried
    assert not failed


def _first_column(page: str, heading: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    return re.findall(r"^\| `(\w+)` \|", text.partition("\n## ")[0], re.MULTILINE)


def test_sizes_of_the_suites_are_as_said() -> None:
    """There are at least as many attacks and right answers as the README says."""
    folder = ROOT / "tests" / "judging" / "suites"
    name = "suites_that_the_readme_counts"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = PAGES[0].read_text(encoding="utf-8")
    said = re.search(r"over ([\d,]+) attacks.*?Over ([\d,]+) right answers", text, re.DOTALL)
    assert said is not None
    others = ("stdio", "suites", "inprocess")
    for number, first, kind in ((said[1], module.ATTACKS, "attacks"), (said[2], module.HONEST, "honest")):
        sizes = [len(importlib.import_module(f"{name}.{kind}_{other}").CASES) for other in others]
        assert int(number.replace(",", "")) < len(first) + sum(sizes)


def test_every_outcome_is_explained() -> None:
    """The table of outcomes has each of them, in the model's order."""
    assert [outcome.value for outcome in Outcome] == _first_column("sandbox.md", "Outcomes")


def test_every_limit_is_explained_with_its_default() -> None:
    """The table of limits has each of them, and says the default that it has."""
    assert set(Limits.__struct_fields__) == set(_first_column("sandbox.md", "Limits"))
    text = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")
    for name, value in msgspec.structs.asdict(Limits()).items():
        row = re.search(rf"^\| `{name}` \| (\d+)(?: (s|MiB|GiB))?", text, re.MULTILINE)
        assert row is not None, name
        unit = {"MiB": 1 << 20, "GiB": 1 << 30}.get(row[2], 1)
        assert value == int(row[1]) * unit, name
