"""Right answers that need a registered module, a live interpreter or threads.

Point 13: dataclasses, pickling, names looked up by module, threads that never end, event loops, deep recursion,
output, signals, tracing.
"""

from __future__ import annotations

from .case import PASSED, Case, source
from .tasks import INCREMENT

_MODULES = (
    (
        "dataclass-with-future-annotations",
        """
        from __future__ import annotations
        from dataclasses import dataclass, field
        from typing import ClassVar

        @dataclass(order=True, slots=True)
        class Item:
            value: int
            tags: list[str] = field(default_factory=list)
            step: ClassVar[int] = 1

        def f(x):
            return max(Item(x), Item(x - 1)).value + Item.step
        """,
    ),
    (
        "pickle-round-trip-of-own-class",
        """
        import pickle

        class Box:
            def __init__(self, value):
                self.value = value

        def f(x):
            return pickle.loads(pickle.dumps(Box(x))).value + 1
        """,
    ),
    (
        "deep-copy-of-own-class",
        """
        import copy

        class Node:
            def __init__(self, value):
                self.value, self.next = value, self

        def f(x):
            node = copy.deepcopy(Node(x))
            return node.next.value + 1
        """,
    ),
    (
        "finds-itself-by-name",
        """
        import sys

        def f(x):
            return getattr(sys.modules[__name__], "helper")(x)

        def helper(x):
            return x + 1
        """,
    ),
    (
        "type-hints-evaluated",
        """
        import typing

        class Box:
            value: "Number"

        Number = int

        def f(x):
            return typing.get_type_hints(Box)["value"](x) + 1
        """,
    ),
    (
        "typing-features",
        """
        from typing import Generic, Optional, Protocol, TypedDict, TypeVar, overload

        T = TypeVar("T")

        class Stack(Generic[T]):
            def __init__(self) -> None:
                self.items: list[T] = []

        class Sized(Protocol):
            size: int

        class Row(TypedDict, total=False):
            n: int

        @overload
        def f(x: int) -> int: ...
        @overload
        def f(x: None) -> None: ...
        def f(x: Optional[int]) -> Optional[int]:
            stack: Stack[int] = Stack()
            stack.items.append(Row(n=x)["n"] + 1)
            return stack.items.pop()
        """,
    ),
    (
        "abstract-classes-and-slots",
        """
        from abc import ABC, abstractmethod
        from functools import total_ordering

        class Base(ABC):
            __slots__ = ()

            @abstractmethod
            def step(self): ...

        @total_ordering
        class One(Base):
            __slots__ = ("x",)

            def __init__(self, x):
                self.x = x

            def step(self):
                return self.x + 1

            def __eq__(self, other):
                return self.x == other.x

            def __lt__(self, other):
                return self.x < other.x

        def f(x):
            return max(One(x), One(0)).step()
        """,
    ),
    (
        "metaclass-and-descriptors",
        """
        class Meta(type):
            def __new__(mcls, name, bases, scope):
                return super().__new__(mcls, name, bases, {**scope, "step": 1})

        class Plus:
            def __get__(self, obj, owner):
                return obj.x + owner.step

        class Box(metaclass=Meta):
            plus = Plus()

            def __init__(self, x):
                self.x = x

        def f(x):
            return Box(x).plus
        """,
    ),
    (
        "context-managers",
        """
        from contextlib import ExitStack, contextmanager

        @contextmanager
        def raised(x):
            yield x + 1

        def f(x):
            with ExitStack() as stack:
                return stack.enter_context(raised(x))
        """,
    ),
    (
        "thread-left-running",
        """
        import threading, time

        threading.Thread(target=time.sleep, args=(600,)).start()

        def f(x):
            return x + 1
        """,
    ),
    (
        "daemon-thread-left-running",
        """
        import threading

        def wait():
            threading.Event().wait()

        def f(x):
            threading.Thread(target=wait, daemon=True).start()
            return x + 1
        """,
    ),
    (
        "timer-that-never-fires",
        """
        import threading

        def f(x):
            timer = threading.Timer(600, print)
            timer.start()
            return x + 1
        """,
    ),
    (
        "thread-pool",
        """
        from concurrent.futures import ThreadPoolExecutor

        def f(x):
            with ThreadPoolExecutor(4) as pool:
                return list(pool.map(lambda n: n + 1, [0, x]))[1]
        """,
    ),
    (
        "threads-with-queue-and-lock",
        """
        import queue, threading

        def f(x):
            done, lock, total = queue.Queue(), threading.Lock(), [x]

            def add():
                with lock:
                    total[0] += done.get()

            workers = [threading.Thread(target=add) for _ in range(4)]
            for worker in workers:
                worker.start()
            for n in (1, 0, 0, 0):
                done.put(n)
            for worker in workers:
                worker.join()
            return total[0]
        """,
    ),
    (
        "asyncio-run",
        """
        import asyncio

        async def add(x):
            await asyncio.sleep(0)
            return x + 1

        async def both(x):
            return (await asyncio.gather(add(x), add(0)))[0]

        def f(x):
            return asyncio.run(both(x))
        """,
    ),
    (
        "asyncio-to-thread",
        """
        import asyncio

        def f(x):
            async def main():
                return await asyncio.wait_for(asyncio.to_thread(lambda: x + 1), 5)
            return asyncio.run(main())
        """,
    ),
    (
        "recursion-5000-deep",
        """
        import sys

        sys.setrecursionlimit(20_000)

        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)

        def f(x):
            return x + down(5_000) - 4_999
        """,
    ),
    (
        "recursion-in-a-big-thread-stack",
        """
        import sys, threading

        def f(x):
            out = []

            def run():
                def down(n):
                    return 1 if n == 0 else down(n - 1)
                out.append(x + down(10_000))

            sys.setrecursionlimit(30_000)
            threading.stack_size(64 << 20)
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
            return out[0]
        """,
    ),
    (
        "recursion-caught",
        """
        def f(x):
            def down():
                return down()
            try:
                down()
            except RecursionError:
                return x + 1
        """,
    ),
    (
        "cache",
        """
        from functools import cache, lru_cache

        @lru_cache(maxsize=None)
        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)

        @cache
        def f(x):
            return x + fib(2) + 0 * fib(300)
        """,
    ),
    (
        "prints-1-mb",
        """
        import sys

        def f(x):
            for _ in range(100):
                print("x" * 10_000)
            sys.stdout.write("no line end")
            sys.stdout.flush()
            return x + 1
        """,
    ),
    (
        "prints-odd-text",
        """
        import sys

        print("caf\\u00e9 \\U0001f40d", "passed", file=sys.stderr)
        sys.stdout.buffer.write(b"\\xff\\x00")

        def f(x):
            print({"outcome": "wrong_answer"})
            return x + 1
        """,
    ),
    (
        "captures-its-output",
        """
        import contextlib, io

        def f(x):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                print(x + 1)
            return int(out.getvalue())
        """,
    ),
    (
        "warns-and-logs",
        """
        import logging, warnings

        logging.basicConfig(level=logging.DEBUG)
        log = logging.getLogger(__name__)

        def f(x):
            warnings.warn("old", DeprecationWarning)
            log.error("adding %s", x)
            return x + 1
        """,
    ),
    (
        "registers-at-exit",
        """
        import atexit

        @atexit.register
        def bye():
            print("bye")

        def f(x):
            return x + 1
        """,
    ),
    (
        "signal-handlers",
        """
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)

        def f(x):
            before = signal.signal(signal.SIGALRM, lambda *a: None)
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
            return x + 1
        """,
    ),
    (
        "garbage-collector",
        """
        import gc, weakref

        class Box:
            pass

        def f(x):
            box = Box()
            seen = weakref.ref(box)
            del box
            gc.collect()
            return x + (seen() is None)
        """,
    ),
    (
        "looks-at-itself",
        """
        import inspect

        def f(x, step=1):
            frame = inspect.currentframe()
            return x + inspect.signature(f).parameters["step"].default * (frame.f_code.co_name == "f")
        """,
    ),
    (
        "trace-function",
        """
        import sys

        def f(x):
            sys.settrace(lambda *a: None)
            try:
                return x + 1
            finally:
                sys.settrace(None)
        """,
    ),
    (
        "sleeps-and-measures",
        """
        import time

        def f(x):
            start = time.monotonic()
            time.sleep(0.05)
            return x + (time.monotonic() > start)
        """,
    ),
)


CASES: tuple[Case, ...] = tuple(
    INCREMENT.case(f"module-{name}", "13", source(program), PASSED) for name, program in _MODULES
)
