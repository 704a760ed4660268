"""What the tests of all rooms share: the isolation that this machine gives."""

from __future__ import annotations

import asyncio
import signal

import pytest

from codejury.judging import ROLES
from codejury.model import Limits, TierUnavailable
from codejury.sandbox import Sandbox, Settings, choose_tier, describe


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """Plain Python, which programs are compared with, starts as from a shell's foreground.

    In a shell's background these tests, and all that they start, would ignore SIGINT.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def sandbox() -> str:
    """The strongest isolation tier of this machine, as `--tier auto` takes it; skips where there is none."""

    async def probe() -> str:
        tier = choose_tier().tier
        async with Sandbox(Settings(interpreter=describe(), limits=Limits(), tier=tier), ROLES):
            return tier

    try:
        return asyncio.run(probe())
    except TierUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def processes(sandbox: str) -> None:
    """Skips in a tier in which programs may not start processes."""
    if sandbox == "landlock":
        pytest.skip("no user namespaces here, and in tier 'landlock' programs may not start processes")
