"""A source as `__main__`, in a process of its own: what the interpreter does for `python FILE`, from begin to end.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import _weakref
import atexit
import builtins
import contextlib
import gc
import io
import os
import sys

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any, NoReturn

STREAMS = (
    (0, "stdin", "r", "strict"),
    (1, "stdout", "w", "strict"),
    (2, "stderr", "w", "backslashreplace"),
)
DEVICES = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
FAILED = 1
UNFLUSHED = 120  # as the interpreter ends where the last output could not be written


class Loader:
    """Gives the program's text to inspect and to tracebacks."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get_source(self, _name: str) -> str:
        """The text of the module."""
        return self.source


def run(code: CodeType, source: str, file: str) -> NoReturn:
    """Run a program over descriptors 0, 1 and 2, and end the process as the interpreter would."""
    open_streams()
    names = main_module(source, file).__dict__
    sys.argv = [os.path.basename(file)]
    if "/dev/std" in source:
        name_streams()
    sys.setrecursionlimit(sys.getrecursionlimit() + depth() + 1)  # of which these frames and exec take some
    status = 0
    try:
        try:
            exec(code, names)
        finally:
            flush()
    except SystemExit as error:
        status = status_of(error.code)
    except BaseException as error:
        status = FAILED
        trace = error.__traceback__
        sys.excepthook(type(error), error, trace and trace.tb_next)
        trace = None
    del names
    leave(status)


def open_streams() -> None:
    """New sys.stdin, sys.stdout and sys.stderr, as an interpreter makes them for pipes and UTF-8."""
    for number, name, mode, errors in STREAMS:
        buffer: Any = open(number, mode + "b", closefd=False)  # noqa: SIM115 - stays open to the end
        buffer.raw.name = f"<{name}>"
        stream: Any = io.TextIOWrapper(buffer, "utf-8", errors, newline="\n", line_buffering=number == 2)
        stream.mode = mode
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def main_module(source: str, file: str) -> Any:
    """An empty `__main__` in the place of the zygote's."""
    module: Any = type(sys)("__main__")
    module.__builtins__ = builtins
    module.__file__ = file
    module.__loader__ = Loader(source)
    module.__annotations__ = {}
    module.__cached__ = None
    sys.modules["__main__"] = module
    return module


def name_streams() -> None:
    """Have `open` know the streams by their paths, which need a /proc that there is not."""
    plain = open

    def open_(file: Any, *args: Any, **kwargs: Any) -> Any:
        number = DEVICES.get(file) if isinstance(file, str) else None
        return plain(file if number is None else os.dup(number), *args, **kwargs)

    builtins.open = io.open = open_


def depth() -> int:
    """Frames below that of the caller."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - inspect is one module more, and does the same
    count = 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def status_of(code: Any) -> int:
    """The exit status that a SystemExit stands for; a text is written to standard error."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    with contextlib.suppress(Exception):
        sys.stderr.write(f"{code}\n")
    return FAILED


def leave(status: int) -> NoReturn:
    """Threads, exit functions, streams, objects, in the order of the interpreter; then the end."""
    try:
        threading = sys.modules.get("threading")
        if threading is not None:
            threading._shutdown()  # noqa: SLF001 - the interpreter calls it, too
    except BaseException:
        sys.excepthook(*sys.exc_info())
    atexit._run_exitfuncs()  # noqa: SLF001 - the same
    flushed = flush(tell=True)
    end_main()
    if not (flush() and flushed):
        status = status or UNFLUSHED
    os._exit(status)


def flush(*, tell: bool = False) -> bool:
    """Write what the streams still hold; whether that could be done. `tell` of what went wrong."""
    done = True
    for name in ("stdout", "stderr"):
        try:
            stream = getattr(sys, name, None)
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            if name == "stdout":
                done = False
                if tell:
                    with contextlib.suppress(Exception):
                        sys.stderr.write(f"Exception ignored in: {stream!r}\n{type(error).__name__}: {error}\n")
    return done


def end_main() -> None:
    """End what the program's names hold, while they have their values: files are closed, `__del__` is called."""
    module = sys.modules.pop("__main__", None)
    held = _weakref.ref(module) if isinstance(module, type(sys)) else None
    del module
    gc.collect()
    left = held() if held is not None else None
    if left is not None:
        clear(left.__dict__)
        gc.collect()


def clear(names: dict[str, Any]) -> None:
    """Empty a module that something refers to: first the private names, as the interpreter does."""
    for private in (True, False):
        for name in list(names):
            if name != "__builtins__" and private == (name[:1] == "_" and name[:2] != "__"):
                names[name] = None
