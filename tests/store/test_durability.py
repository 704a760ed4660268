"""What survives, with real processes, disks and mounts: locks, read-only places, full disks, two writers."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import InfrastructureError
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Build = Any

# A process's own mounts end with it.
OWN_MOUNTS = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]

HOLDS_THE_LOCK = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("DELETE FROM problem_counts")
print("locked", flush=True)
time.sleep(600)
"""

JUDGE = """
import os, resource, shutil, sys
from codejury.model import CodejuryError, Job, Judged, Limits, Outcome, Verdict
from codejury.store import Store

def batches(store, run, size, tier="t"):
    verdict = Verdict(outcome=Outcome.PASSED, integrity="strong", tier=tier)
    judged = [
        Judged(Job(key=digest, problem_hash=problem_hash, program_hash=digest, limits=Limits()), verdict)
        for problem_hash, _, digest in store.pending(run)
    ]
    return [judged[start : start + size] for start in range(0, len(judged), size)]

def state(store, run):
    return store.counts(run).n.tolist(), store.tally(run), store.count_pending(run)

def put_all(store, run):
    for batch in batches(store, run, 8):
        before = state(store, run)
        try:
            store.sink(run).put(batch)
        except CodejuryError as error:
            kept = len(list(store.verdicts(run)))
            assert before == state(store, run) and kept == sum(before[0]), "a part of the batch was kept"
            return kept, error
    return len(list(store.verdicts(run))), None
"""

FULL_DISK = (
    JUDGE
    + """
small = sys.argv[1] + ".mounted"
os.mkdir(small)
if os.system(f"mount -t tmpfs -o size=16m none {small}"):
    sys.exit(77)
place = shutil.copy(sys.argv[1], small)
with Store.open(place) as store:
    run = store.find_run("first").id
    store.sink(run).put(batches(store, run, 8)[0])
    with open(small + "/filler", "wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)) == 4096:
                pass
        except OSError:
            pass
        filler.truncate(filler.tell() - (256 << 10))
    print(*put_all(store, run), sep="\\n")
    os.unlink(small + "/filler")
    print(*put_all(store, run), sep="\\n")
shutil.copy(place, sys.argv[1])
"""
)

FILE_LIMIT = (
    JUDGE
    + """
with Store.open(sys.argv[1]) as store:
    run = store.find_run("first").id
    store.sink(run).put(batches(store, run, 8)[0])
    size = os.stat(sys.argv[1] + "-wal").st_size + (256 << 10)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    print(*put_all(store, run), sep="\\n")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(*put_all(store, run), sep="\\n")
"""
)

READ_ONLY = (
    JUDGE
    + """
folder = os.path.dirname(sys.argv[1])
if os.system(f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"):
    sys.exit(77)
try:
    with Store.open(sys.argv[1], create=False) as store:
        run = store.find_run("first").id
        print(store.runs()[0].samples, store.count_pending(run))
        print(*put_all(store, run), sep="\\n")
except CodejuryError as error:
    print(error)
"""
)

OPENS = (
    JUDGE
    + """
for create in (True, False):
    try:
        Store.open(sys.argv[1], create=create)
    except CodejuryError as error:
        print(error)
"""
)

ONE_OF_TWO = (
    JUDGE
    + """
with Store.open(sys.argv[1]) as store:
    run = store.find_run("first").id
    found = batches(store, run, int(sys.argv[2]), tier=sys.argv[2])
    print("ready", flush=True)
    sys.stdin.readline()
    for batch in found[:: int(sys.argv[3])]:
        store.sink(run).put(batch)
"""
)


@pytest.fixture
def path(tmp_path: Path, build: Build) -> Path:
    """A store with a run "first" of 400 distinct programs on two problems."""
    place = tmp_path / "folder" / "runs.db"
    place.parent.mkdir()
    with Store.open(place) as store:
        pairs = [build.pair(f"P/{i % 2}", i // 2, f"program {i}") for i in range(400)]
        store.create_run(build.manifest(), build.problem_set(2), pairs)
    return place


def _run(code: str, path: Path, prefix: Sequence[str] = ()) -> list[str]:
    """The lines that a process prints which runs `code`, started by the command `prefix`."""
    if prefix:
        if shutil.which(prefix[0]) is None:
            pytest.skip(f"no {prefix[0]} on this machine")
        tried = subprocess.run([*prefix, "true"], check=False, capture_output=True, text=True)
        if tried.returncode:
            pytest.skip(f"not permitted here: {tried.stderr.strip()}")
    command = [*prefix, sys.executable, "-c", code, os.fspath(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(f"nothing can be mounted: {done.stderr.strip()}")
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout.splitlines()


def _check_complete(path: Path) -> None:
    """All 400 verdicts are there once, the counts are those of the rows, and the file is sound."""
    with Store.open(path, create=False) as store:
        run = store.find_run("first").id
        verdicts = list(store.verdicts(run))
        assert 400 == len({(verdict.problem_id, verdict.index) for verdict in verdicts}) == len(verdicts)
        assert [200, 200] == store.counts(run).n.tolist() == store.counts(run).c.tolist()
        by_tier = Counter(verdict.tier for verdict in verdicts)
        assert by_tier == {row.tier: row.samples for row in store.tally(run)}
        assert (0, []) == (store.count_pending(run), list(store.pending(run)))
    connection = sqlite3.connect(path)
    assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()


def test_lock_of_another_process_loses_nothing(path: Path, build: Build) -> None:
    """Past the time to wait, writers are told; readers read on; after kill -9 of the holder all works again."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDS_THE_LOCK, path], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    with holder, Store.open(path, timeout_s=0.1) as store:
        assert "locked\n" == holder.stdout.readline()
        run, problem = store.find_run("first").id, build.problem_set(2).problems[0]
        judged = [build.judged(problem, f"program {index}") for index in (0, 2)]
        for write in (
            lambda: store.sink(run).put(judged),
            lambda: store.create_run(build.manifest("second"), build.problem_set(1), [build.pair("P/0", 0, "a")]),
            lambda: store.delete_run(run),
        ):
            with pytest.raises(InfrastructureError, match="is locked by another process: try again"):
                write()
        assert ([200, 200], [0, 0]) == (store.counts(run).samples.tolist(), store.counts(run).n.tolist())
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        store.sink(run).put(judged)
        assert ([200, 200], [2, 0]) == (store.counts(run).samples.tolist(), store.counts(run).n.tolist())
        assert ["first"] == [info.name for info in store.runs()]


def test_full_disk_keeps_whole_batches(path: Path) -> None:
    """A file system without room: the batch is not kept, those before are, and with room judging goes on."""
    kept, said, at_last, nothing = _run(FULL_DISK, path, prefix=OWN_MOUNTS)
    assert 8 <= int(kept) < 400
    assert 0 == int(kept) % 8
    assert said.endswith(
        "runs.db: the disk is full; free some space, then try again, with --resume if the run is in"
        " `codejury runs list`"
    )
    assert ("400", "None") == (at_last, nothing)
    _check_complete(path)


def test_file_that_may_not_grow_keeps_whole_batches(path: Path) -> None:
    """A limit on the size of files, which a quota resembles: no crash, no part of a batch."""
    kept, said, at_last, nothing = _run(FILE_LIMIT, path)
    assert 8 <= int(kept) < 400
    assert 0 == int(kept) % 8
    assert said.endswith(
        "runs.db: disk I/O error; look at its disk and your quota, then try again, with --resume if the run is in"
        " `codejury runs list`"
    )
    assert ("400", "None") == (at_last, nothing)
    _check_complete(path)


def test_store_on_a_read_only_file_system_is_read(path: Path) -> None:
    """Reports of a store on a medium that cannot be written; judging says why it cannot go on."""
    before = path.read_bytes()
    read, kept, said = _run(READ_ONLY, path, prefix=OWN_MOUNTS)
    assert ("400 400", "0") == (read, kept)
    assert said.endswith("runs.db is read-only: make the file and its folder writable, or copy them elsewhere")
    assert before == path.read_bytes()


def test_log_on_a_read_only_file_system_is_not_passed_over(path: Path, build: Build, tmp_path: Path) -> None:
    """Verdicts that are in the write-ahead log alone: an error, not a report without them."""
    with Store.open(path) as store:
        problem, run = build.problem_set(2).problems[0], store.find_run("first").id
        store.sink(run).put([build.judged(problem, "program 0")])
        copied = tmp_path / "copied" / "runs.db"
        copied.parent.mkdir()
        for suffix in ("", "-wal"):  # as after kill -9, without the index of the log
            shutil.copy(f"{path}{suffix}", f"{copied}{suffix}")
    (said,) = _run(READ_ONLY, copied, prefix=OWN_MOUNTS)
    assert said.endswith("runs.db cannot be opened: make the file and its folder writable, or copy them elsewhere")
    with Store.open(copied) as store:
        assert [1, 0] == store.counts(run).n.tolist()


def test_folder_without_permission_to_write_says_so(path: Path) -> None:
    """A store in a folder of somebody else: an ordinary user's process, or root's without its capabilities."""
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        lines = _run(OPENS, path, prefix=["setpriv", "--bounding-set=-all", "--inh-caps=-all"])
    finally:
        path.parent.chmod(0o755)
        path.chmod(0o644)
    expected = f"store {path} is read-only: make the file and its folder writable, or copy them elsewhere"
    assert [expected] * 2 == lines
    with Store.open(path) as store:
        assert ["first"] == [info.name for info in store.runs()]


def test_two_processes_on_one_run_lose_and_repeat_nothing(path: Path) -> None:
    """Both judge all, in batches of other sizes and opposite order: each verdict is kept and counted once."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ONE_OF_TWO, path, size, step], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for size, step in (("5", "1"), ("7", "-1"))
    ]
    for process in processes:
        assert process.stdout is not None
        assert b"ready\n" == process.stdout.readline()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    assert [0, 0] == [process.returncode for process in processes]
    _check_complete(path)
