"""The file of answers: whatever ends the process at whatever byte, it goes on with what was whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import read_meta, read_samples
from codejury.generate import CALLS, META, Call, Journal
from codejury.model import InputError, Sample, UsageError

MADE: dict[str, str | int | float] = {"model": "m", "temperature": 0.8, "settings_hash": "one"}


def fill(path: Path, number: int = 3) -> list[Sample]:
    """Write answers, each with its call."""
    samples = [Sample(problem_id="p", index=i, text=f"é\n{i}\ud800") for i in range(number)]
    with Journal(str(path), MADE) as journal:
        for sample in samples:
            call = Call(
                problem_id="p", indices=(sample.index,), prompt_tokens=2, completion_tokens=3, cost_usd=0.5
            )
            journal.add(call, [sample])
    return samples


def test_what_is_added_is_there(tmp_path: Path) -> None:
    """Readers of samples read it, how it was made stands beside, and a further session knows all of it."""
    path = tmp_path / "s.jsonl"
    samples = fill(path)
    assert samples == list(read_samples(path))
    assert {"model": "m", "temperature": "0.8", "settings_hash": "one"} == read_meta(path)
    with Journal(str(path), MADE, resume=True) as journal:
        assert {("p", 0), ("p", 1), ("p", 2)} == journal.held
        assert (6, 9, 1.5, 0) == (
            journal.used.prompt_tokens,
            journal.used.completion_tokens,
            journal.used.cost,
            journal.uncounted,
        )


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(samples_end=st.integers(0, 300), calls_end=st.integers(0, 400), zeros=st.integers(0, 3))
def test_a_cut_at_any_byte_is_mended(
    tmp_path_factory: pytest.TempPathFactory, samples_end: int, calls_end: int, zeros: int
) -> None:
    """Rows before the cut are kept, the torn one is gone, and what is added stands on a line of its own."""
    path = tmp_path_factory.mktemp("cut") / "s.jsonl"
    samples = fill(path)
    calls = Path(f"{path}{CALLS}")
    whole = path.read_bytes()
    path.write_bytes(whole[:samples_end] + b"\0" * zeros)
    calls.write_bytes(calls.read_bytes()[:calls_end])
    kept = [s for s, end in zip(samples, _ends(whole), strict=True) if samples_end >= end - (zeros == 0)]
    with Journal(str(path), MADE, resume=True) as journal:
        assert {(s.problem_id, s.index) for s in kept} == journal.held
        left = [s for s in samples if s not in kept]
        journal.add(Call(problem_id="p", indices=tuple(s.index for s in left)), left)
    assert samples == list(read_samples(path))
    assert all(json.loads(line) for line in calls.read_text(encoding="utf-8").splitlines())


def _ends(data: bytes) -> list[int]:
    """Where each line ends."""
    return [at + 1 for at, byte in enumerate(data) if byte == 10]


def test_other_settings_are_refused(tmp_path: Path) -> None:
    """Answers that were made in two ways are never mixed; the message says what differs."""
    path = tmp_path / "s.jsonl"
    fill(path)
    other: dict[str, str | int | float] = {"model": "m", "temperature": 0.2, "seed": 1, "settings_hash": "two"}
    with pytest.raises(
        UsageError, match=r"other settings \(temperature 0.8 then, 0.2 now; seed none then, 1 now\)"
    ):
        Journal(str(path), other, resume=True)
    with pytest.raises(UsageError, match=r"other settings \(other problems\)"):
        Journal(str(path), {**MADE, "settings_hash": "two"}, resume=True)
    Path(f"{path}{META}").unlink()
    with pytest.raises(UsageError, match="nothing says how its answers were made"):
        Journal(str(path), MADE, resume=True)
    assert 3 == len(list(read_samples(path)))


def test_a_file_that_is_there_is_not_begun_again(tmp_path: Path) -> None:
    """Without --resume nothing is touched; a file without answers is no loss."""
    path = tmp_path / "s.jsonl"
    fill(path)
    with pytest.raises(UsageError, match="is there already: go on with --resume"):
        Journal(str(path), MADE)
    path.write_bytes(b"")
    with Journal(str(path), {**MADE, "model": "n", "settings_hash": "two"}) as journal:
        assert set() == journal.held
        assert 0 == journal.used.tokens
    assert "n" == read_meta(path)["model"]


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """A second one would ask for the same samples."""
    path = tmp_path / "s.jsonl"
    with (
        Journal(str(path), MADE),
        pytest.raises(UsageError, match="another process is writing it"),
    ):
        Journal(str(path), MADE, resume=True)
    Journal(str(path), MADE, resume=True).close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"problem_id": "p", "index": 1, "te', "s.jsonl:2: damaged"),
        ('{"problem_id": "p", "index": "1", "text": ""}', "s.jsonl:2: damaged"),
        ('{"problem_id": "p", "index": 0, "text": ""}', "s.jsonl:2: problem 'p' has a sample 0 already"),
    ],
)
def test_a_damaged_row_within_is_told(tmp_path: Path, line: str, said: str) -> None:
    """Only the last row can be torn by the end of a process; others are for the user to look at."""
    path = tmp_path / "s.jsonl"
    fill(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = line
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=said):
        Journal(str(path), MADE, resume=True)


def test_where_it_cannot_be(tmp_path: Path) -> None:
    """Another ending, a folder that is not there, a folder in its place."""
    for name, said in (
        ("s.json", "name the file .jsonl"),
        ("no/s.jsonl", "cannot be written"),
        ("d.jsonl", "cannot"),
    ):
        (tmp_path / "d.jsonl").mkdir(exist_ok=True)
        with pytest.raises(UsageError, match=said):
            Journal(str(tmp_path / name), MADE)
