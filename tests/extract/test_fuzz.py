"""Whatever an answer holds: nothing raises, nothing that the entry point reaches is lost, work is linear."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codejury.extract import EXTRACTORS, blocks, parsing, program
from codejury.model import CheckFunction, Problem, Sample, StdinCase, StdinStdout

if TYPE_CHECKING:
    from collections.abc import Callable

PROMPT = 'import math\n\ndef f(x):\n    """Do."""\n'
CHECKED = Problem(id="T/0", prompt=PROMPT, entry_point="f", tests=CheckFunction(code="x"))
RUN = Problem(id="T/0", prompt="Read.", entry_point="", tests=StdinStdout(cases=(StdinCase(stdin="", stdout=""),)))
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150)


def chat(text: str) -> Sample:
    """A chat answer."""
    return Sample(problem_id="T/0", index=0, text=text, kind="chat")


# ---- nothing raises

FRAGMENTS = st.sampled_from(
    [
        *(
            "```",
            "```python\n",
            "~~~",
            "````",
            "```\n",
            "`",
            "\n",
            "\n\n",
            " ",
            "    ",
            "\t",
            "\r\n",
            "\r",
            "\0",
            "\ud800",
        ),
        *(
            "<think>",
            "</think>",
            "\n<think>\n",
            "[THINK]",
            "<|channel|>final<|message|>",
            "<answer>",
            "<|im_end|>",
        ),
        *(
            "def f(x):",
            "    return x",
            "class A:",
            "return",
            "yield",
            "import math",
            "f(1)",
            "print(f(2))",
            "async ",
        ),
        *(
            '"""',
            "'''",
            "(",
            ")",
            "[",
            "{",
            "\\",
            "#",
            ":",
            "=",
            "@",
            "lambda:",
            "> ",
            "- ",
            "1. ",
            "if x:",
            "else:",
        ),
        *(
            'if __name__ == "__main__":',
            "global f",
            "del f",
            "f = 1",
            "f.x = 1",
            "match x:",
            "case f:",
            "*",
            "é",
            "\x0c",
        ),
    ]
)
ANYTHING = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=60).map("".join))


@QUICK
@given(text=ANYTHING, prompt=st.one_of(st.just(PROMPT), ANYTHING), name=st.sampled_from(sorted(EXTRACTORS)))
@pytest.mark.parametrize("stdio", [False, True])
@pytest.mark.parametrize("language", ["python", "java"])
def test_nothing_raises(language: str, text: str, prompt: str, name: str, *, stdio: bool) -> None:
    """Any text, any prompt, any extractor; what comes out has a hash."""
    problem = Problem(
        id="T/0",
        prompt=prompt,
        entry_point="" if stdio else "f",
        tests=RUN.tests if stdio else CHECKED.tests,
        language=language,
    )
    for kind in ("chat", "completion", "solution"):
        made = program(problem, Sample(problem_id="T/0", index=0, text=text, kind=kind), name)
        assert 64 == len(made.hash)
        assert bool(made.source.strip()) == (made.rule not in ("empty", "none"))


@pytest.mark.parametrize(
    "hostile",
    [
        *(
            "(" * 100_000,
            "[" * 5_000,
            "not " * 50_000,
            "-" * 50_000 + "1",
            "a" + ".b" * 50_000,
            "a" + "+b" * 50_000,
        ),
        *("lambda:" * 20_000 + "1", "if x:\n p\n" + "elif x:\n p\n" * 20_000, "x = " * 50_000 + "1", "\0" * 1_000),
        *("\n".join(" " * n + "if x:" for n in range(99)), "f(" * 90 + ")" * 90, "9" * 10_000, "\ud800" * 100),
        *("```\n" * 20_000, "```python\n" * 20_000, "<think>\n" * 20_000, "</think>\n" * 20_000, '"""\n' * 20_000),
        *("`" * 100_000, "> " * 50_000, " " * 100_000, "- " * 50_000, "<eos> " * 20_000, "x\n" * 30_000),
        *("```python\n'''\n```\n" * 5_000, "def f(x):\n" * 20_000, "import a\nprose here\n" * 10_000),
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("place", ["{}", "```python\n{}\n```", "def f(x):\n    return x\n{}", "```python\n{}"])
def test_deep_and_long_texts(hostile: str, place: str) -> None:
    """Texts on which parsers overflow or take quadratic time are read, too."""
    for problem in (CHECKED, RUN):
        program(problem, chat(place.format(hostile)))


# ---- nothing that counts is lost

NAMES = st.sampled_from(["a", "b", "c", "d", "e"])


@st.composite
def definitions(draw: st.DrawFn) -> str:
    """A top-level statement that binds a name, in one of the ways that Python has."""
    name, used, other = draw(NAMES), draw(NAMES), draw(NAMES)
    return draw(
        st.sampled_from(
            [
                f"def {name}(x):\n    return {used}(x) if x else {other}\n",
                f"@{used}\ndef {name}(x):\n    {other}.append(x)\n",
                f"async def {name}(x):\n    return await {used}(x)\n",
                f"def {name}(x):\n    while {used}:\n        yield {other}\n",
                f"class {name}({used}):\n    limit = {other}\n\n    def m(self):\n        return {used}(self)\n",
                f"{name} = {used}\n",
                f"{name} = [{used}, {other}]\n",
                f"{name}, {used} = {other}, 1\n",
                f"{name} = {used}(3)\n",
                f"for i in range(3):\n    {name} = i\n    {used}.append(i)\n",
                f"try:\n    import {name}\nexcept ImportError:\n    {name} = {used}\n",
                f"if {used}:\n    {name} = 1\nelse:\n    {name} = {other}\n",
                f"from m import {name}\n",
                f"import {name} as {used}\n",
                f"with {used} as {name}:\n    pass\n",
                f"{name} = lambda x: {used}(x)\n",
                f"{used}[0] = {other}\n",
                f"{used}.key = {other}\n",
                f"{used}.update({other})\n",
                f"{used}()\n",
                f"def {name}(x):\n    global {used}\n    {used} = {other}\n",
                f"print({used}({other}))\n",
                f"assert {used}(1) == {other}\n",
                f"if __name__ == '__main__':\n    {name} = 1\n    print({name})\n",
            ]
        )
    )


MODULES = st.lists(definitions(), min_size=1, max_size=8)


def plain_binds(node: ast.stmt) -> set[str]:
    """The names that a statement binds in the module, the simple way: every name that it stores, at any depth."""
    guard = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
    found = set()
    for child in () if guard else ast.walk(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(child.name)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            found.add(child.id)
        elif isinstance(child, ast.alias):
            found.add(child.asname or child.name)
        elif isinstance(child, ast.Global):
            found |= set(child.names)
    return found


def reached(source: str) -> list[str]:
    """The statements that define what `f` reaches, by a search of its own: any name that is read is a use."""
    tree = ast.parse(source)
    names, before = {"f"}, 0
    while before != len(names):
        before = len(names)
        for node in tree.body:
            if plain_binds(node) & names:
                read = (child for child in ast.walk(node) if isinstance(child, ast.Name))
                names |= {child.id for child in read if isinstance(child.ctx, ast.Load)}
    return [ast.unparse(node) for node in tree.body if plain_binds(node) & names]


WRAPS: list[Callable[[str], str]] = [
    lambda code: code,
    lambda code: f"Here it is:\n\n```python\n{code}```\n\nIt works. 🎉\n",
    lambda code: f"<think>\ndef f(x): return 0\n</think>\n```\n{code}```",
    lambda code: f"```python\n{code}```\nUsage:\n```python\nprint(f(1))\n```\n",
    lambda code: f"```python\ndef f(x):\n    return 'draft'\n```\nBetter:\n```py\n{code}\n```\n",
    lambda code: f"```python\n{code}",
    lambda code: "1. So:\n\n" + "".join(f"   {line}\n" for line in f"```python\n{code}```".split("\n")),
    lambda code: f"```python\r\n{code}```".replace("\r", "").replace("\n", "\r\n"),
]


@QUICK
@given(before=MODULES, after=MODULES, wrap=st.sampled_from(WRAPS), used=NAMES)
@example(before=["a = 1\n"], after=["def f(x):\n    return a\n", "a = 2\n"], wrap=WRAPS[1], used="b")
def test_what_the_entry_point_reaches_is_kept(
    before: list[str], after: list[str], wrap: Callable[[str], str], used: str
) -> None:
    """Every statement that binds a name which the entry point reaches is in the program, in the same order."""
    code = "\n".join([*before, f"def f(x):\n    return {used}(x)\n", *after])
    made = program(CHECKED, chat(wrap(code)))
    kept = [ast.unparse(node) for node in ast.parse(made.source).body]
    rest = iter(kept)
    assert all(statement in rest for statement in reached(code)), made


@QUICK
@given(parts=st.lists(MODULES.map("\n".join), min_size=1, max_size=3), used=NAMES)
def test_helpers_in_other_blocks_are_kept(parts: list[str], used: str) -> None:
    """Names that the last block needs and any block defines are defined in the program."""
    last = f"def f(x):\n    return {used}(x)\n"
    fences = [f"Step:\n```python\n{part}\n```\n" for part in (*parts, last)]
    made = program(CHECKED, chat("".join(fences)))
    defined = {name for part in parts for node in ast.parse(part).body for name in plain_binds(node)}
    own = {name for node in ast.parse(made.source).body for name in plain_binds(node)}
    assert "f" in own
    assert used not in defined or used in own


@QUICK
@given(before=MODULES, after=MODULES, used=NAMES, name=st.sampled_from(["auto", "chat"]))
def test_extracting_twice_changes_nothing(before: list[str], after: list[str], used: str, name: str) -> None:
    """A program is its own program."""
    code = "\n".join([*before, f"def f(x):\n    return {used}(x)\n", *after])
    once = program(CHECKED, chat(f"```python\n{code}```"), name)
    assert once.source == program(CHECKED, chat(once.source), name).source


@QUICK
@given(text=ANYTHING.filter(lambda text: "`" not in text and "~" not in text and "<" not in text))
def test_extracting_any_text_twice_changes_nothing(text: str) -> None:
    """A program made of any text is its own program; without fences, for these can be of the program."""
    once = program(CHECKED, chat(text))
    assert once.source == program(CHECKED, chat(once.source)).source


@QUICK
@given(codes=st.lists(MODULES.map("\n".join), min_size=1, max_size=5))
def test_blocks_are_read_back(codes: list[str]) -> None:
    """Fences around code give the code."""
    text = "".join(f"Text {number}.\n\n```python\n{code}```\n\n" for number, code in enumerate(codes))
    assert codes == [block.text for block in blocks(text)]


# ---- work is linear in length


def work(monkeypatch: pytest.MonkeyPatch, text: str) -> tuple[int, int]:
    """How often a parser is asked, and for how many characters in all."""
    sizes: list[int] = []
    plain = parsing.parse

    def counted(source: str) -> parsing.Parsed:
        sizes.append(len(source))
        return plain(source)

    with monkeypatch.context() as patch:
        patch.setattr(parsing, "parse", counted)
        program(CHECKED, chat(text))
    return len(sizes), sum(sizes)


UNITS = {
    "one long block": ("```python\n", "def f(x):\n    return x\n\n", "```\n"),
    "many blocks": ("", "Text.\n\n```python\ndef f(x):\n    return x\n```\n\n", ""),
    "many demos": ("```python\ndef f(x):\n    return x\n", "print(f(1))\n", "```\n"),
    "prose and code": ("", "def f(x):\n    return x\n\nThis is prose.\n\n", ""),
    "blocks that do not parse": ("", "```python\ndef f(x:\n    return x\n```\n", ""),
    "never closed": ("```python\n", "def f(x):\n    return x\n\nThis is prose.\n\n", ""),
    "helpers in blocks": (
        "",
        "```python\ndef g(x):\n    return h(x)\n```\n",
        "```python\ndef f(x): return g(x)\n```\n",
    ),
    "bodies": ("", "```python\n    return x\n```\n", ""),
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=list(UNITS))
def test_work_is_linear(unit: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each candidate is parsed once, a text as a whole a few times: characters parsed stay below a multiple."""
    head, body, tail = unit
    fences = head.count("```p") + body.count("```p") * 400 + tail.count("```p")
    for copies in (400, 4000):
        text = head + body * copies + tail
        parses, characters = work(monkeypatch, text)
        assert parses <= (fences * copies // 400 if fences > 2 else fences) + 32
        assert characters <= 20 * len(text) + 2_000


def test_a_hundred_thousand_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer of 100,000 lines gives its whole module, parsed twice: as a whole in vain, and as a block."""
    lines = [f"def h{number}(x):\n    return x + {number}\n" for number in range(33_333)]
    code = "\n".join([*lines, "def f(x):\n    return h7(x)\n"])
    text = f"Sure:\n\n```python\n{code}```\n\nDone.\n"
    assert 100_000 <= text.count("\n")
    assert code == program(CHECKED, chat(text)).source
