"""Right answers that use files, time, the environment and memory as honest programs do.

Each case is a problem of its own: arguments, the value that is expected, the program. A sandbox fails them by a
missing `/tmp`, an environment without its few names, or a memory limit that counts the interpreter itself.
"""

from __future__ import annotations

from .case import Case, answers

_CALLS: tuple[tuple[str, str, str, str], ...] = (
    (
        "datetime",
        "'2024-02-28'",
        "(datetime.date(2024, 3, 1), 'Wednesday', 58)",
        """
        import datetime as dt

        def f(s):
            d = dt.date.fromisoformat(s)
            return d + dt.timedelta(days=2), d.strftime('%A'), (d - dt.date(2024, 1, 1)).days
        """,
    ),
    (
        "calendar",
        "2024",
        "(True, (3, 29))",
        """
        import calendar

        def f(y):
            return calendar.isleap(y), calendar.monthrange(y, 2)
        """,
    ),
    (
        "sqlite",
        "3",
        "(6,)",
        """
        import sqlite3

        def f(n):
            db = sqlite3.connect(':memory:')
            return db.execute('select ? * 2', (n,)).fetchone()
        """,
    ),
    (
        "temporary-file",
        "'text'",
        "'text'",
        """
        import tempfile

        def f(s):
            with tempfile.TemporaryFile('w+') as t:
                t.write(s)
                t.seek(0)
                return t.read()
        """,
    ),
    (
        "named-temporary-file",
        "'\xe9'",
        "'\xe9'",
        """
        import os, tempfile

        def f(s):
            with tempfile.NamedTemporaryFile('w', delete=False) as t:
                t.write(s)
            with open(t.name) as again:
                text = again.read()
            os.unlink(t.name)
            return text
        """,
    ),
    (
        "temporary-folder",
        "3",
        "[0, 1, 2]",
        """
        import pathlib, tempfile

        def f(n):
            with tempfile.TemporaryDirectory() as d:
                p = pathlib.Path(d)
                for i in range(n):
                    (p / str(i)).write_bytes(bytes(i))
                return sorted(q.stat().st_size for q in p.iterdir())
        """,
    ),
    (
        "paths",
        "'/a/b/../c.txt'",
        "('/a/c.txt', '.txt')",
        """
        import os.path, pathlib

        def f(s):
            return os.path.normpath(s), pathlib.PurePath(s).suffix
        """,
    ),
    (
        "environment-with-default",
        "'no-such-name'",
        "('none', None)",
        """
        import os

        def f(n):
            return os.environ.get(n, 'none'), os.getenv(n)
        """,
    ),
    (
        "environment-set",
        "'v'",
        "'v'",
        """
        import os

        def f(v):
            os.environ['OWN_NAME'] = v
            return os.environ['OWN_NAME']
        """,
    ),
    (
        "arguments-empty",
        "1",
        "1",
        """
        import sys

        def f(x):
            return isinstance(sys.argv, list) and x
        """,
    ),
    (
        "memory-100-mb",
        "100",
        "100",
        """
        def f(n):
            block = bytearray(n << 20)
            return len(block) >> 20
        """,
    ),
    (
        "time-stamps",
        "0",
        "('1970-01-01', True, True)",
        """
        import time

        def f(s):
            return time.strftime('%Y-%m-%d', time.gmtime(s)), time.time() > 0, time.process_time() >= 0
        """,
    ),
    (
        "platform",
        "1",
        "('CPython', True, True)",
        """
        import os, platform, sys

        def f(x):
            return platform.python_implementation(), sys.maxsize > 2 ** 32, (os.cpu_count() or 1) >= x
        """,
    ),
    (
        "zoneinfo",
        "'UTC'",
        "True",
        """
        from datetime import datetime, timezone

        def f(n):
            return datetime(2024, 1, 1, tzinfo=timezone.utc).tzname() == n
        """,
    ),
)

CASES: tuple[Case, ...] = answers(_CALLS)
