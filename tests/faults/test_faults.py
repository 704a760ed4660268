"""Faults at random moments of a run: what comes out at the end is what an undisturbed run gives.

The schedule follows from a seed alone, as far as a machine's timing lets it; a failure names seed and events.
"""

from __future__ import annotations

import contextlib
import json
import random
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from codejury.model import UsageError
from codejury.pipeline.judge import BATCH
from codejury.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.conftest import Controller, Start, Volume

    from codejury.store import RunInfo

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox")]

CPU_S = 0.5
WALL_S = 3 * CPU_S + 1
GONE_S = 2.0
"""Within this, nothing may be left of a controller that was killed."""

LOST_S = 20.0
"""A signal that has not ended the command by now was lost."""

# ---- problems and samples

FAMILIES = (
    ("return x + {n}", "[0, 1, 10]"),
    ("return x * {n} - 1", "[0, 2, 5]"),
    ("return [x] * {n}", "[0, 'a', None]"),
    ("return str(x) + 'y' * {n}", "[1, 2.5, True]"),
    ("return sorted(x)[-{n}:]", "[[3, 1, 2], [5], []]"),
    ("return x[::-1] + list(range({n}))", "[[1, 2], [], [[3]]]"),
    ("return {{key: value + {n} for key, value in x.items()}}", "[{{'a': 1}}, {{}}, {{1: 2, 3: 4}}]"),
    ("return sum(x) % {n}", "[[1, 2, 3], [7], list(range(40))]"),
    ("return [i for i in x if i % {n} == 0]", "[[1, 2, 3, 4], [0], list(range(9))]"),
    ("return tuple(x[:{n}])", "['abcdefgh', [1], []]"),
)
PROBLEMS = [(body, inputs, n) for n in range(2, 7) for body, inputs in FAMILIES]

SPECIAL = {
    "exits": "import os; os._exit(3)",
    "aborts": "import os; os.abort()",
    "recurses": "return f(x)",
    "fills": "kept = []\n    while True: kept.append(bytearray(b'x') * (1 << 22))",
    "asks for too much": "return bytearray(1 << 40)",
    "spins": "while True: pass",
    "sleeps": "import time; time.sleep(60)",
    "is slow": "import time; time.sleep(0.3)\n    {right}",
    "is slow and wrong": "import time; time.sleep(0.3)\n    return 'no'",
    "gives no plain value": "return f",
}


def write_files(folder: Path, rng: random.Random, total: int, special: dict[str, int]) -> None:
    """Write `set.jsonl` and `samples.jsonl`: byte-distinct samples, those of `special` so many times."""
    problems = []
    for place, (body, inputs, n) in enumerate(PROBLEMS):
        right = body.format(n=n)
        code = f"def reference(x):\n    {right}\ndef check(c):\n    for x in {inputs.format()}:\n"
        problems.append(
            {
                "id": f"f/{place}",
                "prompt": "def f(x):\n",
                "entry_point": "f",
                "tests": {"type": "check", "code": code + "        assert c(x) == reference(x)\n"},
                "reference": f"def f(x):\n    {right}\n",
            }
        )
    kinds = [name for name, number in special.items() for _ in range(number)]
    kinds += rng.choices(("right", "wrong", "raises", "syntax"), (57, 30, 9, 4), k=total - len(kinds))
    rng.shuffle(kinds)
    rows = []
    for number, kind in enumerate(kinds):
        body, _, n = PROBLEMS[number % len(PROBLEMS)]
        right = body.format(n=n)
        text = {
            "right": right,
            "wrong": body.format(n=n + 1),
            "raises": f"raise ValueError({number})",
            "syntax": "return (",
            **SPECIAL,
        }[kind].replace("{right}", right)
        rows.append({"task_id": f"f/{number % len(PROBLEMS)}", "completion": f"    {text}  # {number}\n"})
    for name, lines in (("set.jsonl", problems), ("samples.jsonl", rows)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


# ---- the schedule


class Event(NamedTuple):
    """A fault: its kind, the number of judged samples at which it comes, seconds into a start, and how long."""

    kind: str
    at: int
    delay_s: float
    for_s: float


def schedule(rng: random.Random, kinds: dict[str, int], total: int) -> list[Event]:
    """Events in random order over the whole run; a few of them before its first sample."""
    names = [name for name, number in kinds.items() for _ in range(number)]
    rng.shuffle(names)
    places = sorted(max(0, rng.randrange(-total // 16, total * 9 // 10)) for _ in names)
    return [
        Event(
            name,
            at,
            rng.choice((0.0, rng.uniform(0.0, 0.3), rng.uniform(0.0, 2.0))),
            rng.choice((rng.uniform(0.05, 1.0), rng.uniform(WALL_S + 0.5, WALL_S + 1.5))),
        )
        for name, at in zip(names, places, strict=True)
    ]


class Campaign:
    """A run that is disturbed.

    Args:
        start: Starts the command.
        volume: Where its store is.
        total: Samples of the run.
        seed: Of the schedule, for messages.
    """

    def __init__(self, start: Start, volume: Volume, total: int, seed: int) -> None:
        self.start, self.volume, self.total, self.seed = start, volume, total, seed
        self.store = volume.folder / "runs.db"
        self.told: list[str] = []
        self.kept = 0  # of the sessions before the present one
        self.again = 0  # verdicts that were lost

    def story(self) -> str:
        """What happened so far, for a failure."""
        return f"seed {self.seed}, events:\n" + "\n".join(self.told)

    def check(self, holds: object, what: object) -> None:
        """Fail with the story unless something holds."""
        if not holds:
            pytest.fail(f"{what}\n{self.story()}")

    def run(self, events: list[Event]) -> None:
        """Disturb a run by events and go on after each death, to its end."""
        process = self.begin()
        for event in events:
            self.wait_for(process, event)
            self.check(process.running, "the run ended before all events had come")
            self.told.append(f"{event} at {self.kept + process.judged} judged")
            happened = getattr(self, f"do_{event.kind.replace(' ', '_')}")(process, event)
            if happened == "dead":
                self.take_stock(process, 0 if event.kind in ("term", "int") else BATCH)
                process = self.begin()
        code, err = process.wait()
        self.check((code, err) == (0, ""), f"the last session ended with {code}: {err}")
        self.take_stock(process, 0)

    def begin(self) -> Controller:
        """Start the command: anew, or where it was broken off."""
        return self.start(arguments(self.store, ["--resume"] if self.info() is not None else []))

    def info(self) -> RunInfo | None:
        """The run in the store; None if it is not there."""
        if not self.store.exists():
            return None
        with Store.open(self.store) as store, contextlib.suppress(UsageError):
            return store.find_run("run")
        return None

    def wait_for(self, process: Controller, event: Event) -> None:
        """Wait until as many samples are judged, or, early in a session, until its time has come."""
        deadline = time.monotonic() + event.delay_s
        while process.running:
            early = process.judged == 0
            if self.kept + process.judged >= event.at and (not early or time.monotonic() >= deadline):
                return
            time.sleep(0.005)

    def take_stock(self, process: Controller, most: int) -> None:
        """After a death: a whole run or none, and at most so many of its verdicts lost."""
        info = self.info()
        kept = 0 if info is None else info.judged
        self.check(info is None or info.samples == self.total, f"half a run: {info}")
        lost = self.kept + process.judged - kept
        self.told.append(f"  {process.judged} judged, {kept} kept in all, {lost} lost")
        self.check(0 <= lost <= most, f"{lost} verdicts were judged and not kept")
        self.kept, self.again = kept, self.again + lost
        left = process.left_after(GONE_S)
        self.check(not left, f"left after {GONE_S:g} s: {left}")

    # ---- faults

    def do_kill(self, process: Controller, _: Event) -> str:
        """A kill -9."""
        process.kill()
        self.check(not process.errors.read_bytes(), process.errors.read_bytes())
        return "dead"

    def do_full(self, process: Controller, _: Event) -> str:
        """No byte is free on the store's disk until the command has given up."""
        while process.running:
            self.volume.fill()
            time.sleep(0.02)
        code, err = process.wait()
        self.volume.free()
        one_line = err.startswith("codejury: store ") and err.count("\n") == 1 and "disk" in err
        self.check((code == 3 and one_line) or (code == 0 and not err), f"{code}: {err}")
        return "dead"

    def do_term(self, process: Controller, _: Event) -> str:
        """A SIGTERM."""
        return self.one_line(process, signal.SIGTERM)

    def do_int(self, process: Controller, _: Event) -> str:
        """A Ctrl-C."""
        return self.one_line(process, signal.SIGINT)

    def do_int_twice(self, process: Controller, event: Event) -> str:
        """A second Ctrl-C while the first one is at work: Python may end by the signal, and with its own words."""
        code, err = self.interrupt(process, signal.SIGINT, min(event.delay_s, 0.1))
        self.check(code in (130, -signal.SIGINT), f"{code}: {err}")
        return "dead"

    def one_line(self, process: Controller, number: signal.Signals) -> str:
        """Break the run off as a user does, and see it end in one line."""
        code, err = self.interrupt(process, number)
        self.check(code == 130 and err.splitlines()[-1].startswith("codejury: interrupted"), f"{code}: {err}")
        return "dead"

    def interrupt(self, process: Controller, number: signal.Signals, *again_s: float) -> tuple[int, str]:
        """Send a signal, and again after some seconds; at last where it was lost.

        Python drops what a handler raises in the callback of a weak reference, as there are many while it imports.
        """
        while process.running and not process.listens:
            time.sleep(0.005)
        for seconds in (*again_s, LOST_S, LOST_S):
            if process.running:
                process.signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.process.wait(seconds)
                break
        return process.wait()

    def do_stop(self, process: Controller, event: Event) -> str:
        """The controller alone is stopped, as by Ctrl-Z; its sandbox goes on."""
        process.signal(signal.SIGSTOP)
        time.sleep(event.for_s)
        process.signal(signal.SIGCONT)
        return "alive"

    def do_freeze(self, process: Controller, event: Event) -> str:
        """Everything is stopped, as by pausing a container."""
        process.freeze()
        time.sleep(event.for_s)
        process.thaw(controller_first=event.delay_s > 0)
        return "alive"

    def do_lock(self, _: Controller, event: Event) -> str:
        """Another process writes to the store."""
        if self.store.exists():
            with contextlib.closing(sqlite3.connect(self.store, timeout=30.0, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                time.sleep(event.for_s)
                other.execute("ROLLBACK")
        return "alive"


def arguments(store: Path, more: list[str]) -> list[str]:
    """A call of the command in the folder of the files."""
    limits = ["--cpu", f"{CPU_S}", "--cpu-total", "2", "--memory", "128", "--slots", "2"]
    files = ["samples.jsonl", "--problems", "set.jsonl", "--store", str(store), "--json", f"{store.name}.json"]
    return ["judge", *files, "--run", "run", "--quiet", *limits, *more]


def verdicts_of(store: Path) -> dict[tuple[str, int], tuple[str, str, int]]:
    """Outcome, integrity and number of passed tests of each sample; each is there once, and counted."""
    with Store.open(store, create=False) as opened:
        info = opened.find_run("run")
        rows = list(opened.verdicts(info.id))
        counts = opened.counts(info.id)
    found: dict[tuple[str, int], tuple[str, str, int]] = {
        (v.problem_id, v.index): (v.outcome.value, v.integrity, sum(v.tests_passed)) for v in rows
    }
    assert info.samples == info.judged == len(rows) == len(found)
    right = Counter(problem for (problem, _), verdict in found.items() if verdict[0] == "passed")
    every = Counter(problem for problem, _ in found)
    assert {problem: (every[problem], right[problem]) for problem in counts.problem_ids} == {
        problem: (n, c)
        for problem, n, c in zip(counts.problem_ids, counts.n.tolist(), counts.c.tolist(), strict=True)
    }
    return found


def document_of(file: Path) -> dict[str, Any]:
    """What of a document does not depend on time."""
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {name: value for name, value in document.items() if name != "timing"}


def compare(
    start: Start,
    volume: Volume,
    folder: Path,
    seed: int,
    total: int,
    special: dict[str, int],
    kinds: dict[str, int],
) -> Campaign:
    """Judge undisturbed and disturbed; everything but time is the same."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    write_files(folder, rng, total, special)
    calm = volume.folder / "calm.db"
    undisturbed = start(arguments(calm, []))
    code, err = undisturbed.wait()
    assert (0, "", total) == (code, err, undisturbed.judged)
    if not volume.small:
        kinds = {name: number for name, number in kinds.items() if name != "full"}
    campaign = Campaign(start, volume, total, seed)
    campaign.run(schedule(rng, kinds, total))
    expected, found = verdicts_of(calm), verdicts_of(campaign.store)
    differ = {key: (value, found.get(key)) for key, value in expected.items() if value != found.get(key)}
    campaign.check(not differ, f"undisturbed and disturbed differ: {differ}")
    campaign.check(expected.keys() == found.keys(), "other samples")
    documents = document_of(folder / "calm.db.json"), document_of(folder / "runs.db.json")
    campaign.check(documents[0] == documents[1], f"documents differ: {documents}")
    assert {"passed", "wrong_answer", "exception", "syntax_error", "early_exit", "timeout_cpu"} <= {
        verdict[0] for verdict in expected.values()
    }
    return campaign


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4])
def test_a_few_faults(controller: Start, volume: Volume, tmp_path: Path, seed: int) -> None:
    """One fault of most kinds over a short run."""
    special = {"exits": 2, "spins": 1, "is slow": 4}
    compare(controller, volume, tmp_path, seed, 300, special, {"kill": 1, "freeze": 1, "full": 1, "term": 1})


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_fifty_faults(controller: Start, volume: Volume, tmp_path: Path, seed: int) -> None:
    """Fifty faults of all kinds over 5,000 samples; none is a full disk if the store has no disk of its own."""
    special = {
        "exits": 20,
        "aborts": 20,
        "recurses": 20,
        "fills": 10,
        "asks for too much": 10,
        "spins": 3,
        "sleeps": 2,
        "is slow": 20,
        "is slow and wrong": 10,
        "gives no plain value": 20,
    }
    kinds = {"kill": 14, "stop": 8, "freeze": 8, "full": 8, "term": 3, "int": 3, "int twice": 2, "lock": 4}
    compare(controller, volume, tmp_path, seed, 5000, special, kinds)
