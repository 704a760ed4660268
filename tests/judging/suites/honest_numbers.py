"""Right answers that compute: containers, sorting, exact and floating numbers, long integers, seeded randomness.

Each case is a problem of its own: arguments, the value that is expected, the program. A judge fails them by a
limit that is too tight, by the digit limit of long integers, by a shared random state, or by losing an exact type.
"""

from __future__ import annotations

from .case import Case, answers

_CALLS: tuple[tuple[str, str, str, str], ...] = (
    (
        "heapq",
        "[3, 1, 2]",
        "1",
        """
        import heapq

        def f(xs):
            heapq.heapify(xs := list(xs))
            return heapq.heappop(xs)
        """,
    ),
    (
        "bisect",
        "[1, 3, 5], 4",
        "2",
        """
        import bisect

        def f(xs, x):
            return bisect.bisect_left(xs, x)
        """,
    ),
    (
        "itertools",
        "'abc'",
        "[('a', 'b'), ('a', 'c'), ('b', 'a'), ('b', 'c'), ('c', 'a'), ('c', 'b')]",
        """
        import itertools

        def f(s):
            return list(itertools.permutations(s, 2))
        """,
    ),
    (
        "reduce",
        "[1, 2, 3, 4]",
        "24",
        """
        from functools import reduce

        def f(xs):
            return reduce(lambda a, b: a * b, xs)
        """,
    ),
    (
        "counter",
        "'abracadabra'",
        "[('a', 5), ('b', 2)]",
        """
        from collections import Counter

        def f(s):
            return Counter(s).most_common(2)
        """,
    ),
    (
        "chain-map",
        "{'a': 1}, {'b': 2}",
        "{'b': 2, 'a': 1}",
        """
        from collections import ChainMap

        def f(a, b):
            return dict(ChainMap(a, b))
        """,
    ),
    (
        "decimal-context",
        "'1', '7'",
        "Decimal('0.14285714285714285714285714285714285714285714285714')",
        """
        from decimal import Decimal, getcontext

        getcontext().prec = 50

        def f(a, b):
            return Decimal(a) / Decimal(b)
        """,
    ),
    (
        "local-decimal-context",
        "2",
        "Decimal('1.41421356237309504880168872421')",
        """
        import decimal

        def f(x):
            with decimal.localcontext() as c:
                c.prec = 30
                return decimal.Decimal(x).sqrt()
        """,
    ),
    (
        "fractions",
        "6",
        "Fraction(137, 60)",
        """
        from fractions import Fraction

        def f(n):
            return sum(Fraction(1, i) for i in range(1, n))
        """,
    ),
    (
        "statistics",
        "[1, 2, 2, 5]",
        "(2.5, 2)",
        """
        import statistics

        def f(xs):
            return statistics.mean(xs), statistics.mode(xs)
        """,
    ),
    (
        "math",
        "10",
        "(120, 2, 3, 3.141592653589793, inf)",
        """
        import math

        def f(n):
            return math.comb(n, 3), math.gcd(n, 4), math.isqrt(n), math.pi, math.inf
        """,
    ),
    (
        "cmath",
        "-4",
        "2j",
        """
        import cmath

        def f(x):
            return cmath.sqrt(x)
        """,
    ),
    (
        "array",
        "[1, 2]",
        "(b'\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00', 3.0)",
        """
        from array import array

        def f(xs):
            return array('i', xs).tobytes(), sum(array('d', xs))
        """,
    ),
    (
        "operator",
        "[(1, 'b'), (0, 'a')]",
        "[(0, 'a'), (1, 'b')]",
        """
        from operator import itemgetter

        def f(xs):
            return sorted(xs, key=itemgetter(1))
        """,
    ),
    (
        "random-seeded",
        "5",
        "[6, 6, 0, 4, 8]",
        """
        import random

        def f(n):
            random.seed(0)
            return [random.randint(0, 9) for _ in range(n)]
        """,
    ),
    (
        "own-random-generator",
        "[1, 2, 3]",
        "([3, 1, 2], 0.3948234964231735)",
        """
        import random

        def f(xs):
            r = random.Random(7)
            r.shuffle(xs := list(xs))
            return xs, r.random()
        """,
    ),
    (
        "random-within-bounds",
        "6",
        "(True, 0)",
        """
        import random, secrets

        def f(n):
            return all(0 <= random.randrange(n) < n for _ in range(99)), secrets.randbelow(1)
        """,
    ),
    (
        "factorial",
        "500",
        "math.prod(range(1, 501))",
        """
        import math

        def f(n):
            return math.factorial(n)
        """,
    ),
    (
        "big-power",
        "5000",
        "(1 << 5000, 5001)",
        """
        def f(n):
            return 2 ** n, (2 ** n).bit_length()
        """,
    ),
    (
        "digits-of-a-long-int",
        "6000",
        "('000', 5071)",
        """
        import sys

        sys.set_int_max_str_digits(0)

        def f(n):
            return str(10 ** n)[-3:], len(str(7 ** n))
        """,
    ),
    (
        "modular-power",
        "10 ** 50",
        "(5844795115091486716128661752081022775616, 5)",
        """
        def f(n):
            return pow(3, n, 10 ** 40 + 1), pow(3, -1, 7)
        """,
    ),
    (
        "int-beyond-digit-limit",
        "5000",
        'int("1" + "0" * 2_500) * int("1" + "0" * 2_500)',
        """
        def f(n):
            return 10 ** n
        """,
    ),
    (
        "rounding",
        "2.675",
        "(2.67, 2, 0, '2.7', (-4, 1))",
        """
        def f(x):
            return round(x, 2), round(2.5), round(-0.4), f'{x:.1f}', divmod(-7, 2)
        """,
    ),
    (
        "float-text",
        "0.1",
        "('0.30000000000000004', '0x1.999999999999ap-4', (3602879701896397, 36028797018963968), inf)",
        """
        def f(x):
            return repr(x + 0.2), x.hex(), x.as_integer_ratio(), float('1e400')
        """,
    ),
    (
        "negative-zero",
        "0.0",
        "('-0.0', True)",
        """
        def f(x):
            return str(-x), -x == x
        """,
    ),
    (
        "sieve",
        "200_000",
        "17984",
        """
        def f(n):
            s = bytearray([1]) * n
            for i in range(2, int(n ** 0.5) + 1):
                if s[i]:
                    s[i * i::i] = bytes(len(range(i * i, n, i)))
            return sum(s) - 2
        """,
    ),
    (
        "set-results",
        "[3, 1, 2], [2, 3, 4]",
        "({2, 3}, {1, 4}, frozenset({1}))",
        """
        def f(a, b):
            return set(a) & set(b), set(a) ^ set(b), frozenset(a) - set(b)
        """,
    ),
    (
        "sort-stability",
        "['bb', 'a', 'cc', 'd']",
        "(['a', 'd', 'bb', 'cc'], ['d', 'cc', 'bb', 'a'])",
        """
        from functools import cmp_to_key

        def f(xs):
            return sorted(xs, key=len), sorted(xs, key=cmp_to_key(lambda a, b: (b > a) - (b < a)))
        """,
    ),
    (
        "graph-search",
        "{1: [2, 3], 2: [4], 3: [4], 4: []}, 1, 4",
        "[1, 2, 4]",
        """
        from collections import deque

        def f(g, a, b):
            todo, seen = deque([(a, [a])]), {a}
            while todo:
                n, path = todo.popleft()
                if n == b:
                    return path
                for m in g[n]:
                    if m not in seen:
                        seen.add(m)
                        todo.append((m, path + [m]))
        """,
    ),
)

CASES: tuple[Case, ...] = answers(_CALLS)
