"""Attacks on tests of classes: objects that stay with the candidate must not answer for plain values.

Class "equal": methods that give the object itself, or another that says it equals everything, is larger than all,
contains all. Class "answer": classes that answer wrongly. Point 7: an object where the reference gives plain
values, a plain value where it gives objects. Class "forge": numbers of objects that there are not.
"""

from __future__ import annotations

from .case import FAILS, NO_FUNCTION, RAISED, REJECTED, WRONG, Case, source
from .tasks import INCREMENT, RAISES_VALUE_ERROR, SECRET
from .tasks_objects import COLLECTION, MERGE, STACK

_EQUAL_TO_ALL = source(
    """
    class f:
        def __init__(self, *args):
            self.values = self

        def __eq__(self, other):
            return True

        def __ne__(self, other):
            return False

        def __lt__(self, other):
            return True

        __le__ = __gt__ = __ge__ = __contains__ = __lt__
        __hash__ = object.__hash__

        def __bool__(self):
            return True

        def __len__(self):
            return 2

        def __iter__(self):
            return iter((self,))

        def __getitem__(self, key):
            return self

        def __call__(self, *args, **kwargs):
            return self

        def __getattr__(self, name):
            return self
    """
)
_METHODS = (
    ("none", "return None"),
    ("self", "return self"),
    ("class", "return type(self)"),
    ("new-object", "return f([])"),
    ("method", "return self.push"),
    ("true", "return True"),
    ("exits", "raise SystemExit(0)"),
    ("leaves", "__import__('os')._exit(0)"),
    ("raises-index-error", "raise IndexError"),
)


def _stack_whose(name: str, body: str) -> str:
    return STACK.reference.replace(f"def {name}(self):\n", f"def {name}(self):\n        {body}\n", 1)


CASES: tuple[Case, ...] = (
    STACK.case("object-equal-to-all-in-a-stack", "equal", _EQUAL_TO_ALL, FAILS),
    COLLECTION.case("object-equal-to-all-in-a-collection", "equal", _EQUAL_TO_ALL, FAILS),
    MERGE.case("object-equal-to-all-in-a-merge", "equal", _EQUAL_TO_ALL, FAILS),
    INCREMENT.case("class-for-a-function", "7", _EQUAL_TO_ALL, REJECTED),
    SECRET.case("class-for-a-secret", "7", _EQUAL_TO_ALL, REJECTED),
    RAISES_VALUE_ERROR.case("class-that-never-raises", "7", _EQUAL_TO_ALL, REJECTED),
    *(
        STACK.case(f"stack-whose-{name}-{kind}", "answer", _stack_whose(name, body), FAILS)
        for name in ("pop", "top", "size")
        for kind, body in _METHODS
    ),
    STACK.case("function-for-a-class", "7", "def f(items):\n    return list(items)\n", RAISED | WRONG),
    STACK.case("text-for-a-class", "7", "def f(items):\n    return 'pop push top size'\n", RAISED | WRONG),
    STACK.case(
        "object-of-another-class",
        "7",
        STACK.reference.replace("class f", "class g") + "def f(items):\n    return g(items)\n",
        REJECTED,
        "only the entry point's own class stays behind; what a function makes is a value like any other",
    ),
    STACK.case("class-without-methods", "answer", "class f:\n    def __init__(self, items): pass\n", RAISED),
    STACK.case("class-that-is-missing", "answer", "class g:\n    pass\n", NO_FUNCTION),
    STACK.case(
        "shared-between-objects",
        "3",
        """
        class f:
            items = []

            def __init__(self, items):
                self.items.extend(items)

            def push(self, item):
                self.items.append(item)

            def pop(self):
                return self.items.pop()

            def top(self):
                return self.items[-1]

            def size(self):
                return len(self.items)
        """,
        WRONG,
    ),
    STACK.case(
        "keeps-the-argument",
        "3",
        STACK.reference.replace("list(items)", "items").replace(
            "return self.items.pop()", "return self.items[-1]"
        ),
        FAILS,
    ),
    MERGE.case(
        "aliases-its-argument",
        "3",
        MERGE.reference.replace("sorted(values)", "values"),
        WRONG,
        "a later change of the argument shows in the object",
    ),
    MERGE.case(
        "gives-copies",
        "3",
        MERGE.reference.replace("self.values = sorted(values)", "self._values = sorted(values)")
        .replace("self.values +=", "self._values +=")
        .replace(
            "self.values.sort()\n        return self.values", "self._values.sort()\n        return self.values"
        )
        .replace(
            "@property\n", "@property\n    def values(self):\n        return list(self._values)\n\n    @property\n"
        ),
        WRONG,
        "the reference gives the list itself, whose later changes are seen",
    ),
    COLLECTION.case(
        "contains-everything",
        "answer",
        COLLECTION.reference.replace("return key in self.items", "return True"),
        WRONG,
    ),
    COLLECTION.case(
        "never-empty",
        "answer",
        COLLECTION.reference.replace("return len(self.items)\n", "return 1\n", 1),
        WRONG,
    ),
    COLLECTION.case(
        "items-without-end",
        "10",
        COLLECTION.reference.replace("return iter(self.items)", "return iter(int, 1)"),
        FAILS,
    ),
    COLLECTION.case(
        "length-that-is-no-number",
        "answer",
        COLLECTION.reference.replace("return len(self.items)\n", "return self\n", 1),
        FAILS,
    ),
    STACK.case(
        "forges-an-object",
        "forge",
        """
        import gc
        import sys

        class f:
            def __init__(self, items):
                for x in gc.get_objects():
                    if type(x).__name__ == "Candidate":
                        x.objects = [Anything()] * 1000

            def pop(self):
                return 2

        class Anything:
            def __eq__(self, other):
                return True

            def __getattr__(self, name):
                return lambda *args: 2
        """,
        FAILS,
        "what the program's own side believes of its objects is the program's",
    ),
)
