"""What requests say."""

from __future__ import annotations

from typing import Any

import pytest

from codejury.generate import FAMILIES, AskSettings, Prompter
from codejury.generate.fim import family_of
from codejury.generate.prompts import form_of
from codejury.model import Assertions, Problem, StdinCase, StdinStdout, UsageError

TESTS = Assertions(code=("assert add(1, 2) == 3",))


def asked(**fields: Any) -> AskSettings:
    """Settings of no server."""
    return AskSettings(**{"model": "m", "base_url": "http://localhost/v1", **fields})


def problem(**fields: Any) -> Problem:
    """A problem that asks for a function."""
    given = {"id": "p", "prompt": "def add(a, b):\n", "entry_point": "add", "tests": TESTS}
    return Problem(**{**given, **fields})


@pytest.mark.parametrize(
    ("fields", "form", "said"),
    [
        ({}, "complete", "Complete this Python code."),
        ({"prompt": "class add:\n"}, "complete", "```python\nclass add:\n\n```"),
        (
            {"prompt": "Write a function add."},
            "function",
            "Write a function add.\n\nWrite a Python function named `add`.",
        ),
        ({"prompt": "def other():\n    pass"}, "function", "named `add`"),
        ({"instruction": "Add two numbers as `add`."}, "instruction", "Add two numbers as `add`.\n\nAnswer with"),
        ({"prompt": "int add(int a, int b) {", "language": "cpp"}, "complete", "```cpp\nint add("),
        ({"suffix": "    return c\n"}, "infill", "After:\n\n```python\n    return c\n"),
        (
            {
                "tests": StdinStdout(cases=(StdinCase(stdin="1", stdout="1"),)),
                "entry_point": "",
                "prompt": "Echo.",
            },
            "program",
            "Echo.\n\nWrite a Python program that reads standard input",
        ),
    ],
)
def test_the_message_fits_the_problem(fields: dict[str, Any], form: str, said: str) -> None:
    """Code to go on with, a function to write, a program, a hole."""
    made = problem(**fields)
    assert form == form_of(made)
    prompt = Prompter(asked()).prompt(made)
    assert "chat" == prompt.kind
    (message,) = prompt.body["messages"]
    assert "user" == message["role"]
    assert said in message["content"]
    assert len(message["content"].encode()) == prompt.size


def test_a_template_of_ones_own_is_filled_once() -> None:
    """A problem that holds the marks of a template is not filled again."""
    settings = asked(template="[{language}] {prompt} {x}", template_name="mine.txt", system="Be brief.")
    prompter = Prompter(settings)
    assert "mine.txt" == prompter.template
    assert [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "[Python] use {language} {x}"},
    ] == prompter.prompt(problem(prompt="use {language}")).body["messages"]
    (message,) = Prompter(asked(template="Q: {prompt}")).prompt(problem(instruction="Add.")).body["messages"]
    assert "Q: Add." == message["content"]
    with pytest.raises(UsageError, match=r"--template mine.txt: has no \{prompt\}"):
        Prompter(asked(template="hello", template_name="mine.txt"))


def test_a_completion_is_asked_with_the_prompt_to_the_byte() -> None:
    """Nothing is stripped: white space at the end changes what a model goes on with."""
    prompt = Prompter(asked(mode="completion")).prompt(problem(prompt="def f():\n    "))
    assert {"prompt": "def f():\n    "} == prompt.body
    assert "completion" == prompt.kind


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("starcoder", "<fim_prefix>A<fim_suffix>B<fim_middle>"),
        ("codellama", "<PRE> A <SUF>B <MID>"),
        ("deepseek", "<｜fim▁begin｜>A<｜fim▁hole｜>B<｜fim▁end｜>"),  # noqa: RUF001 - the tokens' own bars
        ("qwen", "<|fim_prefix|>A<|fim_suffix|>B<|fim_middle|>"),
        ("codegemma", "<|fim_prefix|>A<|fim_suffix|>B<|fim_middle|>"),
        ("codestral", "[SUFFIX]B[PREFIX]A"),
    ],
)
def test_a_hole_is_marked_as_the_family_knows_it(family: str, text: str) -> None:
    """One text, with the family's tokens; and the stop words that end it."""
    prompter = Prompter(asked(mode="fim", fim=family, stop=("#",)))
    assert {"prompt": text} == prompter.prompt(problem(prompt="A", suffix="B")).body
    assert ("#", *FAMILIES[family].stop) == prompter.stop
    assert set(FAMILIES) >= {family}


def test_a_hole_may_be_the_servers_business() -> None:
    """By the parameter of the request, without any token."""
    prompter = Prompter(asked(mode="fim", model="codestral-latest"))
    assert {"prompt": "A", "suffix": "B"} == prompter.prompt(problem(prompt="A", suffix="B")).body


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("bigcode/starcoder2-7b", "starcoder"),
        ("codellama/CodeLlama-7b-hf", "codellama"),
        ("deepseek-ai/deepseek-coder-6.7b-base", "deepseek"),
        ("Qwen/Qwen2.5-Coder-7B", "qwen"),
        ("google/codegemma-2b", "codegemma"),
        ("codestral-2501", "suffix"),
    ],
)
def test_names_tell_families(model: str, family: str) -> None:
    """As models are called."""
    assert family == family_of("auto", model)


def test_a_family_that_is_not_known_is_refused() -> None:
    """By the model's name, or by its own."""
    with pytest.raises(UsageError, match="--fim: starcoder, codellama"):
        family_of("auto", "gpt-x")
    with pytest.raises(UsageError, match="--fim 'gpt': take one of"):
        family_of("gpt", "gpt-x")


def test_a_problem_that_cannot_have_a_hole_is_refused() -> None:
    """Without a suffix, or with the model's own marks in it."""
    prompter = Prompter(asked(mode="fim", fim="qwen"))
    with pytest.raises(UsageError, match="'p' has no suffix"):
        prompter.prompt(problem())
    with pytest.raises(UsageError, match=r"holds '<\|fim_middle\|>'"):
        prompter.prompt(problem(prompt="<|fim_middle|>", suffix="B"))


def test_the_hash_tells_ways_of_asking_apart() -> None:
    """Mode, template, system message and stop words; not the model, the problem or the template's name."""
    ways: list[dict[str, Any]] = [
        {},
        {"system": "s"},
        {"stop": ("#",)},
        {"template": "{prompt}"},
        {"template": "{prompt}!"},
        {"mode": "completion"},
        *({"mode": "fim", "fim": family} for family in (*FAMILIES, "suffix")),
    ]
    assert len(ways) == len({Prompter(asked(**way)).hash for way in ways})
    assert Prompter(asked()).hash == Prompter(asked(model="n", temperature=0.1, n=7)).hash
    assert (
        Prompter(asked(template="{prompt}", template_name="a")).hash == Prompter(asked(template="{prompt}")).hash
    )
