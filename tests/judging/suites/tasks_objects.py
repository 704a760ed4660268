"""Tests of classes: the tests make objects, call methods, read attributes; one right answer each."""

from __future__ import annotations

from .case import task

STACK = task(
    """
    def check(candidate):
        stack = candidate([1, 2])
        assert stack.pop() == 2
        assert stack.push(5) is None
        assert stack.top() == 5
        assert stack.size() == 2
        assert [stack.pop(), stack.pop()] == [5, 1]
        try:
            stack.pop()
        except IndexError:
            empty = True
        else:
            empty = False
        assert empty
        other = candidate([7])
        assert other.top() == 7
        assert stack.size() == 0
    """,
    """
    class f:
        def __init__(self, items):
            self.items = list(items)

        def push(self, item):
            self.items.append(item)

        def pop(self):
            return self.items.pop()

        def top(self):
            return self.items[-1]

        def size(self):
            return len(self.items)
    """,
)
COLLECTION = task(
    """
    def check(candidate):
        bag = candidate()
        assert len(bag) == 0
        assert not bag
        bag["a"] = 1
        bag["b"] = [2]
        assert "a" in bag
        assert "c" not in bag
        assert bag["b"] == [2]
        assert list(bag) == ["a", "b"]
        assert bag
        del bag["a"]
        assert len(bag) == 1
        assert str(bag) == "Bag(b)"
        bag.name = "mine"
        assert bag.name == "mine"
        assert bag(3) == [3, 2]
        same, other = candidate(), candidate()
        other["b"] = [2]
        assert bag == other
        assert bag != same
        assert same < other
    """,
    """
    class f:
        def __init__(self):
            self.items = {}
            self.name = ""

        def __len__(self):
            return len(self.items)

        def __contains__(self, key):
            return key in self.items

        def __getitem__(self, key):
            return self.items[key]

        def __setitem__(self, key, value):
            self.items[key] = value

        def __delitem__(self, key):
            del self.items[key]

        def __iter__(self):
            return iter(self.items)

        def __str__(self):
            return f"Bag({', '.join(self.items)})"

        def __call__(self, first):
            return [first, *self.items["b"]]

        def __eq__(self, other):
            return self.items == other.items

        def __lt__(self, other):
            return len(self.items) < len(other.items)
    """,
)
MERGE = task(
    """
    def check(candidate):
        left, right = candidate([3, 1]), candidate([2])
        assert left.merge(right) == [1, 2, 3]
        assert left.values == [1, 2, 3]
        assert right.values == [2]
        given = [9]
        third = candidate(given)
        given.append(8)
        assert third.values == [9]
        shared = third.values
        third.merge(right)
        assert shared == [2, 9]
        assert third.values is shared
        assert third.largest == 9
    """,
    """
    class f:
        def __init__(self, values):
            self.values = sorted(values)

        def merge(self, other):
            self.values += other.values
            self.values.sort()
            return self.values

        @property
        def largest(self):
            return self.values[-1]
    """,
)
