"""Numbers of system calls, held against the kernel's own tables where its headers are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

HEADERS = {
    "x86_64": (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ()),
    "aarch64": (
        Path("/usr/include/asm-generic/unistd.h"),
        ("RENAMEAT", "NEW_STAT", "SET_GET_RLIMIT", "TIME32_SYSCALLS", "SYS_CLONE3", "MEMFD_SECRET"),
    ),
}


@pytest.fixture(scope="session")
def calls(inside_module: Callable[[str], Any]) -> Any:
    """The module of numbers."""
    return inside_module("calls")


def of_header(header: Path, wants: tuple[str, ...]) -> dict[str, int]:
    """Name -> number, as the C preprocessor finds them."""
    defines = ["-D__BITS_PER_LONG=64", *(f"-D__ARCH_WANT_{want}" for want in wants)]
    command = ["gcc", "-E", "-dM", *defines, "-include", str(header), "-x", "c", "/dev/null"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    shared = dict(re.findall(r"#define __NR3264_(\w+) (\d+)", text))
    found = re.findall(r"#define __NR_(\w+) (?:__NR3264_)?(\w+)", text)
    return {name: int(shared.get(value, value)) for name, value in found if shared.get(value, value).isdigit()}


@pytest.mark.parametrize("machine", HEADERS)
def test_numbers_are_the_kernels(calls: Any, machine: str) -> None:
    """Each number that both know is the same; what one machine lacks is not there."""
    header, wants = HEADERS[machine]
    if not header.exists() or shutil.which("gcc") is None:
        pytest.skip(f"no {header}, or no gcc to read it")
    theirs, ours = of_header(header, wants), calls.NUMBERS[machine]
    theirs.setdefault("newfstatat", theirs.get("fstatat", -1))
    known = {name: number for name, number in ours.items() if number <= max(theirs.values())}
    assert known == {name: theirs[name] for name in known}
    assert len(known) > 200
    lacking = set(calls.NUMBERS["x86_64"]) - set(ours)
    assert not lacking & set(theirs)


def test_numbers_are_unique(calls: Any) -> None:
    """No two calls of a machine share one, and all are in the table's range."""
    for table in calls.NUMBERS.values():
        assert len(set(table.values())) == len(table)
        assert max(table.values()) <= calls.LAST
