"""The scanner against labelled programs, against any text, and its score."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury import metrics
from codejury.metrics import PAPER_PATTERNS, Scan, paper_score, scan
from codejury.metrics.dangers import COMPUTED_BUILTIN, RULES
from codejury.model import Finding

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
SNIPPETS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "labelled.toml").read_text(encoding="utf-8"),
)["snippet"]
SOURCES = [
    path.read_text(encoding="utf-8")
    for path in (
        ROOT / "src" / "codejury" / "metrics" / "calls.py",
        Path(warnings.__file__),
        Path(tomllib.__file__),
    )
]

each_snippet = pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet["name"])


def shown(found: Scan, shift: int = 0) -> list[str]:
    """Findings as the labels write them, with lines shifted back."""
    return [f"{f.line - shift} {f.rule} {f.severity} {f.confidence}" for f in found.findings]


def finding(rule: str, scanner: str = "codejury") -> Finding:
    """A finding of a rule."""
    return Finding(
        path="", line=1, cwe="CWE-95", severity="high", confidence="high", scanner=scanner, rule=rule, message=""
    )


def measured(severities: set[str]) -> tuple[float, float]:
    """Precision and recall on the labelled programs, where a program counts with a finding of these severities."""
    flagged = [any(f.severity in severities for f in scan(s["code"]).findings) for s in SNIPPETS]
    insecure = [s["insecure"] for s in SNIPPETS]
    both = sum(a and b for a, b in zip(flagged, insecure, strict=True))
    return both / sum(flagged), both / sum(insecure)


@each_snippet
def test_labelled(snippet: dict[str, Any]) -> None:
    """Each program has the findings that its label names, at their lines, and no others."""
    found = scan(snippet["code"])
    assert found.unscannable is None
    assert snippet["finds"] == shown(found)


@each_snippet
def test_labels_are_what_they_say(snippet: dict[str, Any]) -> None:
    """Where the label and the scanner differ, the name says that it is known."""
    known = snippet["name"].startswith(("missed: ", "false alarm: "))
    assert known is (snippet["insecure"] is not bool(snippet["finds"]))


@each_snippet
def test_lines_shift_with_the_program(snippet: dict[str, Any]) -> None:
    """Blank lines before a program move its findings and change nothing else."""
    assert snippet["finds"] == shown(scan("\n\n\n" + snippet["code"]), 3)


def test_size_of_the_set() -> None:
    """There are enough of both kinds, and names are unique."""
    assert len(SNIPPETS) >= 80
    assert min(sum(s["insecure"] for s in SNIPPETS), sum(not s["insecure"] for s in SNIPPETS)) >= 40
    assert len(SNIPPETS) == len({s["name"] for s in SNIPPETS})


@pytest.mark.parametrize(
    ("row", "severities", "least"),
    [
        ("any severity", {"low", "medium", "high", "critical"}, 0.95),
        ("medium and up", {"medium", "high", "critical"}, 0.9),  # constants as arguments are insecure, and low
    ],
)
def test_page_says_what_is_measured(row: str, severities: set[str], least: float) -> None:
    """The page has the scanner's precision and recall on the labelled programs, and they are what they were."""
    precision, recall = measured(severities)
    assert min(precision, recall) >= least
    assert f"| codejury, {row} | {precision:.2f} | {recall:.2f} |" in PAGE
    assert f"{len(SNIPPETS)} labelled programs ({sum(s['insecure'] for s in SNIPPETS)} insecure)" in PAGE


def test_page_has_every_rule() -> None:
    """The table of rules has each of them with its weakness."""
    rows = set(re.findall(r"^\| `([\w-]+)` \| (CWE-\d+)", PAGE, re.MULTILINE))
    assert {(rule.id, rule.cwe) for rule in (*RULES.values(), COMPUTED_BUILTIN)} == rows


def test_examples_of_the_page_are_true() -> None:
    """The page's interactive examples give what it shows."""
    failed, tried = doctest.testfile(str(ROOT / "docs" / "security.md"), module_relative=False)
    assert tried
    assert not failed


def test_facade() -> None:
    """What the room offers is what it names."""
    assert set(metrics.__all__) <= set(dir(metrics))
    assert sorted(metrics.__all__) == metrics.__all__


def test_finding_in_full() -> None:
    """A finding says where, what, how bad, how sure and who."""
    expected = Finding(
        path="a.py",
        line=2,
        cwe="CWE-78",
        severity="high",
        confidence="high",
        scanner="codejury",
        rule="os-system",
        message="os.system() gives its argument to a shell",
    )
    assert (expected,) == scan("import os\nos.system(c)\n", "a.py").findings


def test_findings_come_by_line() -> None:
    """A function's body is looked at late, and its findings still come in order."""
    found = scan("def f(x):\n    eval(x)\n\nexec(y)\neval(z)\n").findings
    assert [2, 4, 5] == [f.line for f in found]


def test_message_of_a_function_that_is_handed_on() -> None:
    """It does not claim a call."""
    (found,) = scan("map(eval, xs)").findings
    assert found.message == "eval is handed on; it runs its argument as Python code"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "no code"),
        (" \n\t\n", "no code"),
        ("# eval(x)\n", "no code"),
        ('"""Only words."""\n', "no code"),
        ("x = (\n", "does not parse: '(' was never closed (line 1)"),
        ("ok = 1\nprint 'eval'\n", "does not parse: Missing parentheses .* \\(line 2\\)"),
        ("a\0b", "does not parse: "),
        ("'\ud800'", "does not parse: "),
        ("x = " + "1" * 5000, "does not parse: "),
        ("x = " + "-" * 100_000 + "1", "nested too deep"),
        ("x = a" + ".b" * 100_000, "nested too deep"),
        ("x = " + "(" * 500 + ")" * 500, "does not parse: too many nested parentheses"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_unscannable(source: str, reason: str) -> None:
    """What cannot be read is never clean, and the reason says why."""
    found = scan(source)
    assert () == found.findings
    assert found.unscannable is not None
    assert re.match(re.escape(reason) if ".*" not in reason else reason, found.unscannable)


def test_byte_order_mark() -> None:
    """A file that begins with one is read as Python reads it."""
    assert ["1 eval high high"] == shown(scan("\ufeffeval(x)"))


@pytest.mark.parametrize(
    "source",
    [
        "".join(" " * i + "if a:\n" for i in range(95)) + " " * 95 + "eval(x)",
        "".join(" " * i + "for a in b:\n" for i in range(95)) + " " * 95 + "eval(x)",
        "".join(" " * i + f"def f{i}():\n" for i in range(95)) + " " * 95 + "eval(x)",
        "x = '" + "' + '".join("x" * 900) + "'\nos.system(c + x)",
        "if a: pass\n" + "elif b: pass\n" * 800 + "else: eval(x)",
        "x = " + "[" * 60 + "eval(y)" + " for y in z]" * 60,
        "a = 'x'\n" + "a = a + a\n" * 500 + "eval(y + a)",
        "a = [1]\n" + "a = [a, a]\n" * 500 + "eval(y)",
    ],
    ids=["if", "for", "def", "sum", "elif", "comprehension", "doubling", "groups"],
)
def test_deep_programs_are_scanned(source: str) -> None:
    """Nesting that real programs have costs nothing; values that double do not grow."""
    found = scan(source)
    assert found.unscannable is None
    assert 1 == len(found.findings)


def test_a_caller_near_its_limit_gets_an_answer() -> None:
    """Where the stack is nearly full, the program is unscannable and nothing is raised."""

    def at(depth: int) -> Scan:
        return scan("def f():\n    if a:\n        eval(x)\n") if depth == 0 else at(depth - 1)

    high = sys.getrecursionlimit()
    seen = set()
    for depth in range(high - 200, high, 2):
        try:
            seen.add(at(depth).unscannable)
        except RecursionError:
            break  # not even the call itself fits
    assert {None, "nested too deep, or too large"} >= seen
    assert seen


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_gives_an_answer(text: str) -> None:
    """No text makes the scanner raise."""
    found = scan(text)
    assert found.unscannable is None or not found.findings


WORDS = [
    "eval", "(", ")", "[", "]", "*", "**", ":=", "lambda:", "\n", "    ", "os", ".system", "import ", "global x",
    "=", ",", "'", "f'{", "for ", "in ", "if ", "class A:", "def f(x):", "return ", "yield ", "del ", "with ",
    "try:", "except*", "match x:", "case ", "await ", "\0", "\\", "shell=True", "getattr(", "globals()", "None",
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_mutated_program_gives_an_answer(data: st.DataObject) -> None:
    """Real sources with parts cut out, doubled and put elsewhere never make the scanner raise."""
    text = data.draw(st.sampled_from([*SOURCES, *(s["code"] for s in SNIPPETS)]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 40)))
        text = data.draw(
            st.sampled_from(
                [
                    text[:start] + text[end:],
                    text[:end] + text[start:],
                    text[:start] + data.draw(st.sampled_from(WORDS)) + text[start:],
                ]
            )
        )
    found = scan(text)
    assert found.unscannable is None or not found.findings


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
def test_any_sequence_of_words_gives_an_answer(text: str) -> None:
    """Words of the language in any order never make the scanner raise."""
    found = scan(text)
    assert found.unscannable is None or not found.findings


def test_nothing_is_run_or_imported(tmp_path: Path) -> None:
    """A program that would leave a trace leaves none, and its imports are not done."""
    trace = tmp_path / "trace"
    name = "this.is_not_scanned_by_importing"
    before = set(sys.modules)
    scan(f"import {name}\nimport antigravity\nopen({str(trace)!r}, 'w')\neval(\"open({str(trace)!r}, 'w')\")\n")
    assert not trace.exists()
    assert "antigravity" not in set(sys.modules) - before


def test_findings_do_not_depend_on_hashing() -> None:
    """Every program gives the same text whatever the seed of hashes is."""
    program = (
        "import sys, tomllib; from codejury.metrics import scan\n"
        "for s in tomllib.load(open(sys.argv[1], 'rb'))['snippet']: sys.stdout.write(repr(scan(s['code'])))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).parent / "labelled.toml")],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert 1 == len(said)


def test_warnings_of_the_parser_are_kept_silent() -> None:
    """A program with a doubtful escape is scanned, also where warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ["1 eval low high"] == shown(scan("eval('\\d')"))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], 1.0),
        (["eval"], 6 / 7),
        (["eval", "eval", "eval"], 6 / 7),
        (["eval", "os-system", "yaml-load"], 4 / 7),
        (["shell", "deserialise", "compile", "exec-shell", "computed-builtin"], 1.0),
        (list(PAPER_PATTERNS), 0.0),
    ],
)
def test_paper_score(rules: list[str], expected: float) -> None:
    """A seventh for each pattern that was found, however often; the kin count nothing."""
    assert expected == pytest.approx(paper_score(map(finding, rules)))


def test_paper_score_of_other_scanners() -> None:
    """Rules of another scanner may have the same names, and are none of the patterns."""
    assert paper_score([finding("eval", "bandit")]) == 1.0


def test_paper_patterns_are_rules() -> None:
    """There are seven, and each has a rule that finds it."""
    assert len(PAPER_PATTERNS) == 7
    assert {rule.id for rule in RULES.values()} >= PAPER_PATTERNS.keys()
