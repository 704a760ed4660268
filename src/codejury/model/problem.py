"""Problems: what a model is asked, and the tests that judge its answers."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from codejury.model.limits import LimitOverrides


class CheckFunction(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="check"):
    """A function that is given the candidate's function and asserts on what it returns (HumanEval's form).

    Attributes:
        code: Source that defines `function`.
        function: Name of that function; it takes the candidate's function as its only argument.
        context: Source that runs before `code`, as helper functions and imports of the prompt. It runs where the
            tests run, never in the candidate's process.
    """

    code: str
    function: str = "check"
    context: str = ""


class Assertions(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="assertions"):
    """A list of statements that call the entry point by name and assert on what it returns (MBPP's form).

    Attributes:
        code: The statements, one source text each.
        context: Source that runs before them, where the tests run.
    """

    code: tuple[str, ...]
    context: str = ""


class Comparison(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How an output is held against the expected one; every rule holds at every depth.

    Attributes:
        types: "exact": the same type at every depth, and a bool is no int; "python": what Python calls equal is
            equal, so 1, 1.0 and True are, and a list and a tuple are not.
        order: "ordered"; "unordered": the items of the outermost list or tuple in any order, each as often as
            expected; "set": its distinct items, however often and in whatever order.
        rel_tol: A float may differ by `abs_tol + rel_tol * abs(expected)`.
        abs_tol: See `rel_tol`.
        nan_equal: Whether a NaN is right where a NaN is expected.
    """

    types: Literal["exact", "python"] = "exact"
    order: Literal["ordered", "unordered", "set"] = "ordered"
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    nan_equal: bool = True

    def __post_init__(self) -> None:
        """Reject tolerances that are none."""
        for name in ("rel_tol", "abs_tol"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be a number of at least 0")


class Inputs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="inputs"):
    """Calls of the entry point whose outputs are compared with given ones, or with the reference's.

    EvalPlus' form. Values are written as in the value protocol (docs/protocol.md): JSON, with tags for what JSON
    does not have.

    Attributes:
        base: Calls, each a list of arguments.
        plus: Further calls; a sample passes if it passes both, and figures of the base alone are given beside.
        expected: Outputs of base and plus calls together; None for those that the reference gives.
        comparison: How outputs are compared.
        oracle: Source of a function `oracle(arguments, expected, output)` that says whether an output is right, in
            the place of the comparison. It runs where the tests run.
    """

    base: tuple[tuple[Any, ...], ...]
    plus: tuple[tuple[Any, ...], ...] = ()
    expected: tuple[Any, ...] | None = None
    comparison: Comparison = Comparison()
    oracle: str = ""


class StdinCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run of a program.

    Attributes:
        stdin: What it reads.
        stdout: What it should write.
    """

    stdin: str
    stdout: str


class Checker(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How the output of a run is held against the expected one; output that is not UTF-8 is wrong.

    Attributes:
        kind: "exact": the same characters, but for one line end at the end of either; "tokens": the same words,
            separated by ASCII white space; "decimal": as tokens, but where a decimal fraction is expected, any
            ASCII number that is near enough; "unordered_lines": the same lines in any order, each as often as
            expected; "custom": what `code` says.
        rel_tol: For "decimal": a number may differ by `abs_tol + rel_tol * abs(expected)`.
        abs_tol: See `rel_tol`.
        code: For "custom": source of a function `check(stdin, expected, output)` that gives a bool. It gets texts
            alone, and runs where the tests run.
    """

    kind: Literal["exact", "tokens", "decimal", "unordered_lines", "custom"] = "tokens"
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    code: str = ""

    def __post_init__(self) -> None:
        """Reject tolerances that are none, and settings that the kind does not use."""
        for name in ("rel_tol", "abs_tol"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be a number of at least 0")
            if getattr(self, name) and self.kind != "decimal":
                raise ValueError(f"{name} is for the kind 'decimal' alone")
        if bool(self.code.strip()) is not (self.kind == "custom"):
            raise ValueError("code is for the kind 'custom', which needs it")


class StdinStdout(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="stdio"):
    """Runs of a whole program, each with an input of its own: what it writes is compared. It has no entry point.

    Attributes:
        cases: The runs.
        checker: How their outputs are compared.
    """

    cases: tuple[StdinCase, ...]
    checker: Checker = Checker()


class Unittest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="unittest"):
    """A module of unittest's tests. The entry point is in its globals, and `module` can be imported.

    Attributes:
        code: Source of the module.
        context: Source that runs before it, where the tests run.
        module: Name under which the tests may import the program.
    """

    code: str
    context: str = ""
    module: str = "solution"


class Pytest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="pytest"):
    """A module of pytest's tests: functions, classes, fixtures, parameters. Else as `Unittest`.

    Attributes:
        code: Source of the module.
        context: Source that runs before it, where the tests run.
        module: Name under which the tests may import the program.
    """

    code: str
    context: str = ""
    module: str = "solution"


class Script(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="script"):
    """Source that is joined to the program; the whole passes with exit code 0 (MultiPL-E's form).

    Whoever runs with the tests can end the process before them, so where another kind can express the same tests,
    they are read as that.

    Attributes:
        code: What follows the program, after a line end.
        before: What precedes it, as a package's name and imports.
    """

    code: str
    before: str = ""

    def joined(self, program: str) -> str:
        """What is run for a program."""
        return f"{self.before}{program}\n{self.code}"


class Unjudged(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="none"):
    """No tests: answers are compared with the reference by metrics, not judged (CrossCodeEval's form)."""


PYTHON = frozenset(("python", "python3", "py"))
"""Names of the language whose programs can be judged."""

Tests = CheckFunction | Assertions | Inputs | StdinStdout | Unittest | Pytest | Script | Unjudged


class ContextFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of another file of the problem's repository.

    Attributes:
        path: Of the file, as the set gives it; it names the piece and is never opened.
        text: Its text, or a part of it.
    """

    path: str
    text: str


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One problem.

    Attributes:
        id: Unique within its set; printable, no control characters, no path traversal.
        prompt: What the model is asked. For completion-style sets, code that the completion continues.
        entry_point: Name of the function that the tests call; empty where they run the whole program.
        tests: What judges an answer.
        suffix: Code after the hole, for fill-in-the-middle problems.
        language: Lower-case name of the programming language.
        reference: A whole program that is a right answer, prompt included.
        difficulty: As the set says, often "easy", "medium", "hard".
        tags: Free labels.
        cluster: The source that the problem shares with others; intervals take the clusters into account.
        created: ISO date.
        licence: SPDX identifier.
        limits: What the problem sets for itself.
        inputs: Source of a function `inputs(scale, seed)` that returns a list of calls, each a list of arguments;
            the work of a call grows with `scale`. None where no scale makes sense. It runs where the tests run.
        instruction: What a chat model is asked in the prompt's place, where the set has words for that.
        preamble: Source that the set puts before every answer that is a whole program, as imports.
        context: What the model may see of other files.
        stop: Texts at which a base model's completion ends, where the set names them.
    """

    id: str
    prompt: str
    entry_point: str
    tests: Tests
    suffix: str = ""
    language: str = "python"
    reference: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    cluster: str | None = None
    created: str | None = None
    licence: str | None = None
    limits: LimitOverrides | None = None
    inputs: str | None = None
    instruction: str = ""
    preamble: str = ""
    context: tuple[ContextFile, ...] = ()
    stop: tuple[str, ...] = ()

    @property
    def missing(self) -> str | None:
        """What the reference has between prompt and suffix; None where it does not begin and end with these."""
        whole, prompt, suffix = self.reference, self.prompt, self.suffix
        if whole is None or len(whole) < len(prompt) + len(suffix):
            return None
        if not (whole.startswith(prompt) and whole.endswith(suffix)):
            return None
        return whole[len(prompt) : len(whole) - len(suffix)]

    @property
    def obstacle(self) -> str | None:
        """Why no answer to the problem can be judged; None where answers can be."""
        if isinstance(self.tests, Unjudged):
            return "it has no tests: answers can be compared with its reference, not judged"
        if self.language not in PYTHON:
            return f"its answers are written in {self.language}: programs in Python alone can be judged"
        if isinstance(self.tests, Script):
            return "its tests run in one program with the answer, which could end them: give tests of another type"
        return None

    @property
    def hash(self) -> str:
        """SHA-256 of the whole problem, in hex: two problems with the same hash are the same."""
        return _digest(self)

    @property
    def tests_hash(self) -> str:
        """SHA-256 of what judges an answer: entry point, tests, language, own limits, and what the tests expect.

        The last is the reference's where the tests leave it to that.
        """
        parts: tuple[object, ...] = (self.entry_point, self.tests, self.language, self.limits)
        if isinstance(self.tests, Inputs) and self.tests.expected is None:
            parts += (self.reference,)
        return _digest(parts)


class ProblemSet(msgspec.Struct, frozen=True, kw_only=True):
    """A named, versioned list of problems.

    Attributes:
        name: Name in the registry, or the file's stem.
        version: "N-X"; another N means that scores are no longer comparable, another X another interface.
        problems: In the order of their source; ids are unique.
        source: Where it came from: "built-in", a package, a file name.
    """

    name: str
    version: str
    problems: tuple[Problem, ...]
    source: str = ""

    @property
    def hash(self) -> str:
        """SHA-256 over what the problems ask and how they are judged, independent of their order and labels."""
        asked = sorted(_digest(_asked(problem)) for problem in self.problems)
        return hashlib.sha256("\n".join(asked).encode()).hexdigest()

    def by_id(self) -> dict[str, Problem]:
        """The problems by their id."""
        return {p.id: p for p in self.problems}


def _asked(problem: Problem) -> tuple[object, ...]:
    """What a problem asks and how it is judged; what few sets have counts where it is there."""
    p = problem
    always = (p.id, p.prompt, p.suffix, p.language, p.entry_point, p.tests, p.reference, p.limits)
    further = {
        name: value for name in ("instruction", "preamble", "context", "stop") if (value := getattr(p, name))
    }
    return (*always, further) if further else always


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
