"""Extractors by name, and what each makes of answers of every kind."""

from __future__ import annotations

from typing import Literal

import pytest

from codejury.extract import AUTO, EXTRACTORS, extractor, program
from codejury.extract.registry import STOP
from codejury.model import CheckFunction, Problem, Program, Sample, UsageError

PROMPT = 'def f(x):\n    """Do."""\n'
PROBLEM = Problem(id="T/0", prompt=PROMPT, entry_point="f", tests=CheckFunction(code="x"), suffix="# end\n")
TWO = (
    "<think>\n```python\nx\n```\n</think>\n```python\na = 1\n```\n"
    "```sh\nls\n```\n```py\nbb = 22\n```\n```\nd\n```\n"
)
Kind = Literal["completion", "solution", "chat"]


def made(name: str, text: str, kind: Kind = "chat", problem: Problem = PROBLEM) -> Program:
    """The program of an answer."""
    return program(problem, Sample(problem_id="T/0", index=0, text=text, kind=kind), name)


def test_names() -> None:
    """Each has its own name, a version and a line that says what it does."""
    assert "auto" == AUTO
    assert all(name == one.name and one.version >= 1 and one.description for name, one in EXTRACTORS.items())
    assert "auto 1" == extractor("auto").label
    with pytest.raises(UsageError, match=r"^extractor 'AUTO': there is none of this name; take of auto, "):
        extractor("AUTO")


@pytest.mark.parametrize("name", EXTRACTORS)
@pytest.mark.parametrize("kind", ["completion", "solution", "chat"])
def test_a_blank_answer_is_no_program(name: str, kind: Kind) -> None:
    """Under every extractor, for every kind."""
    assert Program("", "empty") == made(name, " \n\t", kind)


def test_fences() -> None:
    """First, last and longest of the language; without thinking."""
    assert Program("a = 1\n", "fence", ("thinking",)) == made("first-fence", TWO)
    assert Program("bb = 22\n", "fence", ("thinking",)) == made("last-fence", TWO)
    assert Program("bb = 22\n", "fence", ("thinking",)) == made("longest-fence", TWO, "solution")
    assert Program("print(1)\n", "fence", ("cut-off",)) == made("last-fence", "```python\nprint(1)")
    assert Program("y = 1", "no-fence") == made("first-fence", "y = 1")
    assert Program("k\n", "fence") == made("last-fence", "```\nk\n```\n```js\nz\n```")
    assert Program("", "empty", ("thinking", "thinking-cut-off")) == made("last-fence", "<think>hm")


def test_raw() -> None:
    """Every answer to the byte; only a completion stands in its prompt."""
    assert Program(TWO, "raw") == made("raw", TWO)
    assert Program(TWO, "solution") == made("raw", TWO, "solution")
    assert Program(f"{PROMPT}    pass\n# end\n", "completion") == made("raw", "    pass\n", "completion")


def test_auto_is_by_kind_and_chat_for_all() -> None:
    """A completion is cut only where that is asked for."""
    text = "    return x\n\n\nprint(f(1))\n"
    plain = Problem(id="T/0", prompt=PROMPT, entry_point="f", tests=CheckFunction(code="x"))
    assert Program(PROMPT + text, "completion") == made("auto", text, "completion", plain)
    assert Program(PROMPT + "    return x\n", "body", ("trimmed",)) == made("chat", text, "completion", plain)
    assert Program(text, "solution") == made("auto", text, "solution", plain)


@pytest.mark.parametrize("word", STOP)
def test_stop_words(word: str) -> None:
    """The answer up to the first of them; the prompt is not searched."""
    text = f"    return x{word} and more\nprint(1)"
    assert Program(f"{PROMPT}    return x# end\n", "stop") == made("stop", text, "completion")
    assert Program("    return x", "stop") == made("stop", text, "chat")


def test_stop_words_of_the_set() -> None:
    """Where a set names them, they are the ones."""
    problem = Problem(id="T/0", prompt="p ", entry_point="f", tests=CheckFunction(code="x"), stop=("END",))
    assert Program("p a\ndef b", "stop") == made("stop", "a\ndef bEND c", "completion", problem)
    assert Program("p a\ndef c", "stop") == made("stop", "a\ndef c", "completion", problem)


def test_preamble_stands_before_whole_programs() -> None:
    """As the set says; imports from the future stay first, and what has the prompt's own imports needs none."""
    problem = Problem(
        id="T/0", prompt=PROMPT, entry_point="f", tests=CheckFunction(code="x"), preamble="import math"
    )
    code = "def f(x):\n    return math.pi\n"
    assert f"import math\n{code}" == made("auto", code, "solution", problem).source
    assert f"import math\n{code}" == made("auto", f"```\n{code}```", "chat", problem).source
    future = "from __future__ import annotations\n"
    assert f"{future}import math\n{code}" == made("auto", future + code, "solution", problem).source
    assert PROMPT + "    return 1\n" == made("auto", "    return 1\n", "completion", problem).source
