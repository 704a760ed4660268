"""The candidate's side for programs that import an installed package: their zygote has imported the packages.

To import numpy takes thirty times as long as to judge a program, and a fork has it for nothing. What a program
sees is the same: the packages of the run, whose random state is fixed as that of `random` is. Standard library
alone; from Python 3.9 on.
"""

from __future__ import annotations

import os
import signal
import sys

import candidate
from candidate import FORKS, WRITES, channel, play

__all__ = ["FORKS", "LATE", "WRITES", "channel", "play", "prepare", "warm_up"]

LATE = True
"""It warms up when it is first asked for a lane: most runs show no packages."""

MOST_S = 30
"""Seconds that the import of a package may take here."""

GOOD = 77
"""Exit status after a harmless import: none that a package would end with by itself."""

warm_up = candidate.warm_up


def prepare(names: list[str]) -> None:
    """Import packages, as far as that neither fails nor leaves a thread or a process behind.

    A process with threads cannot be forked soundly, so each import is tried in a child first. What packages write
    meanwhile is nobody's.
    """
    errors, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        for name in names:
            if harmless(name):
                __import__(name)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(0)
    except BaseException:  # noqa: S110 - programs that import it will see why
        pass
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(null)


def harmless(name: str) -> bool:
    """Whether a child that imports a package is still one thread without children, and ends by itself."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(MOST_S)
            __import__(name)
            status = GOOD if alone() else 1
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == GOOD << 8


def alone() -> bool:
    """Whether this process has one thread and no children."""
    import kernel

    try:
        kernel.unshare(kernel.THREAD)  # which the kernel refuses to a process of several threads
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    except OSError:
        return False
    return False
