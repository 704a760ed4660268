"""The interpreter that runs candidates and tests: codejury's own, or any that the user names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from codejury.model import UsageError

_DESCRIBE = """
import json, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({
    "executable": getattr(sys, "_base_executable", None) or sys.executable,
    "version": sys.implementation.name + " " + ".".join(map(str, sys.version_info[:3])),
    "numbers": list(sys.version_info[:3]),
    "prefixes": sorted({sys.base_prefix, sys.base_exec_prefix}),
    "masks": sorted({paths["purelib"], paths["platlib"]}),
    "packages": [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))],
}))
"""
OLDEST = (3, 9)


class Interpreter(msgspec.Struct, frozen=True):
    """What the sandbox must know of an interpreter.

    Attributes:
        executable: The program itself, virtual environments resolved to their base.
        version: Implementation and version, as "cpython 3.11.7".
        prefixes: Where it is installed.
        trees: Folders that must be visible for it to run.
        masks: Folders of installed packages, which are hidden.
        packages: The same, as the interpreter searches them.
    """

    executable: str
    version: str
    prefixes: tuple[str, ...]
    trees: tuple[str, ...]
    masks: tuple[str, ...]
    packages: tuple[str, ...]

    def find_packages(self, names: tuple[str, ...]) -> list[str]:
        """Paths of installed packages by import name, with what their wheels put beside them.

        Raises:
            UsageError: One is not installed for this interpreter.
        """
        found: list[str] = []
        for name in names:
            paths = [p for folder in self.packages for p in _beside(Path(folder), name)]
            if not paths:
                raise UsageError(
                    f"package {name!r} is not installed for {self.executable}: "
                    "install it there, or leave it out of --packages"
                )
            found += paths
        return found

    def has_package(self, name: str) -> bool:
        """Whether a package is installed, by its import name."""
        return any(_beside(Path(folder), name) for folder in self.packages)


def describe(python: str | None = None) -> Interpreter:
    """Ask an interpreter what it is.

    Args:
        python: Path or name of an interpreter or virtual environment; None for the one that runs codejury.

    Raises:
        UsageError: It cannot be run, or is older than Python 3.9.
    """
    path = python or sys.executable
    if Path(path).is_dir():
        path = str(Path(path) / "bin" / "python")
    path = shutil.which(path) or path
    try:
        facts = _ask(path)
    except ValueError as error:
        raise UsageError(f"--python {python}: not an interpreter that can be run: {error}") from None
    if tuple(facts["numbers"]) < OLDEST:
        raise UsageError(f"--python {python}: {facts['version']} is too old; Python 3.9 or later is needed")
    executable = os.path.realpath(facts["executable"])
    prefixes = tuple(facts["prefixes"])
    trees = {Path(executable).parent}
    for prefix in prefixes:
        trees.update(Path(prefix) / name for name in ("bin", "lib", "lib64"))
    return Interpreter(
        executable=executable,
        version=facts["version"],
        prefixes=prefixes,
        trees=tuple(sorted(str(tree) for tree in trees if tree.is_dir())),
        masks=tuple(facts["masks"]),
        packages=tuple(facts["packages"]),
    )


def _ask(path: str) -> dict[str, Any]:
    """What an interpreter says of itself; raises ValueError with the reason why it does not."""
    try:
        answer = subprocess.run(
            [path, "-I", "-c", _DESCRIBE], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        raise ValueError(getattr(error, "strerror", None) or "it does not answer") from None
    if answer.returncode:
        said = answer.stderr.strip().rpartition("\n")[2][:100]
        raise ValueError(f"it ended with status {answer.returncode}" + (f": {said}" if said else ""))
    try:
        facts = json.loads(answer.stdout)
    except ValueError:
        facts = None
    if not isinstance(facts, dict) or "numbers" not in facts:
        raise ValueError("it does not say what it is")
    return facts


def _beside(folder: Path, name: str) -> list[str]:
    candidates = (folder / name, folder / f"{name}.py", folder / f"{name}.libs", *folder.glob(f"{name}.*.so"))
    paths = [str(path) for path in candidates if path.exists()]
    return paths if any(not p.endswith(".libs") for p in paths) else []
