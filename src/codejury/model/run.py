"""Runs: what was judged, with what settings, on what machine."""

from __future__ import annotations

import os
import platform
from pathlib import PurePath
from typing import TYPE_CHECKING

import msgspec

from codejury.model.limits import Limits
from codejury.model.verdict import Confirm

if TYPE_CHECKING:
    from codejury.model.problem import ProblemSet


class ProblemSetInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Which problem set a run was judged on.

    Attributes:
        name: Name of the set.
        version: "N-X".
        hash: `ProblemSet.hash` of the problems that the run holds, a selection applied.
        source: Where the set came from.
    """

    name: str
    version: str
    hash: str
    source: str = ""

    @classmethod
    def of(cls, problem_set: ProblemSet) -> ProblemSetInfo:
        """What identifies `problem_set`."""
        return cls(
            name=problem_set.name,
            version=problem_set.version,
            hash=problem_set.hash,
            source=problem_set.source,
        )


class SamplesInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Which samples a run judged.

    Attributes:
        file: Name of the file. Folders are cut off: they tell about the user, not about the samples.
        sha256: Over the file's bytes as they are on disk, in hex.
        count: Number of samples read.
        notes: What their file makes one doubt, a line each.
    """

    file: str = ""
    sha256: str = ""
    count: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep the name without its folders."""
        msgspec.structs.force_setattr(self, "file", PurePath(self.file).name)


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which problems of a set a run was judged on, where these are not all.

    Attributes:
        ids: Ids that were asked for, in the set's order; empty where none were.
        tags: Tags of which a problem must have one, sorted; empty where none were asked for.
        difficulties: Difficulties of which a problem must have one, sorted; empty where none were asked for.
        since: First day of the dates that were asked for, ISO; None where none was.
        until: Last day, in the same way.
        limit: The first so many of what all these leave; None for all.
        shards: Which shards of what these leave, 1-based and sorted; empty for all.
        of: Number of shards; 0 where there are none.
        chosen: Number of problems that all these but the shards choose.
        chosen_hash: `ProblemSet.hash` of these.
        set_problems: Number of problems of the whole set.
        set_hash: `ProblemSet.hash` of the whole set.
        samples_left_out: Samples of problems that were not chosen.
        undated: Problems that were left out since nothing says when they were made.
    """

    ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    shards: tuple[int, ...] = ()
    of: int = 0
    chosen: int
    chosen_hash: str
    set_problems: int
    set_hash: str
    samples_left_out: int = 0
    undated: int = 0


class Interpreter(msgspec.Struct, frozen=True, kw_only=True):
    """The interpreter that ran the programs.

    Attributes:
        implementation: As `platform.python_implementation()`: "CPython", "PyPy".
        version: As `platform.python_version()`.
    """

    implementation: str
    version: str


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The machine that judged. It has no name: a manifest may be published.

    Attributes:
        system: "Linux".
        kernel: Release of the kernel.
        arch: "x86_64", "aarch64".
        cpus: CPUs that this process may use.
    """

    system: str
    kernel: str
    arch: str
    cpus: int

    @classmethod
    def here(cls) -> Machine:
        """This machine."""
        affinity = getattr(os, "sched_getaffinity", None)
        cpus = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
        return cls(system=platform.system(), kernel=platform.release(), arch=platform.machine(), cpus=cpus)


class ContainerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The container that programs were judged in.

    Attributes:
        image: Name of the image, as it was asked for.
        image_id: Its digest, in hex.
        engine: Name and version, as "podman 4.3.1".
        runtime: OCI runtime that was asked for, as "runsc".
    """

    image: str
    image_id: str
    engine: str
    runtime: str | None = None


class PartInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A run of which a merged run was made.

    Attributes:
        run: Its name.
        created: When it was begun: UTC, ISO 8601.
        samples: Its samples.
        machine: Where it was judged.
        meta: How its samples were made.
    """

    run: str
    created: str
    samples: SamplesInfo
    machine: Machine | None = None
    meta: dict[str, str] = {}


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run's figures depend on.

    A reader ignores fields that it does not know, and every field that is added later has a default: manifests of
    older and of newer versions can be read.

    Attributes:
        run: Name of the run, unique in its store.
        created: UTC, ISO 8601.
        problem_set: Which problems.
        samples: Which samples.
        limits: The run's limits; a problem may have its own.
        tier: Isolation tier.
        tier_note: Why it is not a stronger one, where it is not the strongest.
        all_tests: Whether tests ran on after a failed one.
        python: The interpreter that ran the programs.
        judge_version: Another one may give other verdicts.
        codejury_version: Version of this package.
        machine: Where it was judged.
        hash_seed: PYTHONHASHSEED of the programs; None where it was left random.
        level: Confidence level of the intervals.
        meta: How the samples were made: "model", "temperature", "top_p", "max_tokens", "prompt_hash", and whatever
            else the user declares.
        allow_missing: Whether problems without samples were allowed.
        missing: Ids of the problems without samples.
        packages: Distributions that the programs could import, as "name==version".
        rules: Number of samples by the rule that extracted their code.
        extractor: Name and version of what chose the rule for each, as "auto 1"; empty in older manifests.
        flags: Number of samples by what extracting their code had to do, as "trimmed", or met, as "cut-off".
        notes: What a reader of the figures must know: what is left out, references that fail or lack.
        selection: Which problems of the set; None for all.
        meta_replaced: Values of the file beside the samples that were declared otherwise in `meta`.
        unsound: Outcome of references that fail their own tests, by problem.
        raised: CPU seconds per test and in all where a slow reference has raised the limits, by problem.
        parts: The runs of which this one was merged; empty for one that was judged.
        container: What the programs ran in, for tier "container".
        confirm: Which passes were confirmed in the tests' own process.
        weak: Why verdicts are weak, by problem, as far as references show it.
    """

    run: str
    created: str
    problem_set: ProblemSetInfo
    samples: SamplesInfo = SamplesInfo()
    limits: Limits = Limits()
    tier: str = ""
    tier_note: str | None = None
    all_tests: bool = False
    python: Interpreter | None = None
    judge_version: str = ""
    codejury_version: str = ""
    machine: Machine | None = None
    hash_seed: int | None = None
    level: float = 0.95
    meta: dict[str, str] = {}
    allow_missing: bool = False
    missing: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    rules: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    selection: Selection | None = None
    meta_replaced: dict[str, str] = {}
    unsound: dict[str, str] = {}
    raised: dict[str, tuple[float, float]] = {}
    parts: tuple[PartInfo, ...] = ()
    container: ContainerInfo | None = None
    confirm: Confirm = "auto"
    weak: dict[str, str] = {}
    extractor: str = ""
    flags: dict[str, int] = {}

    @property
    def pooled(self) -> bool:
        """Whether this run was merged of runs over the same problems, each with a file of samples of its own."""
        return bool(self.parts) and not self.samples.sha256


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """How long judging took; the sessions of a resumed run add up.

    Attributes:
        wall_s: Wall seconds.
        samples: Samples that were judged in them.
    """

    wall_s: float = 0.0
    samples: int = 0

    @property
    def samples_per_s(self) -> float:
        """Throughput; 0 where nothing was timed."""
        return self.samples / self.wall_s if self.wall_s > 0 else 0.0
