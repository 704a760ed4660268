"""Under what conditions a run was made and judged: what must be equal where two are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codejury.extract import AUTO

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from codejury.model import Manifest

SAMPLING = ("temperature", "top_p", "max_tokens", "prompt_hash")
"""How the samples were made, as the user declares it (`--meta`)."""

CONDITIONS = (
    "set",
    "tests",
    "n",
    *SAMPLING,
    "limits",
    "tier",
    "confirm",
    "judge",
    "extraction",
    "interpreter",
    "packages",
)
"""All of them, by the names by which they are waived."""

_EMPTY = "empty"  # the rule of blank answers, which any file may hold
_BY_KIND = {"completion", "solution"}  # rules of answers that are judged to the byte


def conditions(manifest: Manifest, drawn: Iterable[int], tiers: Iterable[str]) -> dict[str, str]:
    """The conditions of a run as texts, by name; unknown ones are left out.

    Args:
        manifest: Of the run.
        drawn: Samples of each of its problems.
        tiers: Isolation tiers of its verdicts.
    """
    problem_set, selection = manifest.problem_set, manifest.selection
    sizes = [number for number in drawn if number]
    found = {
        "set": f"{problem_set.name} {problem_set.version.partition('-')[0]}",
        "tests": problem_set.hash if selection is None else selection.set_hash,
        "n": _range(sizes),
        **{name: manifest.meta.get(name) for name in SAMPLING},
        "limits": ", ".join(
            f"{name} {_plain(value)}" for name, value in msgspec.structs.asdict(manifest.limits).items()
        ),
        "tier": ", ".join(sorted(tiers)) or manifest.tier,
        "confirm": manifest.confirm,
        "judge": manifest.judge_version,
        "extraction": _extraction(manifest),
        "interpreter": manifest.python and f"{manifest.python.implementation} {manifest.python.version}",
    }
    known = {name: value for name, value in found.items() if value}
    if manifest.judge_version:  # no packages are something known, in a manifest that says so much
        known["packages"] = ", ".join(sorted(manifest.packages)) or "none"
    return known


def _extraction(manifest: Manifest) -> str:
    """The extractor; the rules alone where nothing was extracted, and in manifests that name no extractor."""
    rules = sorted(rule for rule in manifest.rules if rule != _EMPTY)
    plain = manifest.extractor.startswith(f"{AUTO} ") and set(rules) <= _BY_KIND
    return manifest.extractor if manifest.extractor and not plain else ", ".join(rules)


def same(one: str | None, two: str | None) -> bool:
    """Whether two values of a condition are equal; numbers are, however they are written."""
    if one == two:
        return True
    if one is None or two is None:
        return False
    try:
        return float(one) == float(two)
    except ValueError:
        return False


def said(name: str, value: str | None, other: str | None) -> str:
    """A value in words, next to another: of limits only what differs, of hashes the beginning."""
    if value is None:
        return "unknown"
    if name == "tests":
        return value[:12]
    if name == "limits" and other is not None:
        rest = set(other.split(", "))
        return ", ".join(part for part in value.split(", ") if part not in rest)
    return value


def declared(meta: Mapping[str, str]) -> dict[str, str]:
    """The conditions that are known of a run of which nothing but its metadata is."""
    return {name: meta[name] for name in SAMPLING if name in meta}


def _range(numbers: list[int]) -> str | None:
    if not numbers:
        return None
    return f"{min(numbers)}" if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
