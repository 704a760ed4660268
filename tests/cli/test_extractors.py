"""`judge --extractor`: one run, or one under each with their figures side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from codejury.formats import write_problems, write_samples
from codejury.model import Assertions, Problem, Sample
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

ADD = Problem(
    id="t/add",
    prompt="def f(x):\n",
    entry_point="f",
    tests=Assertions(code=("assert f(1) == 2",)),
    reference="def f(x):\n    return x + 1\n",
)
ANSWER = "```python\ndef f(x):\n    return x + 1\n```\n\n```python\nprint(f(1))\n```\n"
CALL = ("judge", "chat.jsonl", "--problems", "set.jsonl", "--run", "mine")


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_figures_side_by_side(codejury: Callable[..., Any], folder: Path) -> None:
    """A table and a document of the runs; one extractor gives the report of one run."""
    write_problems(folder / "set.jsonl", [ADD])
    write_samples(folder / "chat.jsonl", [Sample(problem_id=ADD.id, index=0, text=ANSWER, kind="chat")])
    ended = codejury(*CALL, "--extractor", "auto,last-fence", "--json", "out.json", "--cpu", "20")
    assert (0, "") == (ended.code, ended.err.partition("codejury:")[2])
    assert "auto 1" in ended.out
    assert "last-fence 1" in ended.out
    document = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert "extraction/1" == document["schema"]
    found = [(row["run"], row["pass_at_k"]["1"]["value"], row["differing"]) for row in document["rows"]]
    assert [("mine", 1.0, 0), ("mine.last-fence", 0.0, 1)] == found

    ended = codejury("judge", *CALL[1:4], "--run", "raw", "--extractor", "raw", "--cpu", "20")
    assert 0 == ended.code
    assert "Run raw" in ended.out
    with Store.open() as store:
        assert "raw 1" == store.manifest(store.find_run("raw").id).extractor


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("best", "codejury: extractor 'best': there is none of this name; take of auto, chat, raw,"),
        ("raw,raw", "codejury: extractor 'raw' is named twice: name each once\n"),
        (",", "codejury: no extractor is named; take of auto, chat, raw,"),
    ],
)
def test_wrong_names_are_one_line(codejury: Callable[..., Any], names: str, said: str) -> None:
    """With exit code 2."""
    ended = codejury(*CALL, "--extractor", names)
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(said)
