"""Tree edit distance beside the peers: `python benchmarks/trees.py [--repeats N]`.

Pairs of functions from the standard library, parsed with tree-sitter, with unit costs for all:

    codejury   `trees.distance`, from parsed trees, with the choice of the side that branches are taken from
    apted      PyPI `apted`, in Python
    zss        PyPI `zss`, in Python, with --zss: seconds a pair
    x-ted      PyPI `x-ted`, in C++ with one thread, in a virtual environment of its own (needs Python < 3.13)

Each time is processor time, the best of `--repeats`, the ways in turn, so that a busy machine disturbs all alike.
All must give the same distance. The run fails if, for the pair of about 250 nodes, codejury is less than 100 times
faster than apted or takes more than twice as long as x-ted, and where the C extension was not built.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apted
import apted.helpers
import zss

from codejury.metrics.trees import Tree, distance, parse
from codejury.metrics.trees.ted import BACKEND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OUT = Path(__file__).parent / "out" / "x-ted"
LEAST_RATIO = 100
MOST_RATIO = 2
SIZES = ((250, 250), (430, 440), (900, 1000))
MODULES = ("argparse", "ast", "dataclasses", "inspect", "shutil", "tarfile", "textwrap", "typing", "zipfile")
WORKER = """
import json, sys, time
from xted import x_ted_compute
pairs = json.loads(sys.stdin.readline())
for line in sys.stdin:
    pair = pairs[int(line)]
    start = time.process_time()
    found = x_ted_compute(*pair)
    print(json.dumps([time.process_time() - start, found]), flush=True)
"""


def main() -> int:
    """Print the table; 1 if a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--zss", action="store_true", help="time zss, too, for the first pair")
    options = parser.parse_args()
    if BACKEND != "c":
        print("the C extension was not built: there is nothing to measure")
        return 1
    pairs = _pairs()
    worker = _x_ted(pairs)
    print(
        f"{'nodes':<14}{'distance':>9}{'codejury':>12}{'apted':>12}{'zss':>12}{'x-ted':>12}{'apted/ours':>12}"
        f"{'ours/x-ted':>12}"
    )
    failed = False
    for number, (a, b) in enumerate(pairs):
        ways: dict[str, Any] = {
            "codejury": partial(_timed, partial(distance, a, b)),
            "apted": partial(_apted, a, b),
        }
        if options.zss and number == 0:
            ways["zss"] = partial(_zss, a, b)
        if worker is not None:
            ways["x-ted"] = partial(_ask, worker, number)
        if number == len(pairs) - 1:
            del ways["apted"]  # a minute a pair
        failed |= _race(f"{len(a)} x {len(b)}", ways, options.repeats) and number == 0
    if worker is not None:
        worker.communicate()
    return int(failed)


def _race(name: str, ways: dict[str, Any], repeats: int) -> bool:
    """Print a row; whether a promise is not kept."""
    best = dict.fromkeys(ways, float("inf"))
    found = set()
    for _ in range(repeats):
        for way, run in ways.items():
            seconds, value = run()
            best[way] = min(best[way], seconds)
            found.add(value)
    cells = (f"{best[way] * 1000:.2f} ms" if way in best else "-" for way in ("codejury", "apted", "zss", "x-ted"))
    apted_ratio = best["apted"] / best["codejury"] if "apted" in best else None
    x_ted_ratio = best["codejury"] / best["x-ted"] if "x-ted" in best else None
    ratios = ("-" if ratio is None else f"{ratio:.1f}" for ratio in (apted_ratio, x_ted_ratio))
    distances = "/".join(map(str, sorted(found)))
    print(f"{name:<14}{distances:>9}" + "".join(f"{cell:>12}" for cell in (*cells, *ratios)))
    slow = (apted_ratio or LEAST_RATIO) < LEAST_RATIO or (x_ted_ratio or 0) > MOST_RATIO
    return slow or len(found) != 1


def _pairs() -> list[tuple[Tree, Tree]]:
    """Pairs of different functions whose trees are nearest to the sizes."""
    trees = [parse("", textwrap.dedent(source), "", "python").tree for source in _sources()]
    trees.sort(key=len)
    pairs = []
    for first, second in SIZES:
        a = min(trees, key=lambda tree: abs(len(tree) - first))
        b = min((tree for tree in trees if tree is not a), key=lambda tree: abs(len(tree) - second))
        pairs.append((a, b))
    return pairs


def _sources() -> Iterator[str]:
    for name in MODULES:
        module = importlib.import_module(name)
        for value in vars(module).values():
            members = vars(value).values() if inspect.isclass(value) else (value,)
            for member in members:
                if inspect.isfunction(member) and member.__module__ == name:
                    yield inspect.getsource(member)


def _timed(run: Callable[[], int]) -> tuple[float, int]:
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def _nested(tree: Tree, make: Callable[[str, list[Any]], Any]) -> Any:
    nodes: list[Any] = []
    below: list[list[Any]] = [[] for _ in range(len(tree))]
    for node, parent in enumerate(tree.parent.tolist()):
        nodes.append(make(str(tree.key(node)), below[node]))
        if parent >= 0:
            below[parent].append(nodes[-1])
    return nodes[-1]


def _apted(a: Tree, b: Tree) -> tuple[float, int]:
    one, two = (_nested(tree, lambda label, below: apted.helpers.Tree(label, *below)) for tree in (a, b))
    return _timed(lambda: int(apted.APTED(one, two).compute_edit_distance()))


def _zss(a: Tree, b: Tree) -> tuple[float, int]:
    one, two = (_nested(tree, zss.Node) for tree in (a, b))
    return _timed(lambda: int(zss.simple_distance(one, two, label_dist=lambda x, y: int(x != y))))


def _x_ted(pairs: list[tuple[Tree, Tree]]) -> subprocess.Popen[str] | None:
    """A process that runs x-ted on the pairs; None, with a line, where it cannot be had."""
    python = OUT / "bin" / "python"
    if sys.version_info >= (3, 13):
        print("x-ted is left out: it needs Python below 3.13")
        return None
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(OUT)], check=True, capture_output=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", "x-ted==0.2.0"], check=True, capture_output=True
        )
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"x-ted is left out: it cannot be installed: {error}")
        return None
    worker = subprocess.Popen(
        [str(python), "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert worker.stdin is not None
    worker.stdin.write(json.dumps([[*_pre_order(a), *_pre_order(b)] for a, b in pairs]) + "\n")
    return worker


def _pre_order(tree: Tree) -> tuple[list[int], list[str]]:
    """Parents and labels of a tree in pre-order, as x-ted takes them."""
    order: list[int] = []
    below: list[list[int]] = [[] for _ in range(len(tree))]
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            below[parent].append(node)
    waiting = [len(tree) - 1]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(below[node]))
    place = {node: number for number, node in enumerate(order)}
    return [place.get(int(tree.parent[node]), -1) for node in order], [str(tree.key(node)) for node in order]


def _ask(worker: subprocess.Popen[str], number: int) -> tuple[float, int]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{number}\n")
    seconds, found = json.loads(worker.stdout.readline())
    return seconds, found


if __name__ == "__main__":
    sys.exit(main())
