"""From an ordinary process to an isolated zygote. Started by exec: it never held a problem or a program.

    keeper    stays outside: writes the id maps, waits for the end, removes the cgroups of the zygote
    builder   the read-only root and the namespaces; without namespaces, what Landlock will let a lane read
    zygote    pid 1 of its pid namespace: the user's interpreter, started by exec in the new root

Run as `python -I -S boot.py CONTROL_FDS OPTIONS`: descriptors with commas, one a role, and JSON. What goes wrong
is said on the first as `error LAYER: REASON`. Standard library alone.
"""

from __future__ import annotations

import errno
import glob
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernel
import landlock

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DEVICES = ("null", "zero", "full", "random", "urandom")
LIBRARIES = ("/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32")
SYSTEM = (*LIBRARIES, "/bin", "/usr/bin", "/usr/libexec")
FILES = ("/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/tmp",  # noqa: S108 - the sandbox's own
    "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
    "LD_BIND_NOW": "1",
    "MALLOC_ARENA_MAX": "1",  # else each thread reserves address space that it hardly uses
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
}
OURS = ("calls.py", "filters.py", "kernel.py", "landlock.py", "zygote.py")  # the files of a zygote
MASKED = ("lib*/python3*/site-packages", "lib*/python3*/dist-packages", "local/lib/python3*/dist-packages")
# Flags of a mount as statvfs gives them, and as mount takes them: what a parent namespace has locked must be
# said again at each remount.
LOCKED = ((1, 1), (2, 2), (4, 4), (8, 8), (1024, 1024), (2048, 2048), (4096, 1 << 21))


class LayerError(Exception):
    """A layer of the tier cannot be had."""

    def __init__(self, layer: str, error: object) -> None:
        super().__init__(f"{layer}: {error}")


def main(controls: list[int], options: dict[str, Any]) -> None:
    """The keeper: see the module's docstring."""
    os.umask(0o022)
    build = {"namespaces": build_namespaces, "landlock": build_domain, "none": build_nothing}[options["tier"]]
    options["links"] = f"/tmp/codejury-{os.getpid()}-{os.urandom(4).hex()}"  # noqa: S108 - made for us alone
    to_keeper, to_builder = os.pipe(), os.pipe()
    builder = os.fork()
    if builder == 0:
        os.close(to_keeper[0])
        os.close(to_builder[1])
        try:
            build(controls, options, to_keeper[1], to_builder[0])
        except LayerError as error:
            os.write(controls[0], f"error {error}".encode()[:4000])
        except BaseException as error:
            os.write(controls[0], f"error sandbox: {type(error).__name__}: {error}".encode()[:4000])
        os._exit(1)
    os.close(to_keeper[1])
    os.close(to_builder[0])
    if os.read(to_keeper[0], 1):
        try:
            map_ids(builder, options["ids"])
            os.write(to_builder[1], b".")
        except OSError as error:
            os.write(controls[0], f"error id maps: {error}".encode())
            os.close(to_builder[1])
    for fd in controls:
        os.close(fd)
    os.waitpid(builder, 0)
    for path in options["cgroups"]:
        remove_cgroup(path)
    if options["delegation"] and not os.read(0, 1):
        give_back(options["delegation"])
    remove_links(options["links"])


def map_ids(pid: int, ids: list[int] | None) -> None:
    """Map `ids` = [first outside, count] to 0 and on; [own id, 1] as an ordinary user."""
    if os.geteuid():
        with open(f"/proc/{pid}/setgroups", "w", encoding="ascii") as file:
            file.write("deny")
    for kind, own in (("uid", os.geteuid()), ("gid", os.getegid())):
        first, count = ids or (own, 1)
        with open(f"/proc/{pid}/{kind}_map", "w", encoding="ascii") as file:
            file.write(f"0 {first} {count}")


def remove_cgroup(path: str) -> None:
    """Remove an empty cgroup; the kernel may need a moment after its last process."""
    for _ in range(50):
        try:
            os.rmdir(path)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return


def give_back(delegation: dict[str, Any]) -> None:
    """Put the group back that shared out controllers: none are shared out, and its processes are in it again.

    Nobody else has come to the leaf but what our controller started, this keeper among it.
    """
    base, leaf = delegation["base"], delegation["leaf"]
    for name in delegation["enabled"]:
        say(f"{base}/cgroup.subtree_control", f"-{name}")
    for _ in range(50 if leaf else 0):
        with open(f"{leaf}/cgroup.procs", encoding="ascii") as file:
            pids = file.read().split()
        if not pids:
            break
        for pid in pids:
            say(f"{base}/cgroup.procs", pid)
    if leaf:
        remove_cgroup(leaf)


def say(path: str, word: str) -> None:
    """Write to a file of the kernel's; what it refuses stays as it is."""
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(word)
    except OSError:
        pass


def remove_links(folder: str) -> None:
    """Remove a folder of links, if it was made."""
    try:
        for name in os.listdir(folder):
            os.unlink(f"{folder}/{name}")
        os.rmdir(folder)
    except FileNotFoundError:
        pass


def build_namespaces(controls: list[int], options: dict[str, Any], to_keeper: int, from_keeper: int) -> None:
    """Root, namespaces, zygote. As root the root is built first, since an unmapped root may not read all paths."""
    privileged = bool(options["ids"])
    flags = kernel.NEWUSER | kernel.NEWNS | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS
    flags |= kernel.NEWCGROUP | kernel.NEWPID
    os.setsid()
    if privileged:
        layer("mount namespaces", kernel.unshare, kernel.NEWNS)
        build_root(options)
    layer("user namespaces", kernel.unshare, flags)
    os.write(to_keeper, b".")
    if not os.read(from_keeper, 1):
        os._exit(1)
    os.setresgid(0, 0, 0)
    if privileged:
        os.setgroups([])
    os.setresuid(0, 0, 0)
    if not privileged:
        build_root(options)
    kernel.sethostname("sandbox")
    zygote = os.fork()
    if zygote:
        for fd in controls:
            os.close(fd)
        os.waitpid(zygote, 0)
        os._exit(0)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    start_zygote(controls, options, "/judge/zygote.py")


def build_domain(controls: list[int], options: dict[str, Any], _to_keeper: int, _from_keeper: int) -> None:
    """What lanes may read, and the zygote, which is not restricted itself: nobody's program runs in it."""
    layer("seccomp", kernel.known_machine)
    layer("landlock", landlock.version)
    options["allowed"] = readable(options)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    build_nothing(controls, options)


def build_nothing(controls: list[int], options: dict[str, Any], *_: int) -> None:
    """A zygote in the host's own tree of files, as this user."""
    start_zygote(controls, options, os.path.join(options["folder"], "plain.py"))


def readable(options: dict[str, Any]) -> dict[str, int]:
    """Path -> accesses: libraries, the interpreter but for installed packages, those that are allowed, devices."""
    python = options["python"]
    look = landlock.READ_FILE | landlock.READ_DIR
    hidden = {os.path.realpath(path) for path in package_folders(python)}
    trees = {os.path.realpath(tree) for tree in (*LIBRARIES, *python["trees"]) if os.path.isdir(tree)}
    trees = {tree for tree in trees if os.path.basename(tree) != "bin"}  # nothing is executed
    allowed = {path: look for tree in trees for path in landlock.around(tree, hidden)}
    if options["packages"]:
        os.mkdir(options["links"], 0o755)
        for path in options["packages"]:
            os.symlink(path, f"{options['links']}/{os.path.basename(path)}")
        options["search"] = [options["links"]]
        allowed.update(dict.fromkeys([options["links"], *map(os.path.realpath, options["packages"])], look))
    allowed.update(dict.fromkeys((*FILES, *(f"/dev/{name}" for name in DEVICES)), look))
    allowed["/dev/null"] = landlock.READ_FILE | landlock.WRITE_FILE
    return allowed


def start_zygote(controls: list[int], options: dict[str, Any], script: str) -> None:
    """Become the zygote: exec the user's interpreter with the control sockets as descriptors 3 and on."""
    options["cgroups"], options["delegation"] = [], None  # the keeper's alone, and too long for an argument
    os.setsid()
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    kept = [os.dup(fd) for fd in (*controls, options.get("proc")) if fd is not None]
    for number, fd in enumerate(kept, 3):
        os.dup2(fd, number)
    os.closerange(3 + len(kept), 4096)
    controls[:] = range(3, 3 + len(controls))  # what goes wrong from here on is still said there
    python = options["python"]["executable"]
    arguments = [python, "-s", "-S", "-B", script, json.dumps(options)]
    environment = {**ENVIRONMENT, "PYTHONHASHSEED": str(options["hash_seed"])}
    reset_signals()
    layer("interpreter", os.execve, python, arguments, environment)


def reset_signals() -> None:
    """What our caller ignores (as below `nohup` or in a shell's background) or blocks, exec would pass on."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def layer(name: str, function: Callable[..., object], *args: object) -> None:
    """Call `function`; its OSError becomes the missing layer's."""
    try:
        function(*args)
    except OSError as error:
        hint = ""
        if error.errno in (errno.EPERM, errno.ENOSPC, errno.EINVAL) and "namespaces" in name:
            hint = " (a container's seccomp profile, AppArmor or a sysctl forbids them)"
        raise LayerError(name, f"{error.strerror or error}{hint}") from error


# ---- the root


def build_root(options: dict[str, Any]) -> None:
    """Pivot into a read-only tree of system libraries and the interpreter.

    Installed packages are masked: they may hold problem sets with their references. The allowed ones come back
    below /packages.
    """
    python = options["python"]
    trees = [*SYSTEM, *python["trees"]]
    root = next(
        place
        for place in ("/sys", "/mnt", "/media", "/srv", "/tmp")  # noqa: S108 - covered, not used
        if os.path.isdir(place) and not any(t.startswith(place + "/") for t in [*trees, *options["packages"]])
    )
    files = {name: read(os.path.join(options["folder"], name)) for name in OURS}
    files.update({os.path.basename(path): read(path) for path in options["files"]})
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    layer("tmpfs", kernel.mount, "tmpfs", root, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=4m,mode=755")
    for tree in [*trees, *FILES]:
        show(tree, root)
    mask_packages(root, python)
    for path in options["packages"]:
        show(path, root, "/packages/" + os.path.basename(path))
    for folder in ("/judge", "/dev", "/tmp", "/old"):  # noqa: S108 - the sandbox's own
        os.makedirs(root + folder, exist_ok=True)
    for name, content in files.items():
        with open(f"{root}/judge/{name}", "wb") as file:
            file.write(content)
    for name in DEVICES:
        show("/dev/" + name, root, flags=0)
    os.symlink("/tmp", root + "/dev/shm")  # noqa: S108 - the sandbox's own
    os.symlink("/proc/self/fd", root + "/dev/fd")
    os.chdir(root)
    kernel.syscall("pivot_root", b".", b"old")
    os.chdir("/")
    keep_proc(options)
    kernel.umount("/old", kernel.MNT_DETACH)
    os.rmdir("/old")
    remount("/", kernel.MS_RDONLY)


def keep_proc(options: dict[str, Any]) -> None:
    """Keep /proc for an ordinary user's lanes, which write their own id maps; closed before any run."""
    if not options["ids"]:
        options["proc"] = os.open("/old/proc", os.O_PATH | os.O_DIRECTORY)


def read(path: str) -> bytes:
    """Bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def show(
    source: str, root: str, target: str | None = None, flags: int = kernel.MS_RDONLY | kernel.MS_NODEV
) -> None:
    """Make `source` visible below `root`, read-only unless the flags say otherwise; what is absent is left out."""
    target = root + (target or source)
    if os.path.lexists(target) or not os.path.exists(source):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(source) and os.path.isdir(source):
        os.symlink(os.readlink(source), target)
        return
    if os.path.isdir(source):
        os.makedirs(target)
    else:
        with open(target, "wb"):
            pass
    layer("bind mounts", kernel.mount, source, target, None, kernel.MS_BIND | kernel.MS_REC)
    remount(target, flags)


def remount(target: str, flags: int) -> None:
    """Set a mount's flags and, from Linux 5.12 on, those of all mounts below it."""
    attributes = (flags & (kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV)) | kernel.MS_NOSUID
    try:
        data = attributes.to_bytes(8, "little") + bytes(24)
        kernel.syscall("mount_setattr", kernel.AT_FDCWD, target.encode(), kernel.AT_RECURSIVE, data, 32)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise LayerError("read-only root", error) from error
    else:
        return
    present = os.statvfs(target).f_flag
    flags |= sum(as_mount for as_stat, as_mount in LOCKED if present & as_stat)
    flags |= kernel.MS_BIND | kernel.MS_REMOUNT | kernel.MS_NOSUID
    layer("read-only root", kernel.mount, None, target, None, flags)


def package_folders(python: dict[str, Any], root: str = "") -> set[str]:
    """Every folder of installed packages, as it is called below `root`."""
    found = set(python["masks"])
    for prefix in ("/usr", "/usr/local", *python["prefixes"]):
        for pattern in MASKED:
            found.update(path[len(root) :] for path in glob.glob(f"{root}{prefix}/{pattern}"))
    return found


def mask_packages(root: str, python: dict[str, Any]) -> None:
    """Cover every folder of installed packages with an empty one."""
    for mask in sorted(package_folders(python, root)):
        if os.path.isdir(root + mask) and not os.path.islink(root + mask):
            flags = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
            layer("tmpfs", kernel.mount, "tmpfs", root + mask, "tmpfs", flags, "size=4k,mode=755")


if __name__ == "__main__":
    main([int(fd) for fd in sys.argv[1].split(",")], json.loads(sys.argv[2]))
