"""The seccomp filter, instruction by instruction: what each system call is answered."""

from __future__ import annotations

import errno
import importlib.util
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ARCH = 0xC000003E
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
REFUSED, UNKNOWN, DONE = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS, ERRNO


@pytest.fixture(scope="session")
def kernel(inside_folder: Path) -> Any:
    """The module of system calls, as a module of its own."""
    spec = importlib.util.spec_from_file_location("sandbox_kernel", inside_folder / "kernel.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(kernel: Any, number: int, *args: int, arch: int = ARCH) -> int:
    """What the filter returns for a call, run as the kernel runs it."""
    data = number.to_bytes(4, "little") + arch.to_bytes(4, "little") + bytes(8)
    for value in (*args, *[0] * (6 - len(args))):
        data += value.to_bytes(8, "little")
    code, position, register = kernel.seccomp_filter("x86_64"), 0, 0
    while True:
        operation, if_true, if_false, constant = code[position]
        position += 1
        if operation == 0x20:
            register = int.from_bytes(data[constant : constant + 4], "little")
        elif operation == 0x06:
            return int(constant)
        else:
            met = {0x15: register == constant, 0x35: register >= constant, 0x45: bool(register & constant)}[
                operation
            ]
            position += if_true if met else if_false


def denied(kernel: Any) -> dict[str, int]:
    """Names and numbers of the calls that are refused whatever their arguments."""
    words = kernel.DENIED["x86_64"].split()
    return {name: int(number, 0) for name, number in zip(words[::2], words[1::2], strict=True)}


def test_every_number_is_answered_as_listed(kernel: Any) -> None:
    """Refused if it is in the list, unknown from the last number on, else allowed."""
    special = set(kernel.SPECIAL["x86_64"].values())
    refused = set(denied(kernel).values())
    assert len(refused) == len(denied(kernel))
    for number in set(range(600)) - special:
        expected = (
            REFUSED if number in refused else ALLOW if number <= kernel.SPECIAL["x86_64"]["last"] else UNKNOWN
        )
        assert expected == answer(kernel, number), number


@pytest.mark.parametrize("name", ["socket", "ptrace", "mount", "memfd_create", "bpf", "io_uring_setup", "flock"])
def test_well_known_calls_are_refused(kernel: Any, name: str) -> None:
    """The list has them, by the numbers of the kernel's table."""
    numbers = {
        "socket": 41,
        "ptrace": 101,
        "mount": 165,
        "memfd_create": 319,
        "bpf": 321,
        "io_uring_setup": 425,
        "flock": 73,
    }
    assert REFUSED == answer(kernel, numbers[name])


@pytest.mark.parametrize(
    "number", [0, 1, 2, 3, 9, 11, 12, 13, 39, 53, 57, 59, 60, 61, 62, 202, 228, 257, 302, 318]
)
def test_ordinary_calls_are_allowed(kernel: Any, number: int) -> None:
    """read, write, open, mmap, fork, execve, exit, futex, clock_gettime, getrandom and the like."""
    assert ALLOW == answer(kernel, number)


@pytest.mark.parametrize("arch", [0x40000003, 0xC00000B7, 0])
def test_other_architectures_are_killed(kernel: Any, arch: int) -> None:
    """A call by another table means another call."""
    assert KILL == answer(kernel, 0, arch=arch)


@pytest.mark.parametrize("number", [0x40000000, 0x40000000 + 41, 463, 0xFFFFFFFF])
def test_numbers_beyond_the_table_are_unknown(kernel: Any, number: int) -> None:
    """Those of the x32 table, too, and those of kernels to come."""
    assert UNKNOWN == answer(kernel, number)


NEW_NAMESPACES = (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)


@pytest.mark.parametrize("flag", NEW_NAMESPACES)
def test_clone_makes_no_namespaces(kernel: Any, flag: int) -> None:
    """With any of their flags it is refused, threads and processes are allowed."""
    assert REFUSED == answer(kernel, 56, flag | 17)
    assert [ALLOW, ALLOW] == [answer(kernel, 56, flags) for flags in (17, 0x3D0F00)]
    assert UNKNOWN == answer(kernel, 435)


@pytest.mark.parametrize("flag", NEW_NAMESPACES)
def test_unshare_and_setns(kernel: Any, flag: int) -> None:
    """Exactly the flag that a lane needs is let through, for the kernel to refuse to others."""
    expected = ALLOW if flag == 0x20000000 else REFUSED
    assert [expected, expected] == [answer(kernel, 272, flag), answer(kernel, 308, 5, flag)]
    assert REFUSED == answer(kernel, 272, flag | 0x10000000 | 0x00020000)
    assert [REFUSED, REFUSED] == [answer(kernel, 272, 0), answer(kernel, 308, 5, 0)]


def test_terminals_cannot_be_typed_into(kernel: Any) -> None:
    """Two requests of ioctl, others are allowed."""
    assert [REFUSED, REFUSED, ALLOW] == [answer(kernel, 16, 0, request) for request in (0x5412, 0x541C, 0x5401)]


def test_locks_and_signals_by_fcntl(kernel: Any) -> None:
    """Locks are told to be taken, what would send signals is refused, the rest is allowed."""
    assert [DONE] * 4 == [answer(kernel, 72, 3, command) for command in (6, 7, 37, 38)]
    assert [REFUSED] * 5 == [answer(kernel, 72, 3, command) for command in (8, 10, 15, 1024, 1026)]
    assert [ALLOW] * 5 == [answer(kernel, 72, 3, command) for command in (0, 1, 2, 3, 4)]


def test_jumps_stay_within_a_byte(kernel: Any) -> None:
    """Classic BPF jumps at most 255 instructions ahead, and the kernel takes 4096 of them."""
    code = kernel.seccomp_filter("x86_64")
    assert len(code) < 4096
    for position, (_, if_true, if_false, _) in enumerate(code):
        assert 0 <= min(if_true, if_false) <= max(if_true, if_false) <= 255
        assert position + 1 + max(if_true, if_false) < len(code) or code[position][0] == 0x06


def test_unknown_machine_is_an_error(kernel: Any) -> None:
    """There is no filter to be had for it, which is said before any program runs."""
    with pytest.raises(KeyError):
        kernel.seccomp_filter("alpha")
