"""Manifests: of a run that begins, what must not differ between two, and what their notes say."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import msgspec

from codejury._version import __version__
from codejury.extract import extractor
from codejury.formats import samples_hash
from codejury.judging import JUDGE_VERSION, Profile
from codejury.model import (
    Interpreter,
    Limits,
    Manifest,
    Outcome,
    ProblemSetInfo,
    SamplesInfo,
)
from codejury.pipeline.references import raised_note, reference_notes, weak_note
from codejury.pipeline.selection import described, selection_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from codejury.model import Problem, ProblemSet, Selection
    from codejury.pipeline.asked import JudgeSettings
    from codejury.pipeline.engines import Opened


def new_manifest(
    name: str,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    selection: Selection | None,
    opened: Opened,
) -> Manifest:
    """The manifest of a run that begins, as far as it is known before its samples are read.

    Args:
        name: Of the run.
        settings: Of the run.
        problem_set: The problems that are chosen.
        selection: How they were.
        opened: Runs the programs.
    """
    implementation, _, version = opened.engine.interpreter.version.partition(" ")
    beside = settings.meta_file
    return Manifest(
        run=name,
        created=now(),
        problem_set=ProblemSetInfo.of(problem_set),
        samples=SamplesInfo(file=settings.samples, sha256=_file_hash(settings.samples)),
        limits=settings.limits,
        tier=opened.engine.tier,
        tier_note=settings.tier_note,
        all_tests=settings.all_tests,
        confirm=settings.confirm,
        python=Interpreter(implementation=implementation, version=version),
        judge_version=JUDGE_VERSION,
        codejury_version=__version__,
        machine=opened.machine,
        container=opened.container,
        hash_seed=0,
        level=settings.level,
        meta=beside | settings.meta,
        meta_replaced={
            key: beside[key] for key, value in settings.meta.items() if beside.get(key, value) != value
        },
        selection=selection,
        allow_missing=settings.allow_missing,
        packages=settings.packages,
        extractor=extractor(settings.extractor).label,
    )


def now() -> str:
    """The time as manifests have it."""
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"


def with_rows(manifest: Manifest, drawn_with: Mapping[str, Any]) -> Manifest:
    """A manifest with what the rows of the samples say of how they were made, where nothing else says it.

    Args:
        manifest: Of a run that begins.
        drawn_with: The rows' values of `formats.SETTINGS`. What was declared goes before them, and is noted where
            it differs.
    """
    rows = {name: value if isinstance(value, str) else json.dumps(value) for name, value in drawn_with.items()}
    replaced = {
        name: value
        for name, value in rows.items()
        if name in manifest.meta and not _same(manifest.meta[name], value)
    }
    return msgspec.structs.replace(
        manifest, meta=rows | manifest.meta, meta_replaced=replaced | manifest.meta_replaced
    )


def _same(one: str, other: str) -> bool:
    with contextlib.suppress(ValueError):
        return float(one) == float(other)
    return one == other


def differences(before: Manifest, other: Manifest, words: tuple[str, str] = ("then", "now")) -> list[str]:
    """What verdicts depend on, and how the samples were made, where two manifests differ, in words."""
    pairs = [
        (name, getattr(before.limits, name), getattr(other.limits, name)) for name in Limits.__struct_fields__
    ]
    pairs += [
        (name, getattr(before, name), getattr(other, name))
        for name in ("tier", "all_tests", "confirm", "judge_version", "packages")
    ]
    for name in ("python", "meta"):
        pairs.append((name, *(msgspec.to_builtins(getattr(manifest, name)) for manifest in (before, other))))
    if before.extractor and other.extractor:  # older manifests name none
        pairs.append(("extractor", before.extractor, other.extractor))
    differ = [f"{name} {_said(one)} {words[0]}, {_said(two)} {words[1]}" for name, one, two in pairs if one != two]
    if _asked(before.selection) != _asked(other.selection):
        said = (
            f"{_described(selection)} {word}"
            for selection, word in zip((before.selection, other.selection), words, strict=True)
        )
        differ.append(f"selection {', '.join(said)}")
    if _set_hash(before) != _set_hash(other):
        differ.append("the problems")
    return differ


def run_notes(manifest: Manifest, number: int, problems: Mapping[str, Problem]) -> tuple[str, ...]:
    """What a reader of a run's figures must know, of its selection, its metadata and its references.

    Args:
        manifest: With the references that fail in `unsound`, those of weak verdicts in `weak`, and the limits for
            slow ones in `raised`.
        number: Of the run's problems.
        problems: Those that have samples, by hash.
    """
    notes = [] if manifest.tier_note is None else [manifest.tier_note]
    if manifest.selection is not None:
        notes.append(selection_note(manifest.selection, number))
    notes += manifest.samples.notes
    notes += _extraction_notes(manifest)
    if manifest.meta_replaced:
        replaced = (f"{key} {manifest.meta[key]!r} for {old!r}" for key, old in manifest.meta_replaced.items())
        notes.append(f"declared otherwise than the samples and the file beside them say: {', '.join(replaced)}")
    if manifest.weak:
        notes.append(weak_note(manifest.weak))
    if manifest.raised:
        notes.append(raised_note(manifest.raised))
    return (*notes, *reference_notes(problems, {h: _profile(p, manifest.unsound) for h, p in problems.items()}))


def _extraction_notes(manifest: Manifest) -> list[str]:
    """What extraction met that a reader of the figures must know."""
    kinds = (
        ("cut-off", manifest.flags, "cut off within their code"),
        ("thinking-cut-off", manifest.flags, "cut off while the model was thinking"),
        ("none", manifest.rules, "without any code"),
    )
    found = [f"{counts[name]} {words}" for name, counts, words in kinds if counts.get(name)]
    return [f"answers: {', '.join(found)} (extractor {manifest.extractor})"] if found else []


def _profile(problem: Problem, unsound: Mapping[str, str]) -> Profile | None:
    """As much of what a reference showed as the manifest keeps."""
    if problem.reference is None:
        return None
    return Profile(outcome=Outcome(unsound.get(problem.id, Outcome.PASSED)))


def _asked(selection: Selection | None) -> tuple[object, ...] | None:
    if selection is None:
        return None
    return selection.ids, selection.tags, selection.limit, selection.shards, selection.of


def _described(selection: Selection | None) -> str:
    return "of all" if selection is None else f"({described(selection)})"


def _set_hash(manifest: Manifest) -> str:
    """Of the whole set: another selection of the same set is said as such."""
    selection = manifest.selection
    return manifest.problem_set.hash if selection is None else selection.set_hash


def _said(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _file_hash(path: str) -> str:
    with contextlib.suppress(OSError):
        return samples_hash(path)
    return ""
