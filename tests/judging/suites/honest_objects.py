"""Right answers to tests of classes, with odd habits: inheritance, slots, properties, state, operators."""

from __future__ import annotations

from .case import PASSED, Case
from .tasks_objects import COLLECTION, MERGE, STACK

CASES: tuple[Case, ...] = (
    STACK.case("stack", "13", STACK.reference, PASSED),
    COLLECTION.case("collection", "13", COLLECTION.reference, PASSED),
    MERGE.case("merge", "13", MERGE.reference, PASSED),
    STACK.case(
        "stack-with-slots-and-a-base",
        "13",
        """
        import abc

        class Base(abc.ABC):
            __slots__ = ("_items",)

            @abc.abstractmethod
            def push(self, item): ...

            def size(self):
                return sum(1 for _ in self._items)

        class f(Base):
            __slots__ = ()

            def __init__(self, items):
                self._items = tuple(items)

            def push(self, item):
                self._items += (item,)

            def pop(self):
                if not self._items:
                    raise IndexError("empty")
                *rest, last = self._items
                self._items = tuple(rest)
                return last

            def top(self):
                return self._items[-1]
        """,
        PASSED,
    ),
    STACK.case(
        "stack-that-is-a-list",
        "13",
        """
        class f(list):
            push = list.append

            def top(self):
                return self[-1]

            size = list.__len__
        """,
        PASSED,
    ),
    STACK.case(
        "stack-of-nodes",
        "13",
        """
        from __future__ import annotations
        from dataclasses import dataclass
        from typing import Any, Optional

        @dataclass
        class Node:
            item: Any
            below: Optional[Node]

        class f:
            def __init__(self, items):
                self.head = None
                self.count = 0
                for item in items:
                    self.push(item)

            def push(self, item):
                self.head = Node(item, self.head)
                self.count += 1

            def pop(self):
                if self.head is None:
                    raise IndexError
                item, self.head = self.head.item, self.head.below
                self.count -= 1
                return item

            top = lambda self: self.head.item
            size = lambda self: self.count
        """,
        PASSED,
    ),
    STACK.case(
        "stack-by-getattr",
        "13",
        """
        class f:
            def __init__(self, items):
                self.__dict__["items"] = [*items]

            def __getattr__(self, name):
                items = self.items
                if name == "top":
                    return lambda: items[-1]
                return getattr(items, {"push": "append", "pop": "pop", "size": "__len__"}[name])
        """,
        PASSED,
    ),
    STACK.case(
        "stack-with-a-metaclass-and-new",
        "13",
        """
        class Counting(type):
            made = 0

            def __call__(cls, *args):
                Counting.made += 1
                return super().__call__(*args)

        class f(metaclass=Counting):
            def __new__(cls, items):
                self = super().__new__(cls)
                self.items = list(items)
                return self

            def push(self, item):
                self.items.append(item)

            def pop(self):
                return self.items.pop()

            def top(self):
                return self.items[-1]

            def size(self):
                return len(self.items)
        """,
        PASSED,
    ),
    STACK.case(
        "stack-as-a-dataclass",
        "13",
        """
        import dataclasses

        @dataclasses.dataclass
        class f:
            items: list

            def __post_init__(self):
                self.items = self.items[:]

            def push(self, item):
                self.items.append(item)

            def pop(self):
                return self.items.pop()

            def top(self):
                return self.items[-1]

            def size(self):
                return len(self.items)
        """,
        PASSED,
    ),
    COLLECTION.case(
        "collection-that-is-a-dict",
        "13",
        """
        class f(dict):
            name = ""

            def __str__(self):
                return "Bag(" + ", ".join(self) + ")"

            def __call__(self, first):
                return [first] + self["b"]

            def __lt__(self, other):
                return len(self) < len(other)
        """,
        PASSED,
    ),
)
