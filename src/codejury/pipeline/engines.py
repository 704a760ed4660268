"""The engine of a run: slots on this machine, or in a container, and what manifests say of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codejury.engine import AnyEngine, ContainerEngine, ContainerSettings, LocalEngine
from codejury.model import Limits, Machine, Pytest
from codejury.pipeline.packages import PYTEST, PYTEST_BESIDE, visible
from codejury.pipeline.references import effective_limits, largest
from codejury.pipeline.selection import refuse_unjudgeable
from codejury.sandbox import TierChoice, describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.model import ContainerInfo, Manifest, Problem

Place = str | ContainerSettings
"""Where programs run: a tier of this machine, or a container."""


class Opened(NamedTuple):
    """An engine that has begun to start; `async with` it, or close it with `__aexit__`.

    Attributes:
        engine: With its tier and interpreter.
        note: Why its tier is not a stronger one.
        packages: Import names of the packages that programs see.
        machine: The machine, as it looks from where programs run.
        container: What they run in, if it is a container.
    """

    engine: AnyEngine
    note: str | None
    packages: tuple[str, ...]
    machine: Machine
    container: ContainerInfo | None = None


async def open_engine(
    problems: Sequence[Problem],
    limits: Limits,
    place: TierChoice | ContainerSettings,
    *,
    python: str | None = None,
    packages: tuple[str, ...] = (),
    slots: int | None = None,
) -> Opened:
    """An engine for these problems; its library is to be set.

    Args:
        problems: With their own limits.
        limits: Of the run.
        place: The tier that was chosen on this machine, or a container.
        python: Interpreter or virtual environment, in the container if there is one.
        packages: Import names of its installed packages that programs see.
        slots: Programs under way at once.

    Raises:
        UsageError: A problem cannot be judged; the interpreter, a package or the image is not there.
        InfrastructureError: The container does not start.
    """
    refuse_unjudgeable(problems)
    most = largest((effective_limits(problem, limits) for problem in problems), limits)
    if isinstance(place, TierChoice):
        interpreter = describe(python)
        packages = visible(problems, packages, interpreter)
        local = LocalEngine(
            None, limits=most, interpreter=interpreter, slots=slots, packages=packages, tier=place.tier
        )
        local.start()  # it gets ready while the caller goes on
        return Opened(local, place.note, packages, Machine.here())
    optional: tuple[str, ...] = ()
    if any(isinstance(problem.tests, Pytest) for problem in problems):
        packages, optional = tuple(dict.fromkeys((*packages, *PYTEST))), PYTEST_BESIDE
    inside = ContainerEngine(
        None, limits=most, settings=place, slots=slots, packages=packages, optional=optional, python=python
    )
    await inside.start()
    return Opened(inside, inside.note or None, inside.packages, inside.machine, inside.info)


def place_of(manifest: Manifest) -> Place:
    """Where a run was begun."""
    held = manifest.container
    if held is None:
        return manifest.tier
    engine = held.engine.partition(" ")[0]
    return ContainerSettings(image=held.image, engine=engine, runtime=held.runtime)
