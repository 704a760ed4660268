"""The command `doctor`: a table for people, a document for programs, an exit code for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.report import DoctorDocument, EngineRow, LayerRow, TierRow

if TYPE_CHECKING:
    from collections.abc import Callable

DOCUMENT = DoctorDocument(
    system="Linux",
    kernel="6.8.0",
    arch="x86_64",
    user="ordinary user",
    container="docker",
    python="cpython 3.12.1",
    layers=[
        LayerRow(layer="user namespaces", given=False, detail="Operation not permitted", advice="Allow them."),
        LayerRow(layer="mounts", given=False, detail="Operation not permitted", advice="Allow them."),
        LayerRow(layer="landlock", given=True, detail="version 5 of 7"),
    ],
    tiers=[
        TierRow(tier="namespaces", works=False, detail="refused"),
        TierRow(tier="landlock", works=True, detail="right passed"),
    ],
    tier="landlock",
    engines=[
        EngineRow(engine="docker", answers=False, detail="not installed"),
        EngineRow(engine="podman", answers=True, detail="version 4.3.1, image 0123456789ab"),
    ],
)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[[DoctorDocument], None]:
    """Have doctor find this."""

    def have(document: DoctorDocument) -> None:
        async def doctor(python: str | None) -> DoctorDocument:
            assert python is None
            return document

        monkeypatch.setattr("codejury.pipeline.doctor", doctor)

    return have


def test_table_tells_what_is_missing_and_what_to_do(codejury: Callable[..., Any], found: Any) -> None:
    """The same advice is given once for all the layers that it is for."""
    found(DOCUMENT)
    ended = codejury("doctor")
    assert (0, "") == (ended.code, ended.err)
    lines = [line.rstrip() for line in ended.out.splitlines()]
    assert "Linux 6.8.0, x86_64 in docker, ordinary user, cpython 3.12.1" == lines[0]
    assert "user namespaces  missing  Operation not permitted" in lines
    assert "landlock         ok       version 5 of 7" in lines
    assert "  user namespaces, mounts: Allow them." in lines
    assert "docker  missing  not installed" in lines
    assert "podman  ok       version 4.3.1, image 0123456789ab" in lines
    assert "judge will use tier 'landlock'." == lines[-1]


def test_no_tier_is_exit_code_3(codejury: Callable[..., Any], found: Any) -> None:
    """As judge would end."""
    found(msgspec.structs.replace(DOCUMENT, tier=None))
    ended = codejury("doctor")
    assert 3 == ended.code
    assert ended.out.rstrip().endswith("judge will refuse: no tier isolates programs here.")


def test_document(codejury: Callable[..., Any], found: Any) -> None:
    """On standard output, alone."""
    found(DOCUMENT)
    ended = codejury("doctor", "--json", "-")
    assert 0 == ended.code
    assert DOCUMENT == msgspec.json.decode(ended.out, type=DoctorDocument)


@pytest.mark.sandbox
def test_this_machine(codejury: Callable[..., Any]) -> None:
    """The command as it is, on this machine."""
    ended = codejury("doctor", "--json", "-")
    document = msgspec.json.decode(ended.out, type=DoctorDocument)
    assert (3 if document.tier is None else 0) == ended.code
