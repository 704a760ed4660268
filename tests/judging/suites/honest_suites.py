"""Right programs with odd habits before tests of unittest and pytest, which use what the frameworks offer."""

from __future__ import annotations

from .case import PASSED
from .tasks_objects import STACK
from .tasks_suites import (
    NEXT_PYTEST,
    NEXT_UNITTEST,
    STACK_PYTEST,
    STACK_UNITTEST,
    SuiteCase,
    by_pytest,
    by_unittest,
)

# Name -> program, each before both frameworks.
_BOTH = {
    "reference": NEXT_UNITTEST.reference,
    "prints": (
        "import sys\ndef f(x):\n    print('OK', x)\n    sys.stderr.write('FAILED')\n"
        "    if x < 0:\n        raise ValueError('negative')\n    return x + 1\n"
    ),
    "own-exception": (
        "class Negative(ValueError):\n    def __init__(self, x):\n        super().__init__('negative')\n"
        "        self.x = x\ndef f(x):\n    if x < 0:\n        raise Negative(x)\n    return x + 1\n"
    ),
    "chained-exception": (
        "def f(x):\n    try:\n        return range(1, 1 << 30)[x] if x >= 0 else {}[x]\n"
        "    except KeyError as error:\n        raise ValueError('negative') from error\n"
    ),
    "callable-object": (
        "class F:\n    def __call__(self, x):\n        if x < 0:\n            raise ValueError('negative')\n"
        "        return x + 1\nf = F()\n"
    ),
    "cached": (
        "import functools\n@functools.lru_cache(maxsize=None)\ndef f(x):\n    if x < 0:\n"
        "        raise ValueError('negative')\n    return x + 1\n"
    ),
    "with-tests-of-its-own": (
        NEXT_UNITTEST.reference
        + (
            "import unittest\nclass Own(unittest.TestCase):\n    def test_own(self):\n"
            "        self.assertEqual(f(1), 3)\nif __name__ == '__main__':\n    unittest.main()\n"
        )
    ),
    "in-a-thread": (
        "import threading\ndef f(x):\n    if x < 0:\n        raise ValueError('negative')\n    found = []\n"
        "    t = threading.Thread(target=lambda: found.append(x + 1))\n    t.start()\n    t.join()\n"
        "    return found[0]\n"
    ),
}

_STACKS = {
    "reference": STACK.reference,
    "linked": (
        "class f:\n    def __init__(self, items):\n        self.head, self.count = None, 0\n"
        "        for item in items:\n            self.push(item)\n"
        "    def push(self, item):\n        self.head, self.count = (item, self.head), self.count + 1\n"
        "    def pop(self):\n        if self.head is None:\n            raise IndexError\n"
        "        item, self.head = self.head\n        self.count -= 1\n        return item\n"
        "    def top(self):\n        return self.head[0]\n    def size(self):\n        return self.count\n"
    ),
    "a-list-itself": (
        "class f(list):\n    push = list.append\n    size = list.__len__\n"
        "    def top(self):\n        return self[-1]\n"
    ),
    "a-data-class": (
        "from dataclasses import dataclass, field\n@dataclass\n"
        "class f:\n    items: list = field(default_factory=list)\n"
        "    def __post_init__(self):\n        self.items = list(self.items)\n"
        "    def push(self, item):\n        self.items += [item]\n"
        "    def pop(self):\n        return self.items.pop()\n"
        "    def top(self):\n        return self.items[-1]\n    def size(self):\n        return len(self.items)\n"
    ),
}

_UNITTEST = {
    "count-equal": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        self.assertCountEqual(f([1, 2, 2]), [2, 1, 2])\n"
            "        self.assertSetEqual(set(f([1])), {1})\n"
        ),
        "def f(x):\n    return reversed(x)\n",
    ),
    "almost-equal": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        self.assertAlmostEqual(f(10), 0.1)\n        self.assertAlmostEqual(f(3), 0.3333, places=4)\n"
            "        self.assertAlmostEqual(f(4), 0.26, delta=0.02)\n"
            "        self.assertNotAlmostEqual(f(3), 0.4)\n"
        ),
        "def f(x):\n    return sum([1 / x / 8] * 8)\n",
    ),
    "containers": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    maxDiff = None\n    def test(self):\n"
            "        self.assertDictEqual(f('aab'), {'a': 2, 'b': 1})\n"
            "        self.assertIsInstance(f(''), dict)\n"
            "        self.assertFalse(f(''))\n        self.assertNotIn('c', f('ab'))\n"
            "        self.assertLess(len(f('abc')), 4)\n"
        ),
        "def f(x):\n    return {c: x.count(c) for c in dict.fromkeys(x)}\n",
    ),
    "texts": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        self.assertMultiLineEqual(f('a'), 'a\\na\\n')\n        self.assertRegex(f('b'), r'^b\\nb')\n"
            "        self.assertNotRegex(f('b'), 'a')\n"
        ),
        "def f(x):\n    return f'{x}\\n' * 2\n",
    ),
    "tuples-and-none": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        self.assertTupleEqual(f(1), (1, None))\n        self.assertIsNone(f(1)[1])\n"
            "        self.assertIsNotNone(f(1))\n        self.assertSequenceEqual(f(2), [2, None])\n"
        ),
        "def f(x):\n    return x, None\n",
    ),
    "raises-with-a-context": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        with self.assertRaises(KeyError) as caught:\n            f('k')\n"
            "        self.assertEqual(caught.exception.args, ('k',))\n"
            "        self.assertRaises((KeyError, ValueError), f, 'j')\n"
            "        self.assertRaisesRegex(KeyError, 'j', f, 'j')\n"
        ),
        "def f(x):\n    return {}[x]\n",
    ),
    "fixtures-and-cleanups": (
        (
            "import unittest\nlog = []\ndef setUpModule():\n"
            "    log.append(f(0))\ndef tearDownModule():\n    log.clear()\n"
            "class T(unittest.TestCase):\n    def setUp(self):\n        self.addCleanup(log.append, f(1))\n"
            "    def test_a(self):\n        self.assertEqual(log, [0])\n"
            "    def test_b(self):\n        self.assertEqual(log, [0, 2])\n"
        ),
        "def f(x):\n    return 2 * x\n",
    ),
    "sub-tests-in-a-comprehension": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        [self.assertEqual(f(x), x * x) for x in range(5)]\n"
            "        for x in (6, 7):\n            with self.subTest('square', x=x):\n"
            "                self.assertEqual(f(x), x ** 2)\n"
        ),
        "def f(x):\n    return x * x\n",
    ),
    "own-assertions": (
        (
            "import unittest\nclass Base(unittest.TestCase):\n    def assertNext(self, x):\n"
            "        if f(x) != x + 1:\n            raise self.failureException(x)\n"
            "class T(Base):\n    def test_first(self):\n        self.assertNext(1)\n"
            "class U(T):\n    def test_second(self):\n        self.assertNext(2)\n"
        ),
        "def f(x):\n    return -~x\n",
    ),
    "skipped-beside": (
        (
            "import unittest\nclass T(unittest.TestCase):\n    @unittest.skip('later')\n    def test_a(self):\n"
            "        self.fail()\n    @unittest.skipIf(False, 'now')\n    def test_b(self):\n"
            "        self.assertEqual(f(1), 1)\n    @unittest.expectedFailure\n    def test_c(self):\n"
            "        self.assertEqual(f(1), 2)\n    def test_d(self):\n        self.skipTest('later')\n"
        ),
        "def f(x):\n    return x\n",
    ),
    "mock-as-argument-of-tests": (
        (
            "import unittest\nfrom unittest import mock\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        seen = mock.Mock()\n        seen(f(1))\n        seen.assert_called_once_with(1)\n"
            "        self.assertEqual([f(2), 3], [2, mock.ANY])\n"
        ),
        "def f(x):\n    return x\n",
    ),
    "asynchronous-tests": (
        (
            "import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n    async def asyncSetUp(self):\n"
            "        self.x = f(1)\n    async def test(self):\n        self.assertEqual(self.x, 2)\n"
        ),
        "def f(x):\n    return x + 1\n",
    ),
    "changed-argument": (
        (
            "import unittest\nimport solution\nclass T(unittest.TestCase):\n    def test(self):\n"
            "        given = [3, 1, 2]\n        self.assertIsNone(solution.f(given))\n"
            "        self.assertListEqual(given, [1, 2, 3])\n"
        ),
        "def f(x):\n    x.sort()\n",
    ),
    "plain-assert-statements": (
        (
            "import unittest, math\nclass T(unittest.TestCase):\n    def test(self):\n        assert f(4) == 2\n"
            "        assert math.isclose(f(2) ** 2, 2)\n"
        ),
        "def f(x):\n    return x ** 0.5\n",
    ),
}

_PYTEST = {
    "approx": (
        (
            "import pytest\ndef test():\n    assert f([1, 2]) == pytest.approx([0.1, 0.2])\n"
            "    assert f([1]) == [pytest.approx(0.1001, rel=0.01)]\n"
            "    assert {'a': f([3])[0]} == pytest.approx({'a': 0.3})\n"
        ),
        "def f(x):\n    return [y / 10 for y in x]\n",
    ),
    "parameters": (
        (
            "import pytest\n@pytest.mark.parametrize('x', [1, 2])\n"
            "@pytest.mark.parametrize('y', [3, pytest.param(4, id='four')])\n"
            "def test(x, y):\n    assert f(x, y) == x * y\n"
        ),
        "def f(x, y):\n    return sum([x] * y)\n",
    ),
    "raises": (
        (
            "import pytest\ndef test():\n    with pytest.raises((KeyError, IndexError)) as caught:\n        f(3)\n"
            "    assert caught.type is IndexError\n    assert 'three' in str(caught.value)\n"
            "    pytest.raises(IndexError, f, 3)\n"
        ),
        "def f(x):\n    raise IndexError('three')\n",
    ),
    "expectation-as-parameter": (
        (
            "import pytest\nfrom contextlib import nullcontext\n"
            "@pytest.mark.parametrize('x, e', [(1, nullcontext(2)), (0, pytest.raises(ZeroDivisionError))])\n"
            "def test(x, e):\n    with e as want:\n        assert f(x) == want\n"
        ),
        "def f(x):\n    return 2 // x\n",
    ),
    "fixtures-that-yield": (
        (
            "import pytest\nlog = []\n@pytest.fixture\ndef outer():\n"
            "    log.append(f(0))\n    yield f(1)\n    log.append('end')\n"
            "@pytest.fixture\ndef inner(outer):\n    return outer + 1\ndef test_a(inner):\n    assert inner == 3\n"
            "def test_b():\n    assert log == [0, 'end']\n"
        ),
        "def f(x):\n    return 2 * x\n",
    ),
    "factory-and-request": (
        (
            "import pytest\n@pytest.fixture(params=[2, 3], ids=str)\ndef make(request):\n"
            "    return lambda n: f(n, request.param)\ndef test(make, request):\n"
            "    assert make(2) in (4, 8)\n    assert request.node.name.startswith('test')\n"
        ),
        "def f(x, n):\n    return x ** n\n",
    ),
    "classes-and-set-up": (
        (
            "class TestF:\n    @classmethod\n    def setup_class(cls):\n        cls.x = f(1)\n"
            "    def setup_method(self, method):\n        self.y = f(2)\n"
            "    def teardown_method(self):\n        self.y = 0\n"
            "    def test_a(self):\n        assert self.x == 1\n        self.x = 5\n    def test_b(self):\n"
            "        assert (self.x, self.y) == (1, 4)\n"
        ),
        "def f(x):\n    return x * x\n",
    ),
    "module-set-up": (
        (
            "state = {}\ndef setup_module(module):\n    state['x'] = f(1)\n"
            "def setup_function():\n    state['y'] = f(2)\n"
            "def teardown_module():\n    state.clear()\ndef test():\n    assert state == {'x': 1, 'y': 2}\n"
        ),
        "def f(x):\n    return x\n",
    ),
    "unittest-within": (
        (
            "import unittest\nclass TestF(unittest.TestCase):\n    def setUp(self):\n        self.x = f(1)\n"
            "    def test_a(self):\n        self.assertEqual(self.x, 2)\n    def test_b(self):\n"
            "        for x in range(3):\n            with self.subTest(x=x):\n"
            "                self.assertEqual(f(x), x + 1)\n"
            "def test_c():\n    assert f(2) == 3\n"
        ),
        "def f(x):\n    return x + 1\n",
    ),
    "marks": (
        (
            "import pytest\npytestmark = pytest.mark.filterwarnings('ignore')\n@pytest.mark.slow\ndef test_a():\n"
            "    assert f(1) == 2\n@pytest.mark.skip(reason='later')\ndef test_b():\n    assert f(1) == 3\n"
            "@pytest.mark.xfail\ndef test_c():\n    assert f(1) == 4\n@pytest.mark.skipif('False', reason='now')\n"
            "def test_d():\n    assert f(2) == 3\n"
            "@pytest.mark.usefixtures('monkeypatch')\ndef test_e():\n    assert f(3) == 4\n"
        ),
        "def f(x):\n    return x + 1\n",
    ),
    "monkeypatch": (
        (
            "TABLE = {'a': 1}\ndef test_a(monkeypatch):\n    monkeypatch.setitem(TABLE, 'a', f(1))\n"
            "    assert TABLE['a'] == 2\ndef test_b():\n    assert TABLE == {'a': f(0)}\n"
        ),
        "def f(x):\n    return x + 1\n",
    ),
    "output-of-tests": (
        (
            "def test(capsys):\n    print(f('x'))\n"
            "    assert capsys.readouterr().out == 'xx\\n'\n    assert f('') == ''\n"
        ),
        "def f(x):\n    print('seen by nobody')\n    return x * 2\n",
    ),
    "helper-and-loop": (
        (
            "CASES = [(0, 1), (1, 1), (5, 120)]\ndef assert_f(x, want):\n"
            "    got = f(x)\n    assert got == want, (x, got)\n"
            "    assert type(got) is int\ndef test():\n    for x, want in CASES:\n        assert_f(x, want)\n"
        ),
        "from math import factorial as f\n",
    ),
    "numbers-of-many-kinds": (
        (
            "from decimal import Decimal\nfrom fractions import Fraction\ndef test():\n"
            "    assert f(Fraction(1, 3)) == Fraction(2, 3)\n    assert f(Decimal('1.1')) == Decimal('2.2')\n"
            "    assert f(1 + 2j) == 2 + 4j\n    assert f(float('inf')) == float('inf')\n"
            "    assert f(10 ** 30) == 2 * 10 ** 30\n"
        ),
        "def f(x):\n    return x + x\n",
    ),
    "identity": (
        (
            "def test():\n    rows = f(2)\n    rows[0][0] = 1\n"
            "    assert rows == [[1, 0], [0, 0]]\n    assert rows[0] is not rows[1]\n"
        ),
        "def f(n):\n    return [[0] * n for _ in range(n)]\n",
    ),
}

CASES: tuple[SuiteCase, ...] = (
    *(
        task.case(name, "13", text, PASSED)
        for task in (NEXT_UNITTEST, NEXT_PYTEST)
        for name, text in _BOTH.items()
    ),
    *(
        task.case(f"stack-{name}", "13", text, PASSED)
        for task in (STACK_UNITTEST, STACK_PYTEST)
        for name, text in _STACKS.items()
    ),
    *(by_unittest(tests, text).case(name, "13", text, PASSED) for name, (tests, text) in _UNITTEST.items()),
    *(by_pytest(tests, text).case(name, "13", text, PASSED) for name, (tests, text) in _PYTEST.items()),
)
