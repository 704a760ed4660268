"""The fork server. Nothing here ever sees a problem, a program or a test.

    zygote  one for each role, the first of them pid 1; imports what its role needs, forks a lane whenever the host
            asks for one
    lane    own uid, pid namespace, cgroups and (if the role writes) own /tmp; no_new_privs and the seccomp filter;
            forks children, one at a time
    child   pid 1 of its own pid namespace, no capabilities: plays its role once and exits

Without namespaces (tier "landlock") a lane has own cgroups where there are any, a Landlock domain in which it can
read the interpreter alone, and a list of the system calls that it may make; its child is one process without /tmp.

A lane says of each child, on its control socket: `new`, with the descriptors of a pidfd and of the channel's ends;
then, when every process of the child is gone, how it ended, as `status user_us system_us peak_kib`.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import gc
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _socket
import json
import resource
import signal

import filters
import kernel
import landlock

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import Any, NoReturn, Protocol

    class Role(Protocol):
        """What a role's module offers."""

        WRITES: bool  # whether it has a /tmp of its own
        FORKS: bool  # whether it forks processes, each of which it confines itself
        LATE: bool  # whether few runs need it: it warms up when it is first asked for a lane

        def warm_up(self) -> None:
            """Prepare what every child needs."""

        def prepare(self, names: list[str]) -> None:
            """Import packages that programs see. A role may have none of this."""

        def channel(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
            """Descriptors of a new channel: the child's ends, the host's ends."""

        def play(self, *channel: Any) -> None:
            """Play the part once, over the child's ends; a role that forks also gets `confine` and `clean`."""


CONTROL = 3  # of the first role; those of the others follow, then, for an ordinary user, /proc
OURS = ("calls.py", "filters.py", "kernel.py", "landlock.py", "zygote.py")
TMP = "/tmp"  # noqa: S108 - the sandbox's own


def main(options: dict[str, Any]) -> None:
    """Import what is preloaded and become the zygotes of all roles."""
    preload(options["preload"])
    if options["tier"] == "landlock":
        options["abi"] = min(landlock.version(), landlock.LATEST)
        options["ruleset"] = landlock.ruleset(options["abi"], options["allowed"])
    roles = [__import__(module) for module in options["roles"].values()]
    own = {os.path.dirname(path) for path in (os.path.abspath(__file__), *options["files"])}
    sys.path[:] = [folder for folder in sys.path if folder not in own] + options["search"]
    sys.argv = [""]
    for position, role in enumerate(roles[1:], 1):
        if os.fork() == 0:
            run_zygote(options, role, CONTROL + position)
    run_zygote(options, roles[0], CONTROL)


def preload(names: list[str]) -> None:
    """Import modules and fix the state of `random`, which would else be drawn anew at every fork."""
    register, os.register_at_fork = os.register_at_fork, lambda **_: None
    for name in names:
        try:
            __import__(name)
        except ImportError:
            pass
    os.register_at_fork = register
    if "random" in sys.modules:
        sys.modules["random"].seed(0)


def run_zygote(options: dict[str, Any], role: Role, number: int) -> NoReturn:
    """One lane for each message that brings a control socket; the end of the host is the end."""
    control = _socket.socket(fileno=number)
    if role.LATE:
        control.send(b"ready")
        if not control.recv(1, _socket.MSG_PEEK):
            os._exit(0)
    get_ready(options, role)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if not role.LATE:
        control.send(b"ready")
    while True:
        message, ancillary, _, _ = control.recvmsg(256, _socket.CMSG_SPACE(64))
        if not message:
            os._exit(0)
        fds = descriptors(ancillary)
        if os.fork() == 0:
            try:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                uid, address_bytes = map(int, message.split())
                enter_lane(options, role, uid, address_bytes, fds)
            except BaseException as error:
                # the lane's own end of the control socket is the descriptor it came as, or CONTROL later on
                report(fds[0], error)
                report(CONTROL, error)
            os._exit(70)
        for fd in fds:
            os.close(fd)


def get_ready(options: dict[str, Any], role: Role) -> None:
    """Import and warm up what all children of a role need."""
    if hasattr(role, "prepare"):
        role.prepare(options["shown"])
    role.warm_up()
    for path in (*options["files"], *OURS):  # nobody's import finds ours
        sys.modules.pop(os.path.basename(path).partition(".")[0], None)
    gc.collect()
    gc.freeze()


def descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    """The file descriptors that came with a message."""
    data = b"".join(item[2] for item in ancillary)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data) - 3, 4)]


def report(fd: int, error: BaseException) -> None:
    """Tell the host that a lane could not be set up."""
    try:
        os.write(fd, f"error {type(error).__name__}: {error}".encode()[:4000])
    except OSError:
        pass


# ---- lanes


def enter_lane(options: dict[str, Any], role: Role, uid: int, address_bytes: int, fds: list[int]) -> NoReturn:
    """Join the cgroups, isolate, limit; from then on fork children."""
    # candidate and judge of a slot take turns: on one processor, neither waits to be woken on another
    for fd in fds[1:]:
        os.write(fd, b"0")
        os.close(fd)
    tier = options["tier"]
    if tier == "namespaces":
        leave_namespaces(options, role, uid, fds[0])
    elif tier == "landlock":
        enter_domain(options, uid)
    os.dup2(fds[0], CONTROL, inheritable=False)
    keep = CONTROL + 1
    if tier == "namespaces":
        os.dup2(os.pidfd_open(os.getpid()), keep, inheritable=False)
        keep += 1
    os.closerange(keep, 4096)
    os.chdir(TMP if tier != "landlock" and os.path.isdir(TMP) else "/")
    limit(options["limits"], address_bytes)
    if tier == "namespaces":
        drop_bounding_set()
        kernel.load_filter(filters.deny_list(kernel.known_machine()))
    elif tier == "landlock":
        kernel.load_filter(filters.allow_list(kernel.known_machine(), truncate=options["abi"] < 3))
    gc.collect()
    gc.freeze()
    serve(options, role, uid, keep)


def leave_namespaces(options: dict[str, Any], role: Role, uid: int, control: int) -> None:
    """Go on as pid 1 of the lane's own namespaces; its children get theirs below them."""
    own_user = 0 if options["ids"] else kernel.NEWUSER
    kernel.unshare(own_user | kernel.NEWPID | kernel.NEWNS)
    if own_user:
        proc = CONTROL + len(options["roles"])
        for name in ("uid_map", "gid_map"):
            with open(os.open(f"self/{name}", os.O_WRONLY, dir_fd=proc), "w", encoding="ascii") as file:
                file.write(f"{uid} 0 1")
    first = os.fork()
    if first:
        os.close(control)
        os.waitpid(first, 0)
        os._exit(0)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    if role.WRITES:
        flags = kernel.MS_NOSUID | kernel.MS_NODEV
        size = f"size={options['limits']['file_bytes']},nr_inodes=4k,mode=1777"
        kernel.mount("tmpfs", TMP, "tmpfs", flags, size)


def enter_domain(options: dict[str, Any], uid: int) -> None:
    """Go on as an own user where there are ids to spare, without capabilities, within the Landlock domain."""
    drop_bounding_set()
    if options["ids"]:
        own = options["ids"][0] + uid
        os.setgroups([])
        os.setresgid(own, own, own)
        os.setresuid(own, own, own)
    else:
        kernel.drop_capabilities()
    hide()
    landlock.restrict(options["abi"], options["ruleset"])


def hide() -> None:
    """End with the parent, whoever it is now; and let no process of this user look into this one."""
    parent = os.getppid()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if os.getppid() != parent:
        os._exit(70)


def drop_bounding_set() -> None:
    """Drop the capability bounding set: no program that a child starts can gain a capability.

    An ordinary user cannot, and has none to gain: no_new_privs keeps it so.
    """
    for capability in range(64):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError:
            break


def limit(limits: dict[str, int], address_bytes: int) -> None:
    """The limits that do not change from sample to sample, and that the lane can have as well."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    set_limit("CORE", 0)
    set_limit("MEMLOCK", 0)
    set_limit("MSGQUEUE", 0)
    set_limit("SIGPENDING", 64)
    set_limit("FSIZE", limits["file_bytes"])
    set_limit("AS", address_bytes)


def set_limit(name: str, value: int) -> None:
    """Lower a limit, never above the hard one that we were given."""
    which = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))


def serve(options: dict[str, Any], role: Role, uid: int, first_free: int) -> NoReturn:
    """Fork children for ever, one at a time; each one's end makes place for the next."""
    control = _socket.socket(fileno=CONTROL)
    namespaces = options["tier"] == "namespaces"
    clean = free_space() if role.WRITES and namespaces else None
    while True:
        mine, theirs = role.channel()
        if namespaces:
            kernel.unshare(kernel.NEWPID)
        pid = kernel.fork()
        if pid == 0:
            try:
                become_child(options, role, uid, mine, first_free, clean)
            finally:
                os._exit(71)
        if namespaces:
            kernel.setns(CONTROL + 1, kernel.NEWPID)
        pidfd = os.pidfd_open(pid)
        data = b"".join(fd.to_bytes(4, "little") for fd in (pidfd, *theirs))
        control.sendmsg([b"new"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, data)])
        for fd in (pidfd, *mine, *theirs):
            os.close(fd)
        _, status, use = os.wait4(pid, 0)
        note = b"%d %d %d %d" % (status, use.ru_utime * 1e6, use.ru_stime * 1e6, use.ru_maxrss)
        control.send(note)
        if clean is not None and free_space() != clean:
            wipe(TMP)
            if free_space() != clean:
                os._exit(0)  # what cannot be wiped goes with the lane's mount namespace; the host asks for another


def free_space() -> tuple[int, int]:
    """Free blocks and inodes of /tmp: whether a child left anything there, however it hid it."""
    state = os.statvfs(TMP)
    return state.f_bfree, state.f_ffree


def wipe(folder: str) -> None:
    """Remove everything below a folder, without following links; a tree may be thousands of folders deep."""
    if os.stat(folder).st_mode & 0o7777 != 0o1777:
        os.chmod(folder, 0o1777)  # noqa: S103 - a /tmp, as it was
    moved = 0
    while True:
        with os.scandir(folder) as entries:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        if not names:
            return
        for name, is_folder in names:
            path = f"{folder}/{name}"
            if not is_folder:
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            with os.scandir(path) as entries:
                inner = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
            for deeper, is_folder_too in inner:
                if is_folder_too:  # which names its parent, so that moving it writes to it
                    os.chmod(f"{path}/{deeper}", 0o700)
                moved += 1
                os.rename(f"{path}/{deeper}", f"{folder}/.moved{moved}")
            os.rmdir(path)


# ---- children


def become_child(
    options: dict[str, Any],
    role: Role,
    uid: int,
    channel: tuple[int, ...],
    first_free: int,
    space: tuple[int, int] | None,
) -> None:
    """The last steps before the role is played: from here on the process may turn hostile."""
    os.setsid()
    numbers = []
    for position, fd in enumerate(channel):
        os.dup2(fd, 200 + position, inheritable=False)
    for position in range(len(channel)):
        os.dup2(200 + position, CONTROL + position, inheritable=False)
        numbers.append(CONTROL + position)
    os.closerange(CONTROL + len(channel), max(first_free, 256))
    limits = options["limits"]
    set_limit("NOFILE", 256)  # not in the lane: the kernel lets a sender have as many descriptors under way
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_seconds"], limits["cpu_seconds"] + 1))
    if limits["processes"]:  # here and not in the lane, whose user has the zygote and all lanes
        set_limit("NPROC", limits["processes"])
    if options["tier"] == "namespaces":
        if options["ids"]:  # leaving root drops every capability, and no_new_privs keeps them dropped
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        else:
            kernel.drop_capabilities()
    tier = options["tier"]
    if not role.FORKS:
        confine(tier)
        role.play(*numbers)
    if tier != "namespaces":
        hide()
    role.play(*numbers, lambda: confine(tier), lambda: empty(space))


def confine(tier: str) -> None:
    """The last step before a program may run, in the process that it will run in."""
    if tier == "namespaces":
        return
    hide()
    if tier == "landlock":
        kernel.load_filter(filters.own_alone(kernel.known_machine(), os.getpid()))


def empty(space: tuple[int, int] | None) -> None:
    """Remove what a program has left in /tmp, where it has one; `space` was free before."""
    if space is not None and free_space() != space:
        wipe(TMP)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
