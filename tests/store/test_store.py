"""Runs as a whole: find, delete, time, profiles; and processes that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import InfrastructureError, Timing, UsageError, text_hash
from codejury.store import Store

if TYPE_CHECKING:
    from pathlib import Path

Build = Any

DIES_IN_THE_MIDDLE = """
import os, signal, sys
from codejury.model import Job, Judged, Limits, Outcome, Verdict
from codejury.store import Store, sink
store = Store.open(sys.argv[1])
run = store.find_run("first").id
keeper = store.sink(run)
jobs = [Job(key=p, problem_hash=h, program_hash=p, limits=Limits()) for h, _, p in store.pending(run)]
verdict = Verdict(outcome=Outcome.PASSED, integrity="strong", tier="t")
keeper.put([Judged(jobs[0], verdict)])
sink._add = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
keeper.put([Judged(job, verdict) for job in jobs[1:]])
"""


def test_find_run_names_what_there_is(store: Store, run: int) -> None:
    """A mistyped name is answered with the names that exist."""
    assert run == store.find_run("first").id
    with pytest.raises(UsageError, match=r"no run 'frist' in store .*; it has first"):
        store.find_run("frist")


def test_find_run_in_an_empty_store(store: Store) -> None:
    """Says that there are none."""
    with pytest.raises(UsageError, match="it has no runs"):
        store.find_run("first")


def test_manifest_comes_back(store: Store, run: int, build: Build) -> None:
    """Equal to what was given."""
    assert build.manifest() == store.manifest(run)
    with pytest.raises(UsageError, match="no run 99"):
        store.manifest(99)


def test_manifest_can_be_replaced(store: Store, run: int, build: Build) -> None:
    """What is known only after the samples are read."""
    store.replace_manifest(run, build.manifest(notes=("a note",)))
    assert ("a note",) == store.manifest(run).notes
    with pytest.raises(UsageError, match="no run 99"):
        store.replace_manifest(99, build.manifest())


def test_manifest_of_a_newer_version_is_read(store: Store, run: int) -> None:
    """Fields that this version does not know are ignored; a damaged one is an error in one line."""
    with store._database.write() as connection:
        body = connection.exec_driver_sql("SELECT manifest FROM runs").scalar_one()
        newer = body.replace(b'{"run"', b'{"new":[1],"run"')
        assert body != newer
        connection.exec_driver_sql("UPDATE runs SET manifest = ?", (newer,))
    assert "first" == store.manifest(run).run
    with store._database.write() as connection:
        connection.exec_driver_sql("UPDATE runs SET manifest = x'00'")
    with pytest.raises(InfrastructureError, match="manifest of run 1 is damaged"):
        store.manifest(run)


def test_delete_keeps_what_others_use(store: Store, run: int, build: Build) -> None:
    """Texts that another run shares stay; all else of the run goes."""
    other = store.create_run(build.manifest("second"), build.problem_set(2), [build.pair("P/0", 0, "a")])
    store.sink(run).put([build.judged(build.problem_set().problems[0], "a")])
    store.delete_run(run)
    assert ["second"] == [info.name for info in store.runs()]
    assert ("a", None) == (store.text(text_hash("a")), store.text(text_hash("b")))
    assert build.problem_set(2).problems[1] == store.library(other).problem(build.problem_set(2).problems[1].hash)
    assert ([], []) == (list(store.verdicts(run)), list(store.pending(run)))
    store.delete_run(other)
    with store._database.read() as connection:
        left = [
            connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()  # noqa: S608 - our names
            for table in ("runs", "texts", "problems", "samples", "verdicts", "problem_counts")
        ]
    assert [0] * 6 == left
    with pytest.raises(UsageError, match=f"no run {run}"):
        store.delete_run(run)


def test_sessions_add_up(store: Store, run: int) -> None:
    """A resumed run's time is that of all its sessions."""
    store.finish(run, Timing(wall_s=1.5, samples=3))
    store.finish(run, Timing(wall_s=0.5, samples=1))
    info = store.find_run("first")
    assert (2.0, 4) == (info.wall_s, info.timed_samples)
    with pytest.raises(UsageError, match="no run 99"):
        store.finish(99, Timing())


def test_profiles_are_kept_and_replaced(store: Store) -> None:
    """A cache by key."""
    assert None is store.profiles(["key"]).get("key")
    store.put_profiles({"key": b"{}"})
    store.put_profiles({"key": b'{"cpu_s": 1}'})
    assert b'{"cpu_s": 1}' == store.profiles(["key"]).get("key")


def test_two_controllers_on_one_run_do_no_harm(tmp_path: Path, build: Build) -> None:
    """Both judge everything at once: each verdict is kept once, and the counts are right."""
    problem = build.problem_set().problems[0]
    sources = [f"program {index}" for index in range(40)]
    with Store.open(tmp_path / "runs.db") as store:
        pairs = [build.pair("P/0", index, source) for index, source in enumerate(sources)]
        run = store.create_run(build.manifest(), build.problem_set(), pairs)

        def judge(order: list[str]) -> None:
            with Store.open(tmp_path / "runs.db") as own:
                keeper = own.sink(run)
                for start in range(0, len(order), 4):
                    keeper.put([build.judged(problem, source) for source in order[start : start + 4]])

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(judge, (sources, sources[::-1])))
        assert [40, 0, 0] == store.counts(run).n.tolist()
        assert list(range(40)) == [verdict.index for verdict in store.verdicts(run)]


def test_killed_controller_loses_one_batch_only(tmp_path: Path, build: Build) -> None:
    """Kill -9 between the rows and their counts: batches before stay, that one is pending again."""
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        pairs = [build.pair("P/0", index, f"program {index}") for index in range(5)]
        run = store.create_run(build.manifest(), build.problem_set(), pairs)
    died = subprocess.run([sys.executable, "-c", DIES_IN_THE_MIDDLE, os.fspath(path)], check=False)
    assert -signal.SIGKILL == died.returncode
    with Store.open(path) as store:
        assert [0] == [verdict.index for verdict in store.verdicts(run)]
        assert ([1, 0, 0], [1, 0, 0]) == (store.counts(run).n.tolist(), store.counts(run).c.tolist())
        assert [text_hash(f"program {index}") for index in range(1, 5)] == [p for _, _, p in store.pending(run)]


def test_killed_before_all_samples_are_read_leaves_no_run(tmp_path: Path, build: Build) -> None:
    """Kill -9 while samples are read: the name is free and the store is empty."""
    path = tmp_path / "runs.db"
    Store.open(path).close()
    code = """
import os, signal, sys
from codejury.model import Manifest, Problem, ProblemSet, ProblemSetInfo, Assertions, Program, Sample
from codejury.store import Store
problem = Problem(id="P", prompt="", entry_point="f", tests=Assertions(code=()))
problem_set = ProblemSet(name="s", version="1-0", problems=(problem,))
def pairs():
    for index in range(3000):
        yield Sample(problem_id="P", index=index, text="t"), Program(str(index), "whole")
    os.kill(os.getpid(), signal.SIGKILL)
manifest = Manifest(run="first", created="", problem_set=ProblemSetInfo.of(problem_set))
Store.open(sys.argv[1]).create_run(manifest, problem_set, pairs())
"""
    died = subprocess.run([sys.executable, "-c", code, os.fspath(path)], check=False)
    assert -signal.SIGKILL == died.returncode
    with Store.open(path) as store:
        assert [] == store.runs()
        store.create_run(build.manifest(), build.problem_set(), [])
