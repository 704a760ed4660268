"""The documents on runs: golden files, and that they agree with their schemas."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from codejury.model import (
    Interpreter,
    Machine,
    Manifest,
    PartInfo,
    ProblemSetInfo,
    SamplesInfo,
    Selection,
)
from codejury.report import ProblemSetRef, RunDocument, RunRow, RunsDocument, TimingRow, encode_json, schema

GOLDEN = Path(__file__).parent / "golden"

MACHINE = Machine(system="Linux", kernel="6.1", arch="x86_64", cpus=4)
ROW = RunRow(
    run="mine",
    created="2026-11-01T10:20:30Z",
    problem_set=ProblemSetRef(name="humaneval", version="1-0", hash="0123"),
    model="m",
    temperature="0.8",
    samples=820,
    judged=820,
    problems=82,
    pass_at_1=0.5,
)
RUN = RunDocument(
    run=ROW,
    programs=790,
    timing=TimingRow(wall_s=2.9, samples_per_s=283.0),
    manifest=Manifest(
        run="mine",
        created="2026-11-01T10:20:30Z",
        problem_set=ProblemSetInfo(name="humaneval", version="1-0", hash="0123", source="a package"),
        samples=SamplesInfo(file="samples.jsonl", sha256="4567", count=820),
        tier="namespaces",
        python=Interpreter(implementation="cpython", version="3.11.7"),
        judge_version="2",
        codejury_version="0.1.0",
        machine=MACHINE,
        hash_seed=0,
        meta={"model": "m", "temperature": "0.8"},
        rules={"completion": 820},
        notes=("82 of 164 problems chosen (shards 1 and 3/4); 820 samples of the others left out",),
        selection=Selection(
            shards=(1, 3),
            of=4,
            chosen=164,
            chosen_hash="89ab",
            set_problems=164,
            set_hash="89ab",
            samples_left_out=820,
        ),
        meta_replaced={"temperature": "0.2"},
        unsound={"HumanEval/47": "wrong_answer"},
        parts=(
            PartInfo(
                run="one",
                created="2026-11-01T10:00:00Z",
                samples=SamplesInfo(file="samples.jsonl", sha256="4567", count=410),
                machine=MACHINE,
                meta={"model": "m", "temperature": "0.8"},
            ),
        ),
    ),
)
RUNS = RunsDocument(runs=[ROW, msgspec.structs.replace(ROW, run="new", model=None, judged=0, pass_at_1=None)])


@pytest.mark.parametrize(("name", "document"), [("run", RUN), ("runs", RUNS)])
def test_documents_are_as_published(name: str, document: msgspec.Struct) -> None:
    """The golden file is the contract; it can be read back, and holds what its schema names."""
    body = encode_json(document)
    assert (GOLDEN / f"{name}.json").read_bytes() == body
    assert document == msgspec.json.decode(body, type=type(document))
    definition = schema(name)["$defs"][type(document).__name__]
    assert list(definition["properties"]) == list(msgspec.to_builtins(document))
