"""What `judge` is asked for, and what of it is refused before anything is judged."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.engine import ContainerSettings
from codejury.extract import AUTO as AUTO_EXTRACTOR
from codejury.extract import extractor
from codejury.model import Confirm, Limits, UsageError
from codejury.pipeline import refusals
from codejury.pipeline.selection import Choice
from codejury.sandbox import AUTO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from codejury.model import Manifest

_SHOWN = 5


class JudgeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `judge` is asked for.

    Attributes:
        samples: A file of samples.
        problems: Name of a problem set, or a file.
        run: The run's name; one is made of the file's name and the time if None.
        limits: Limits; problems may have their own.
        slots: Samples under way at once; the usable cores if None.
        python: Interpreter or virtual environment that runs candidates; codejury's own if None.
        packages: Import names of its installed packages that candidates see.
        tier: Isolation tier; `sandbox.AUTO` is the strongest that the machine gives. Or a container.
        unsafe: Run programs without isolation, whatever `tier` says; all verdicts are weak.
        own_samples: The samples are codejury's own: `tier` may be "none".
        tier_note: Why that is not a stronger one, which `judge` finds out.
        all_tests: Run on after a failed test.
        confirm: Which passes are confirmed in the tests' own process.
        require_strong: Refuse problems whose verdicts would be weak.
        ks: The k of pass@k that will be asked for; a k above a problem's samples is refused before judging.
        drop_short: Problems with fewer samples than the largest k will be left out.
        level: Confidence level of the intervals.
        meta: How the samples were made: model, temperature, …
        meta_file: The same as the file beside the samples says, which `judge` reads; `meta` goes before it.
        extractor: What makes programs of answers; one of `extract.EXTRACTORS`.
        choice: Which problems to judge; samples of others are counted and left out.
        allow_missing: Judge though some problems have no sample.
        allow_empty: Keep empty answers, judged as `no_code`.
        resume: Go on with the run of this name.
        retry_infra: Judge again what ended in an infrastructure error; needs `resume`.
    """

    samples: str
    problems: str
    run: str | None = None
    limits: Limits = Limits()
    slots: int | None = None
    python: str | None = None
    packages: tuple[str, ...] = ()
    tier: str | ContainerSettings = AUTO
    unsafe: bool = False
    own_samples: bool = False
    tier_note: str | None = None
    all_tests: bool = False
    confirm: Confirm = "auto"
    require_strong: bool = False
    ks: tuple[int, ...] | None = None
    drop_short: bool = False
    level: float = 0.95
    meta: dict[str, str] = {}
    meta_file: dict[str, str] = {}
    extractor: str = AUTO_EXTRACTOR
    choice: Choice = Choice()
    allow_missing: bool = False
    allow_empty: bool = False
    resume: bool = False
    retry_infra: bool = False


class Told(msgspec.Struct):
    """What reading samples tells, added when the last is read.

    Attributes:
        notes: What to know of how they were drawn, a line each.
        drawn_with: What their rows say of the model and its settings.
    """

    notes: list[str] = []
    drawn_with: dict[str, Any] = {}


def default_run_name(samples: str) -> str:
    """A run's name: the file's, and the time in UTC to the microsecond."""
    stem = Path(samples).name.partition(".")[0] or "run"
    return f"{stem}-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S-%f}"


def check_settings(settings: JudgeSettings) -> None:
    """Refuse what cannot be meant, whatever the samples are; raises UsageError."""
    extractor(settings.extractor)  # there is one of this name
    refusals.check_options(settings.level, settings.ks)
    if settings.resume and settings.run is None:
        raise UsageError("--resume needs the run's name: add --run NAME")
    if settings.retry_infra and not settings.resume:
        raise UsageError("--retry judges a run's samples again: add --resume and --run NAME")
    if settings.unsafe and settings.require_strong:
        raise UsageError(
            "--unsafe makes all verdicts weak, and --require-integrity asks for strong ones: give one"
        )
    if settings.unsafe and isinstance(settings.tier, ContainerSettings):
        raise UsageError("--unsafe is no isolation, and --tier container asks for some: give one of them")


def check_figures(settings: JudgeSettings, manifest: Manifest, n: Mapping[str, int]) -> None:
    """Refuse a k that the samples (`n` by problem) cannot answer: better now than after hours of judging."""
    if settings.ks is None:
        return
    k = max(settings.ks)
    if k > 1 and refusals.one_draw(manifest.meta):
        raise UsageError(refusals.not_drawn(f"pass@{k}", manifest.meta))
    short = [f"{name} ({number})" for name, number in n.items() if 0 < number < k]
    if len(short) == sum(number > 0 for number in n.values()):
        raise UsageError(f"{settings.samples}: no problem has {k} samples: take a smaller k")
    if short and not settings.drop_short:
        hints = ["take a smaller k", "leave them out of every figure with --drop-short"]
        counted = f"{len(short)} of {len(n)} have fewer: {named(short)}"
        raise UsageError(f"{settings.samples}: {refusals.too_few(f'pass@{k}', k, counted, hints)}")


def named(names: list[str] | tuple[str, ...]) -> str:
    """The first few of names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
