"""The filters of system calls, instruction by instruction: what each call is answered, on each machine.

The filters for aarch64 are run here as on x86_64, by an interpreter of BPF: no such machine has tried them.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
REFUSED, UNKNOWN, DONE = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS, ERRNO
PID = 4711

each_machine = pytest.mark.parametrize("machine", ARCH)


@pytest.fixture(scope="session")
def filters(inside_module: Callable[[str], Any]) -> Any:
    """The module of filters."""
    return inside_module("filters")


@pytest.fixture(scope="session")
def numbers(inside_module: Callable[[str], Any]) -> dict[str, dict[str, int]]:
    """Machine -> name -> number."""
    found: dict[str, dict[str, int]] = inside_module("calls").NUMBERS
    return found


def run(code: list[tuple[int, int, int, int]], arch: int, number: int, *args: int) -> int:
    """What a filter returns for a call, run as the kernel runs it."""
    data = number.to_bytes(4, "little") + arch.to_bytes(4, "little") + bytes(8)
    for value in (*args, *[0] * (6 - len(args))):
        data += value.to_bytes(8, "little")
    position = register = 0
    while True:
        operation, if_true, if_false, constant = code[position]
        position += 1
        if operation == 0x20:
            register = int.from_bytes(data[constant : constant + 4], "little")
        elif operation == 0x06:
            return constant
        elif operation == 0x05:
            position += constant
        else:
            met = {0x15: register == constant, 0x35: register >= constant, 0x45: bool(register & constant)}
            position += if_true if met[operation] else if_false


@pytest.fixture
def denying(filters: Any, numbers: Any) -> Any:
    """Ask the deny-list of a machine about a call by name or number."""

    def ask(machine: str, call: str | int, *args: int, arch: int | None = None) -> int:
        number = numbers[machine][call] if isinstance(call, str) else call
        return run(filters.deny_list(machine), ARCH[machine] if arch is None else arch, number, *args)

    return ask


@pytest.fixture
def allowing(filters: Any, numbers: Any) -> Any:
    """Ask the allow-list of a machine, and below it the filter of one process: the stricter answer counts."""

    def ask(
        machine: str,
        call: str | int,
        *args: int,
        truncate: bool = False,
        child: bool = True,
        arch: int | None = None,
    ) -> int:
        number = numbers[machine][call] if isinstance(call, str) else call
        codes = [filters.allow_list(machine, truncate=truncate)]
        codes += [filters.own_alone(machine, PID)] if child else []
        answers = [run(code, ARCH[machine] if arch is None else arch, number, *args) for code in codes]
        return min(answers, key=lambda answer: [KILL, ERRNO, ALLOW].index(answer & 0xFFFF0000))

    return ask


# ---- both lists


@each_machine
def test_other_architectures_are_killed(denying: Any, allowing: Any, machine: str) -> None:
    """A call by another table means another call."""
    for arch in (0x40000003, 0xC00000B8, 0, *(other for name, other in ARCH.items() if name != machine)):
        assert [KILL, KILL] == [ask(machine, "read", arch=arch) for ask in (denying, allowing)]


@each_machine
@pytest.mark.parametrize("number", [0x40000000, 0x40000000 + 41, 463, 0xFFFFFFFF])
def test_numbers_beyond_the_table_are_unknown(denying: Any, allowing: Any, machine: str, number: int) -> None:
    """Those of the x32 table, too, and those of kernels to come."""
    assert [UNKNOWN, UNKNOWN] == [denying(machine, number), allowing(machine, number)]


@each_machine
def test_clone3_is_unknown(denying: Any, allowing: Any, machine: str) -> None:
    """Its flags lie in memory, which no filter sees; libraries use clone then."""
    assert [UNKNOWN, UNKNOWN] == [denying(machine, "clone3"), allowing(machine, "clone3")]


@each_machine
def test_terminals_cannot_be_typed_into(denying: Any, allowing: Any, machine: str) -> None:
    """Two requests of ioctl, and two by which a socket would signal others; the rest is allowed."""
    for ask in (denying, allowing):
        answers = [ask(machine, "ioctl", 0, request) for request in (0x5412, 0x541C, 0x8901, 0x8902, 0x5401)]
        assert [REFUSED, REFUSED, REFUSED, REFUSED, ALLOW] == answers


@each_machine
def test_locks_and_signals_by_fcntl(denying: Any, allowing: Any, machine: str) -> None:
    """Locks are told to be taken, what would send signals is refused, the rest is allowed."""
    for ask in (denying, allowing):
        assert [DONE] * 4 == [ask(machine, "fcntl", 3, command) for command in (6, 7, 37, 38)]
        assert [REFUSED] * 5 == [ask(machine, "fcntl", 3, command) for command in (8, 10, 15, 1024, 1026)]
        assert [ALLOW] * 5 == [ask(machine, "fcntl", 3, command) for command in (0, 1, 2, 3, 4)]


NEW_NAMESPACES = (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)


@each_machine
@pytest.mark.parametrize("flag", NEW_NAMESPACES)
def test_clone_makes_no_namespaces(denying: Any, allowing: Any, machine: str, flag: int) -> None:
    """With any of their flags it is refused, be it for a process or for a thread."""
    assert [REFUSED] * 2 == [denying(machine, "clone", flag | kind) for kind in (17, 0x3D0F00)]
    assert [REFUSED] * 2 == [allowing(machine, "clone", flag | kind, child=False) for kind in (17, 0x3D0F00)]


@each_machine
def test_filters_are_what_the_kernel_takes(filters: Any, machine: str) -> None:
    """Classic BPF jumps at most 255 instructions ahead, and the kernel takes 4096 of them; each path ends."""
    codes = [filters.deny_list(machine), filters.own_alone(machine, PID)]
    codes += [filters.allow_list(machine, truncate=truncate) for truncate in (False, True)]
    for code in codes:
        assert len(code) < 4096
        assert len(filters.encoded(code)) == 8 * len(code)
        for position, (operation, if_true, if_false, constant) in enumerate(code):
            assert 0 <= min(if_true, if_false) <= max(if_true, if_false) <= 255
            ahead = constant if operation == 0x05 else max(if_true, if_false)
            assert operation == 0x06 or position + 1 + ahead < len(code)


def test_unknown_machine_is_an_error(filters: Any) -> None:
    """There is no filter to be had for it, which is said before any program runs."""
    with pytest.raises(KeyError):
        filters.deny_list("alpha")


# ---- tier "namespaces"

SPECIAL = ("clone", "clone3", "ioctl", "fcntl", "unshare", "setns")


@each_machine
def test_every_number_is_answered_as_the_deny_list_says(
    filters: Any, numbers: Any, denying: Any, machine: str
) -> None:
    """Refused if it is in the list, unknown from the last number on, else allowed."""
    table = numbers[machine]
    refused = {table[name] for name in filters.DENIED if name in table}
    assert len(set(filters.DENIED)) == len(filters.DENIED)
    for number in set(range(600)) - {table[name] for name in SPECIAL}:
        expected = REFUSED if number in refused else ALLOW if number <= 462 else UNKNOWN
        assert expected == denying(machine, number), number


@each_machine
@pytest.mark.parametrize("name", ["socket", "ptrace", "mount", "memfd_create", "bpf", "io_uring_setup", "flock"])
def test_well_known_calls_are_refused(denying: Any, allowing: Any, machine: str, name: str) -> None:
    """By both lists."""
    assert [REFUSED, REFUSED] == [denying(machine, name), allowing(machine, name)]


@each_machine
def test_processes_are_allowed_where_they_have_a_namespace(denying: Any, machine: str) -> None:
    """Processes and threads."""
    assert [ALLOW, ALLOW] == [denying(machine, "clone", flags) for flags in (17, 0x3D0F00)]


@each_machine
@pytest.mark.parametrize("flag", NEW_NAMESPACES)
def test_unshare_and_setns(denying: Any, allowing: Any, machine: str, flag: int) -> None:
    """Exactly the flag that a lane needs is let through, for the kernel to refuse to others."""
    expected = ALLOW if flag == 0x20000000 else REFUSED
    assert [expected, expected] == [denying(machine, "unshare", flag), denying(machine, "setns", 5, flag)]
    assert REFUSED == denying(machine, "unshare", flag | 0x10000000 | 0x00020000)
    assert [REFUSED, REFUSED] == [denying(machine, "unshare", 0), denying(machine, "setns", 5, 0)]
    assert [REFUSED, REFUSED] == [allowing(machine, "unshare", flag), allowing(machine, "setns", 5, flag)]


# ---- tier "landlock"

BY_ARGUMENT = ("clone", "clone3", "ioctl", "fcntl", "prctl", "socketpair")


@each_machine
def test_every_number_is_answered_as_the_allow_list_says(
    filters: Any, numbers: Any, allowing: Any, machine: str
) -> None:
    """Allowed if it is in the list, unknown from the last number on, else refused."""
    table = numbers[machine]
    allowed = {table[name] for name in filters.ALLOWED if name in table}
    assert len(set(filters.ALLOWED)) == len(filters.ALLOWED)
    assert not set(filters.ALLOWED) & (set(filters.DENIED) - {"seccomp"})
    for number in set(range(600)) - {table[name] for name in BY_ARGUMENT}:
        expected = ALLOW if number in allowed else REFUSED if number <= 462 else UNKNOWN
        assert expected == allowing(machine, number, child=False), number


@pytest.mark.parametrize(
    "name",
    ["fork", "vfork", "execve", "chmod", "rename", "unlink", "mkdir", "creat", "truncate", "setuid", "kexec_load"],
)
def test_what_changes_files_or_starts_programs_is_not_in_the_list(filters: Any, name: str) -> None:
    """Landlock does not know rights, owners and times of files; there is no call for them."""
    assert name not in filters.ALLOWED


@each_machine
@pytest.mark.parametrize("call", ["kill", "prlimit64", "getsid", "getpgid", "sched_getaffinity", "sched_getparam"])
def test_calls_that_name_a_process_are_for_oneself(allowing: Any, machine: str, call: str) -> None:
    """Neither the judge nor a neighbour, nor all, nor another's group."""
    assert [ALLOW, ALLOW] == [allowing(machine, call, pid) for pid in (0, PID)]
    others = (1, PID - 1, PID + 1, (1 << 64) - 1, (1 << 64) - PID, 0xFFFFFFFF)
    assert [REFUSED] * 6 == [allowing(machine, call, pid) for pid in others]
    assert ALLOW == allowing(machine, call, 1, child=False)


@each_machine
def test_signals_to_threads_are_for_ones_own(allowing: Any, machine: str) -> None:
    """Those that name the process; tkill, which names a thread alone, is refused."""
    assert [ALLOW, REFUSED] == [allowing(machine, "tgkill", pid, 99, 6) for pid in (PID, PID + 1)]


@each_machine
def test_a_child_makes_threads_alone(allowing: Any, machine: str) -> None:
    """A lane forks, its child does not."""
    assert [ALLOW, REFUSED] == [allowing(machine, "clone", 17, child=child) for child in (False, True)]
    assert ALLOW == allowing(machine, "clone", 0x3D0F00)


@each_machine
def test_a_child_stays_bound_to_its_lane(allowing: Any, machine: str) -> None:
    """It cannot take back that it ends with the lane, nor become visible; it may name itself."""
    for option, later in ((1, REFUSED), (4, REFUSED), (15, ALLOW), (22, REFUSED), (24, REFUSED), (39, ALLOW)):
        assert later == allowing(machine, "prctl", option)
    assert [ALLOW, ALLOW] == [allowing(machine, "prctl", option, child=False) for option in (1, 4)]
    for call in ("setsid", "pidfd_open", "seccomp"):
        assert [ALLOW, REFUSED] == [allowing(machine, call, child=child) for child in (False, True)]


@each_machine
def test_pairs_of_sockets_are_local(allowing: Any, machine: str) -> None:
    """Programs with an event loop need a pair; no other family has pairs worth the risk."""
    assert [ALLOW, REFUSED, REFUSED] == [allowing(machine, "socketpair", family, 1) for family in (1, 2, 16)]


@each_machine
def test_pairs_of_sockets_are_streams(allowing: Any, machine: str) -> None:
    """A datagram socket of a pair could send to any address that the user may write to."""
    streams = (1, 1 | 0x800, 1 | 0x80000, 1 | 0x80800)
    assert [ALLOW] * 4 == [allowing(machine, "socketpair", 1, kind) for kind in streams]
    others = (2, 2 | 0x80000, 3, 5, 5 | 0x800, 0)
    assert [REFUSED] * 6 == [allowing(machine, "socketpair", 1, kind) for kind in others]


@each_machine
def test_opening_to_truncate_is_refused_where_landlock_does_not_know_it(allowing: Any, machine: str) -> None:
    """Before version 3; reading and writing are Landlock's."""
    refused = ERRNO | errno.EACCES
    for truncate, expected in ((False, ALLOW), (True, refused)):
        assert expected == allowing(machine, "openat", 0, 0, 0x200, truncate=truncate)
        assert ALLOW == allowing(machine, "openat", 0, 0, 1, truncate=truncate)
    if machine == "x86_64":
        assert refused == allowing(machine, "open", 0, 0x241, truncate=True)
