"""Builds the C extension of the tree metrics, if the machine can; without it the package is pure Python.

The module is compiled in place, beside its source, so that an editable install has it too. It uses the stable ABI
of CPython 3.11: a wheel that has it serves all later versions.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("src", "codejury", "metrics", "trees")
SOURCE = "_ted.c"
MODULE = "_ted.abi3.so"


class ExtensionHook(BuildHookInterface[Any]):
    """Compiles the extension before a wheel is put together."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Build the extension into its package; a wheel that has it says for which platform it is."""
        folder = Path(self.root) / FOLDER
        reason = _build(folder / SOURCE, folder / MODULE)
        if reason is not None:
            (folder / MODULE).unlink(missing_ok=True)
            self.app.display_warning(f"tree edit distance will run in pure Python, far slower: {reason}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def clean(self, versions: list[str]) -> None:  # noqa: ARG002 - hatchling's signature
        """Remove what was built."""
        (Path(self.root) / FOLDER / MODULE).unlink(missing_ok=True)


def _build(source: Path, target: Path) -> str | None:
    """Compile the module; why it cannot be done, None if it was done."""
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"{sys.version.split()[0]} of {platform.python_implementation()} has no stable ABI"
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if "CC" not in os.environ and shutil.which(command[0]) is None:
        command = ["cc"]  # Python was built with another compiler than this machine has
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        built = Path(folder) / target.name
        flags = ["-O3", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"]
        try:
            done = subprocess.run(
                [*command, *flags, str(source), "-o", str(built)], capture_output=True, text=True, check=False
            )
        except OSError as error:
            return f"no C compiler: {error}"
        if done.returncode != 0 or not built.exists():
            return f"{shlex.join(command)} failed: {done.stderr.strip()[-500:]}"
        built.replace(target)  # at once: a process may have the former one open
    return None
