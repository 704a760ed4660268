"""Which calls are dangerous, and when.

A rule names calls by their paths and says what a call must look like to be a danger. Constants as arguments lower
the severity, text from outside raises it, and what cannot be seen lowers the confidence.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from codejury.metrics.values import EMPTY, NONE, Group, Value, external, harmless, texts, truth

if TYPE_CHECKING:
    from codejury.model import Confidence, Severity

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh", "csh", "tcsh", "fish", "cmd", "powershell", "pwsh"})
_COMMAND_FLAG = re.compile(r"-[a-z]*c|/[ck]|-command", re.IGNORECASE)


class Call(NamedTuple):
    """The arguments of a call, as far as they can be seen.

    Attributes:
        args: By position, up to a starred one that hides its elements.
        keywords: By name.
        more: Whether `*args` or `**kw` may bring others.
    """

    args: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = MappingProxyType({})
    more: bool = False

    def argument(self, position: int, *names: str) -> Value | None:
        """The argument with a position or one of these names; None where it is not seen."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        return self.args[position] if position < len(self.args) else None


class Danger(NamedTuple):
    """What is wrong with a call."""

    severity: Severity
    confidence: Confidence
    reason: str


class Rule(NamedTuple):
    """What to look for in calls of some functions.

    Attributes:
        id: Name of the rule.
        cwe: Weakness.
        reason: What is wrong, after the function's name.
        check: Says whether a call is a danger.
        subject: Names of the argument that the danger comes from, the first by position.
        severity: With an argument that is computed.
        constant: With one that is a constant.
    """

    id: str
    cwe: str
    reason: str
    check: Callable[[Rule, Call], Danger | None]
    subject: tuple[str, ...] = ()
    severity: Severity = "high"
    constant: Severity = "low"

    def judged(self, subject: Value | None, confidence: Confidence = "high") -> Danger:
        """The danger of a call with this subject."""
        severity = self.severity
        if subject and (harmless(subject) or subject <= _OWN_DATA):
            severity = self.constant
        elif subject and external(subject) and severity == "high":
            severity = "critical"
        return Danger(severity, confidence, self.reason)


_Check: TypeAlias = Callable[[Rule, Call], "Danger | None"]

# What the program itself has just serialised: loading it is a copy.
DUMPS = ("pickle.dumps", "cPickle.dumps", "_pickle.dumps", "dill.dumps", "cloudpickle.dumps", "marshal.dumps")
_OWN_DATA: Value = frozenset(f"{path}()" for path in DUMPS)

SAFE_LOADERS: Value = frozenset(
    f"yaml.{name}" for name in ("SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader")
)
FULL_LOADERS: Value = frozenset({"yaml.FullLoader", "yaml.CFullLoader"})
UNSAFE_LOADERS: Value = frozenset(
    {"yaml.Loader", "yaml.CLoader", "yaml.UnsafeLoader", "yaml.CUnsafeLoader", NONE},
)
LOADERS: Value = SAFE_LOADERS | FULL_LOADERS | (UNSAFE_LOADERS - {NONE})


def always(rule: Rule, call: Call) -> Danger:
    """Whatever the arguments are."""
    return rule.judged(call.argument(0, *rule.subject))


def _computed(rule: Rule, call: Call) -> Danger | None:
    subject = call.argument(0, *rule.subject)
    return None if subject is not None and harmless(subject) else rule.judged(subject)


def _compiles(rule: Rule, call: Call) -> Danger | None:
    """`compile`, unless its flags ask for a syntax tree."""
    flags = call.argument(3, "flags")
    return None if flags is not None and "ast.PyCF_ONLY_AST" in flags else always(rule, call)


def _flag(position: int, name: str, *, dangerous: bool, default: bool) -> _Check:
    """A danger if an argument is true, or if it is false."""

    def check(rule: Rule, call: Call) -> Danger | None:
        given = call.argument(position, name)
        subject = call.argument(0, *rule.subject)
        if given is None and not call.more:
            return rule.judged(subject) if default is dangerous else None
        answer = None if given is None else truth(given)
        if answer is None:
            return Danger("medium", "low" if given is None else "medium", f"{rule.reason}, depending on `{name}`")
        return rule.judged(subject) if answer is dangerous else None

    return check


_with_shell = _flag(8, "shell", dangerous=True, default=False)


def _subprocess(rule: Rule, call: Call) -> Danger | None:
    command = call.argument(0, "args")
    if (given := _shell_command(_flat(command))) is not None:
        return rule.judged(given)
    return _with_shell(rule, call)


def _arguments(first: int) -> _Check:
    """A danger if the arguments from a position on are a shell with a command."""

    def check(rule: Rule, call: Call) -> Danger | None:
        given = _shell_command([value for argument in call.args[first:] for value in _flat(argument)])
        return None if given is None else rule.judged(given)

    return check


def _flat(value: Value | None) -> list[Value]:
    """The elements of a sequence; a value that is none."""
    if value is not None and len(value) == 1:
        (atom,) = value
        if isinstance(atom, Group) and atom.sequence:
            return list(atom.values)
    return [] if value is None else [value]


def _shell_command(words: list[Value]) -> Value | None:
    """The command in `sh -c command`; None where the words are nothing like it."""
    names = texts(words[0]) if words else []
    if not any(
        posixpath.basename(name.replace("\\", "/")).lower().removesuffix(".exe") in SHELLS for name in names
    ):
        return None
    for i, word in enumerate(words[1:], start=2):
        if any(map(_COMMAND_FLAG.fullmatch, texts(word))):
            return EMPTY.union(*words[i:])
    return None


def _yaml(rule: Rule, call: Call) -> Danger | None:
    loader = call.argument(1, "Loader")
    subject = call.argument(0, *rule.subject)
    if loader is None:
        return (
            Danger("medium", "low", f"{rule.reason}, unless it is given a safe Loader")
            if call.more
            else (rule.judged(subject))
        )
    if loader and loader <= SAFE_LOADERS:
        return None
    sure: Confidence = "high" if loader <= SAFE_LOADERS | FULL_LOADERS | UNSAFE_LOADERS and loader else "medium"
    if loader & UNSAFE_LOADERS:
        return rule.judged(subject, sure)
    return Danger("medium", sure, f"{rule.reason}, unless its Loader is a safe one")


def _paths(modules: str, names: str) -> list[str]:
    return [f"{module}.{name}" for module in modules.split() for name in names.split()]


_RUNS = "runs its argument as Python code"
_SHELL = "gives its argument to a shell"
_OBJECTS = "builds any object that the data asks for, which can run code"
_LOADS = "load loads Unpickler().load _Unpickler().load _load _loads"

_TABLE: list[tuple[Rule, list[str]]] = [
    (Rule("eval", "CWE-95", _RUNS, always), ["builtins.eval"]),
    (Rule("exec", "CWE-95", _RUNS, always), ["builtins.exec"]),
    (
        Rule("compile", "CWE-95", "makes Python code of its argument", _compiles, ("source",), "medium"),
        ["builtins.compile"],
    ),
    (Rule("os-system", "CWE-78", _SHELL, always, ("command",)), ["os.system"]),
    (
        Rule("shell", "CWE-78", _SHELL, always, ("cmd",)),
        [
            "os.popen",
            *_paths("subprocess commands", "getoutput getstatusoutput"),
            "asyncio.create_subprocess_shell",
        ],
    ),
    (
        Rule("subprocess-shell", "CWE-78", "gives its command to a shell", _subprocess, ("args",)),
        _paths("subprocess", "run call check_call check_output Popen"),
    ),
    (
        Rule("exec-shell", "CWE-78", "starts a shell with a command", _arguments(0)),
        [
            *_paths("os", "execl execle execlp execlpe execv execve execvp execvpe posix_spawn posix_spawnp"),
            "asyncio.create_subprocess_exec",
        ],
    ),
    (
        Rule("exec-shell", "CWE-78", "starts a shell with a command", _arguments(1)),
        _paths("os", "spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe"),
    ),
    (
        Rule("pickle", "CWE-502", _OBJECTS, always, ("file", "data")),
        _paths("pickle cPickle _pickle", _LOADS),
    ),
    (
        Rule("deserialise", "CWE-502", _OBJECTS, always, ("file", "str")),
        _paths("dill cloudpickle", "load loads Unpickler().load"),
    ),
    (
        Rule("deserialise", "CWE-502", "loads code objects from data that may be damaged or hostile", always),
        ["marshal.load", "marshal.loads"],
    ),
    (
        Rule("deserialise", "CWE-502", _OBJECTS, always, ("filename", "filepath_or_buffer"), constant="medium"),
        ["joblib.load", "pandas.read_pickle", *_paths("shelve", "open Shelf BsdDbShelf DbfilenameShelf")],
    ),
    (
        Rule(
            "deserialise",
            "CWE-502",
            f"{_OBJECTS}, without weights_only=True",
            _flag(3, "weights_only", dangerous=False, default=False),
            ("f",),
            constant="medium",
        ),
        ["torch.load"],
    ),
    (
        Rule(
            "deserialise",
            "CWE-502",
            f"{_OBJECTS}, with allow_pickle=True",
            _flag(2, "allow_pickle", dangerous=True, default=False),
            ("file",),
            constant="medium",
        ),
        ["numpy.load"],
    ),
    (Rule("yaml-load", "CWE-502", _OBJECTS, _yaml, ("stream",)), ["yaml.load", "yaml.load_all"]),
    (
        Rule("yaml-load", "CWE-502", _OBJECTS, always, ("stream",)),
        [
            *_paths("yaml", "unsafe_load unsafe_load_all"),
            *_paths(
                "yaml.Loader() yaml.UnsafeLoader() yaml.CLoader()", "get_data get_single_data construct_document"
            ),
        ],
    ),
    (
        Rule("yaml-load", "CWE-502", "builds more than plain data", always, ("stream",), "medium"),
        _paths("yaml", "full_load full_load_all"),
    ),
    (
        Rule(
            "dynamic-import", "CWE-94", "imports a module whose name is computed", _computed, ("name",), "medium"
        ),
        ["builtins.__import__", "importlib.import_module", "importlib.__import__"],
    ),
]

RULES: dict[str, Rule] = {path: rule for rule, paths in _TABLE for path in paths}

COMPUTED_BUILTIN = Rule(
    "computed-builtin", "CWE-95", "takes a builtin whose name is computed", always, severity="medium"
)
