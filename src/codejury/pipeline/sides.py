"""What is compared: runs of the store and exported documents, brought to the problems that all of them have."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from codejury.model import InfrastructureError, InputError, UsageError
from codejury.pipeline.conditions import conditions, declared
from codejury.pipeline.refusals import one_draw, too_few
from codejury.pipeline.summary import INFRA_SHARE_LIMIT
from codejury.report import Dropped, JudgeDocument, ProblemSetRef

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from codejury.model import Problem
    from codejury.stats.counts import Ints
    from codejury.store import RunInfo, Store

    Mask = NDArray[np.bool_]

BRANCH = "branch:"
"""What a baseline begins with that is the newest run of a branch, by the metadata key `branch`."""

_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Side:
    """A run, or a document of one, as far as it is compared.

    Attributes:
        name: Of the run; of a document with its file.
        problem_set: Which problems.
        meta: How the samples were made, as declared.
        conditions: See `conditions`.
        ids: Ids of the problems; the arrays are of their shape.
        samples: Samples of each problem.
        n: Those whose verdict says something of them.
        c: Those that passed.
        weak: Those of n that were judged within the candidate's reach.
        difficulty: Of each problem, as the set says; empty in a document.
        cluster: The same for the source that problems share.
        greedy: Whether k = 1 is the only k that the samples can answer: copies of one answer, as at temperature 0.
        run: Id in the store; None for a document.
        notes: What a reader must know of it.
    """

    name: str
    problem_set: ProblemSetRef
    meta: Mapping[str, str]
    conditions: Mapping[str, str]
    ids: tuple[str, ...]
    samples: Ints
    n: Ints
    c: Ints
    weak: Ints
    difficulty: tuple[str | None, ...] = ()
    cluster: tuple[str | None, ...] = ()
    greedy: bool = False
    run: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def strong(self) -> bool:
        """Whether no verdict is weak."""
        return not self.weak.any()


@dataclass(frozen=True, eq=False)
class Aligned:
    """Several sides over their common problems.

    Attributes:
        sides: In the order in which they were named.
        ids: The common problems, in the order of the first side.
        samples: Shape (sides, problems), as all arrays here.
        n: As in `Side`.
        c: As in `Side`.
        difficulty: As the first side that knows says.
        cluster: The same.
        tags: The same.
        dropped: What is left out, and why.
    """

    sides: tuple[Side, ...]
    ids: tuple[str, ...]
    samples: Ints
    n: Ints
    c: Ints
    difficulty: tuple[str | None, ...]
    cluster: tuple[str | None, ...]
    tags: tuple[tuple[str, ...], ...]
    dropped: tuple[Dropped, ...] = field(default=())

    @property
    def clusters(self) -> tuple[str | None, ...] | None:
        """The clusters, where there are some."""
        return self.cluster if any(self.cluster) else None

    def only(self, mask: Mask, *dropped: Dropped) -> Aligned:
        """These problems alone; `dropped` says of the others why they are left out, where they are for good."""
        where = np.flatnonzero(mask).tolist()
        return Aligned(
            self.sides,
            tuple(self.ids[i] for i in where),
            self.samples[:, mask],
            self.n[:, mask],
            self.c[:, mask],
            tuple(self.difficulty[i] for i in where),
            tuple(self.cluster[i] for i in where),
            tuple(self.tags[i] for i in where),
            (*self.dropped, *dropped),
        )


def open_side(store: Store, name: str, *, like: Side | None = None) -> Side:
    """A run of the store, an exported document of `judge`, or the newest run of a branch.

    Args:
        store: Where runs are.
        name: Of a run; else `branch:NAME`; else the path of a document.
        like: For a branch: the run that it is compared with, of whose problem set the newest run is taken.

    Raises:
        UsageError: There is nothing of this name, the run is not judged to the end, or has no samples.
        InputError: The file is no document of `judge`, or one of a run that was not judged to the end.
        InfrastructureError: Too many infrastructure errors.
    """
    runs = {info.name: info for info in store.runs()}
    if name in runs:
        return _of_run(store, runs[name])
    if name.startswith(BRANCH):
        return _newest(store, list(runs.values()), name.removeprefix(BRANCH), like)
    if name.endswith(".json") or Path(name).is_file():
        return _of_document(name)
    return _of_run(store, store.find_run(name))


def align(
    sides: Sequence[Side], problems: Sequence[Mapping[str, Problem]], *, include_weak: bool = False
) -> Aligned:
    """Bring sides to the problems that all of them have, with strong verdicts.

    Args:
        sides: Two or more.
        problems: Those of each side, by id; empty where they are not at hand.
        include_weak: Keep problems with weak verdicts.

    Raises:
        UsageError: No problem is left.
    """
    order = list(dict.fromkeys(name for side in sides for name in side.ids))
    places = [{name: place for place, name in enumerate(side.ids)} for side in sides]
    dropped: dict[tuple[str, str], list[str]] = {}
    kept = []
    for name in order:
        for side, place in zip(sides, places, strict=True):
            if reason := _reason(side, place.get(name), include_weak=include_weak):
                dropped.setdefault((side.name, reason), []).append(name)
                break
        else:
            kept.append(name)
    left_out = tuple(Dropped(run=run, reason=reason, ids=ids) for (run, reason), ids in dropped.items())
    if not kept:
        raise UsageError(f"{_named(sides)} have no problem in common to compare: {_why(left_out)}")
    rows = [np.array([place[name] for name in kept]) for place in places]
    samples, n, c = (
        np.stack([getattr(side, name)[row] for side, row in zip(sides, rows, strict=True)])
        for name in ("samples", "n", "c")
    )
    difficulty, cluster = (
        _first([dict(zip(side.ids, getattr(side, name), strict=False)) for side in sides], kept)
        for name in ("difficulty", "cluster")
    )
    known = next((of for of in problems if of), {})
    tags = tuple(known[name].tags if name in known else () for name in kept)
    return Aligned(tuple(sides), tuple(kept), samples, n, c, difficulty, cluster, tags, left_out)


def without_short(aligned: Aligned, k: int, *, drop_short: bool) -> Aligned:
    """Leave problems with fewer than k samples out of every figure, or refuse.

    Raises:
        UsageError: There are some, and `drop_short` is not set; or no other is left.
    """
    short: Mask = np.any(aligned.n < k, axis=0)
    if not short.any():
        return aligned
    names = [aligned.ids[i] for i in np.flatnonzero(short).tolist()]
    if not drop_short:
        short_of = f"{len(names)} of {len(aligned.ids)} problems have fewer: {shown(names)}"
        hints = ["take a smaller k", "leave them out of every figure with --drop-short"]
        raise UsageError(too_few(f"pass@{k}", k, short_of, hints, " in every run"))
    if short.all():
        raise UsageError(f"no problem has {k} samples in every run: take a smaller k")
    return aligned.only(~short, Dropped(run="", reason=f"fewer than {k} samples", ids=names))


def problems_of(store: Store, side: Side) -> dict[str, Problem]:
    """The problems of a side by id; empty for a document. Reads no samples and no verdicts."""
    return {} if side.run is None else {problem.id: problem for problem in store.problems(side.run)}


def shown(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _of_run(store: Store, info: RunInfo) -> Side:
    manifest, counts, tally = store.manifest(info.id), store.counts(info.id), store.tally(info.id)
    if info.judged < info.samples:
        raise UsageError(
            f"run {info.name!r}: {info.judged} of {info.samples} samples are judged; judge the rest with --resume"
        )
    if not info.samples:
        raise UsageError(f"run {info.name!r} has no samples: nothing can be compared")
    if (errors := int(counts.infra.sum())) > INFRA_SHARE_LIMIT * info.judged:
        raise InfrastructureError(
            f"run {info.name!r}: {errors} of {info.judged} samples ended in infrastructure errors: judge them "
            "again with --resume --retry infra"
        )
    problem_set = manifest.problem_set
    notes = [f"{errors} samples ended in infrastructure errors, and are in no n"] if errors else []
    return Side(
        name=info.name,
        problem_set=ProblemSetRef(name=problem_set.name, version=problem_set.version, hash=problem_set.hash),
        meta=manifest.meta,
        conditions=conditions(manifest, counts.samples.tolist(), {row.tier for row in tally}),
        ids=counts.problem_ids,
        samples=counts.samples,
        n=counts.n,
        c=counts.c,
        weak=counts.weak,
        difficulty=counts.difficulty,
        cluster=counts.cluster,
        greedy=one_draw(manifest.meta),
        run=info.id,
        notes=tuple(notes),
    )


def _of_document(path: str) -> Side:
    try:
        document = msgspec.json.decode(Path(path).read_bytes(), type=JudgeDocument)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except msgspec.DecodeError as error:
        raise InputError(f"no document of `judge`: {error}; write one with --json", path=path) from None
    if document.partial:
        raise InputError(f"{document.judged} of {document.samples} samples are judged: export it again", path=path)
    rows = document.per_problem
    if not rows:
        raise InputError("has no problems with strong verdicts: nothing can be compared", path=path)
    n, c = (np.array([getattr(row, name) for row in rows], dtype=np.int64) for name in ("n", "c"))
    return Side(
        name=f"{document.run} ({Path(path).name})",  # the run that it is compared with may have the same name
        problem_set=document.problem_set,
        meta=document.meta,
        conditions=document.conditions or declared(document.meta),
        ids=tuple(row.id for row in rows),
        samples=n,
        n=n,
        c=c,
        weak=np.zeros_like(n),
        greedy=one_draw(document.meta),
    )


def _newest(store: Store, runs: Sequence[RunInfo], branch: str, like: Side | None) -> Side:
    for info in reversed(runs):
        manifest = store.manifest(info.id)
        fits = like is None or (info.name != like.name and manifest.problem_set.name == like.problem_set.name)
        if fits and manifest.meta.get("branch") == branch and info.judged == info.samples > 0:
            return _of_run(store, info)
    known = sorted({found for info in runs if (found := store.manifest(info.id).meta.get("branch"))})
    of = f" of problem set {like.problem_set.name!r}" if like else ""
    raise UsageError(
        f"{BRANCH}{branch}: no finished run{of} has the metadata branch={branch}; "
        f"branches in store {store.name}: {', '.join(known) or 'none'}; judge with --meta branch={branch}"
    )


def _reason(side: Side, place: int | None, *, include_weak: bool) -> str:
    if place is None:
        return "not in the run"
    if not side.n[place]:
        return "no samples" if not side.samples[place] else "infrastructure errors alone"
    return "weak verdicts" if side.weak[place] and not include_weak else ""


def _first(labels: Sequence[Mapping[str, str | None]], kept: Sequence[str]) -> tuple[str | None, ...]:
    return tuple(next((value for of in labels if (value := of.get(name))), None) for name in kept)


def _why(dropped: Sequence[Dropped]) -> str:
    return "; ".join(f"{row.run}: {row.reason} ({len(row.ids)} problems)" for row in dropped)


def _named(sides: Sequence[Side]) -> str:
    return " and ".join(repr(side.name) for side in sides)
