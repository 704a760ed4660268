"""Make an image of this machine's own interpreter, without any registry: for tests, and where there is no network.

    python containers/host_image.py docker|podman NAME

What goes in: the interpreter that runs this script with its standard library, the libraries that it is linked
with, codejury, msgspec (the worker needs no more) and a few commands that programs may start. Paths are those of
this machine.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

import msgspec

import codejury

COMMANDS = ("sh", "cat", "echo", "env", "ls", "sleep", "true")
LEFT_OUT = frozenset(("site-packages", "dist-packages", "test", "idlelib", "tkinter", "lib2to3", "ensurepip"))
FOLDERS = ("tmp", "proc", "sys", "dev", "etc", "run", "usr/bin", "usr/lib", "usr/lib64", "usr/local/bin")
# What the packages' libraries are opened with, though nothing is linked with it.
OLD_LIBRARIES = ("libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1")


def main(engine: str, name: str) -> None:
    """Make the image and hand it to the engine."""
    with tempfile.TemporaryFile() as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            _fill(_Tree(tar))
        file.seek(0)
        subprocess.run([engine, "import", "-", name], stdin=file, check=True)


class _Tree:
    """A tar archive in which every folder is open to anybody."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self.tar = tar
        self.folders: set[str] = set()

    def folder(self, name: str) -> None:
        """A folder, and those above it."""
        parts = name.strip("/").split("/")
        for path in ("/".join(parts[: end + 1]) for end in range(len(parts))):
            if path not in self.folders:
                self.folders.add(path)
                entry = tarfile.TarInfo(path)
                entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if path == "tmp" else 0o755
                self.tar.addfile(entry)

    def add(self, source: Path, place: str, *, left_out: frozenset[str] = frozenset()) -> None:
        """A file or a whole folder of this machine, without what has a name that is left out."""

        def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
            """The entry as root's, to be read by anybody."""
            path = Path(entry.name)
            if path.name in left_out or path.suffix == ".a":
                return None
            if entry.isdir():
                self.folders.add(entry.name)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            if not entry.issym():
                entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            return entry

        self.folder(str(Path(place).parent))
        self.tar.add(source, place, filter=plain)

    def link(self, name: str, target: str) -> None:
        """A symbolic link."""
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = tarfile.SYMTYPE, target
        self.tar.addfile(entry)

    def text(self, name: str, text: str) -> None:
        """A file with a text."""
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(text), 0o644
        self.tar.addfile(entry, io.BytesIO(text.encode("ascii")))


def _fill(tree: _Tree) -> None:
    for folder in FOLDERS:
        tree.folder(folder)
    for link in ("bin", "lib", "lib64"):
        tree.link(link, f"usr/{link}")
    tree.text("etc/passwd", "codejury:x:10001:10001::/tmp:/bin/sh\n")
    executable = Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))
    library = Path(sysconfig.get_paths(vars={"installed_base": sys.base_prefix})["stdlib"])
    packages = Path(sysconfig.get_paths(vars={"base": sys.base_prefix})["purelib"])
    commands = [Path(found) for name in COMMANDS if (found := shutil.which(name, path="/usr/bin:/bin"))]
    tree.add(library, str(library), left_out=LEFT_OUT)
    ours = [Path(str(package.__file__)).parent for package in (codejury, msgspec)]
    for package in ours:
        tree.add(package, str(packages / package.name))
    programs = [executable, *commands]
    for program in programs:
        tree.add(Path(os.path.realpath(program)), _place(program))
    tree.link("usr/local/bin/python", str(executable))
    extensions = [*library.glob("lib-dynload/*.so"), *ours[1].rglob("*.so")]
    needed = {_place(Path(path)): path for path in _libraries([*programs, *extensions])}
    for place, path in needed.items():
        tree.add(Path(os.path.realpath(path)), place)
    if (zones := Path("/usr/share/zoneinfo")).is_dir():
        tree.add(zones, str(zones))


def _place(path: Path) -> str:
    """Where a file goes: below /usr, of which /bin and /lib are links."""
    text = str(path)
    return f"/usr{text}" if text.startswith(("/bin/", "/lib/", "/lib64/")) else text


def _libraries(files: list[Path]) -> set[str]:
    """What files are linked with, the loader included."""
    said = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False).stdout  # noqa: S607 - the system's own
    found = set(re.findall(r"(?:=> |^\s+)(/\S+) \(0x", said, re.MULTILINE))
    folder = next(Path(path).parent for path in found if Path(path).name.startswith("libc.so"))
    return found | {str(folder / name) for name in OLD_LIBRARIES if (folder / name).exists()}


if __name__ == "__main__":
    main(*sys.argv[1:])
