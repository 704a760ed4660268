"""Runs: manifests that older and newer versions read, the machine, throughput."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from codejury.model import Limits, Machine, Manifest, PartInfo, ProblemSetInfo, SamplesInfo, Selection, Timing

if TYPE_CHECKING:
    import pytest

INFO = ProblemSetInfo(name="s", version="1-0", hash="h")


def test_manifest_survives_json() -> None:
    """Everything, limits included."""
    manifest = Manifest(
        run="r",
        created="2026-01-01T00:00:00Z",
        problem_set=INFO,
        limits=Limits(cpu_s=3),
        machine=Machine.here(),
        meta={"model": "m"},
        missing=("p/1",),
    )
    assert manifest == msgspec.json.decode(msgspec.json.encode(manifest), type=Manifest)


def test_manifest_of_other_versions_can_be_read() -> None:
    """Fields that are not known are ignored, those that are absent have defaults."""
    body = b'{"run": "r", "created": "c", "problem_set": {"name": "s", "version": "1-0", "hash": "h"}, "later": 1}'
    assert Manifest(run="r", created="c", problem_set=INFO) == msgspec.json.decode(body, type=Manifest)


def test_files_lose_their_folders() -> None:
    """They tell about the user; a manifest may be published."""
    assert "s.jsonl" == SamplesInfo(file="/home/someone/s.jsonl").file
    assert not {"name", "host", "node", "user"} & set(Machine.__struct_fields__)


def test_machine_counts_usable_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that this process may use; all, where the system cannot tell."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {1, 2})
    assert ("Linux", 2) == (Machine.here().system, Machine.here().cpus)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert 5 == Machine.here().cpus


def test_throughput() -> None:
    """Samples a second; 0 where nothing was timed."""
    assert 2.5 == Timing(wall_s=4, samples=10).samples_per_s
    assert 0.0 == Timing().samples_per_s


def test_pooled_runs_have_no_file_of_their_own() -> None:
    """Shards of one file that were merged have it; runs that were pooled have several."""
    parts = tuple(
        PartInfo(run=name, created="c", samples=SamplesInfo(file="s.jsonl", sha256=name)) for name in ("a", "b")
    )
    merged = Manifest(run="r", created="c", problem_set=INFO, parts=parts)
    assert merged.pooled
    assert not msgspec.structs.replace(merged, samples=parts[0].samples).pooled
    assert not Manifest(run="r", created="c", problem_set=INFO).pooled


def test_selection_survives_json() -> None:
    """Within its manifest."""
    selection = Selection(
        ids=("a", "b"), limit=2, shards=(1,), of=2, chosen=2, chosen_hash="c", set_problems=9, set_hash="s"
    )
    manifest = Manifest(run="r", created="c", problem_set=INFO, selection=selection)
    assert manifest == msgspec.json.decode(msgspec.json.encode(manifest), type=Manifest)
