"""The judge's side: holds one problem's tests, calls the candidate over value protocol v1, counts assertions.

A fresh process for each sample, confined like the candidate: tests and a candidate's values may be hostile. Its
word is trusted no further than that: it reports, the host measures.

The host sends one job, JSON with the descriptors of the candidate's pipes, and gets frames `{"tests": [[line, outcome,
microseconds], …], "end": …}`; only the last one has an end. Standard library alone; from Python 3.9 on.
"""

import binascii
import gc
import marshal
import os
import select
import time

import codec
import frames

WRITES = False
FLUSH_S = 0.02
HOOK = "__codejury__"
PRELOAD = (
    "ast random math copy decimal fractions datetime string re heapq bisect itertools functools operator".split()
)


class Stop(BaseException):
    """Leaves the tests: the verdict is settled. No test can catch it with `except Exception`."""


def channel():
    """A socket pair: job and report. (own ends, the host's ends)."""
    import _socket

    mine, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    return (mine.detach(),), (theirs.detach(),)


def warm_up():
    """Import what most tests use, and judge a small program a few times: children find caches filled."""
    for name in PRELOAD:
        __import__(name)
    warm_tests()


def play(host):
    """Take one job, judge it, report."""
    import _socket

    gc.disable()  # the process lives for one sample

    sock = _socket.socket(fileno=host)
    head, ancillary, _, _ = sock.recvmsg(4, _socket.CMSG_SPACE(8))
    if len(head) < 4:
        os._exit(0)
    fds = [int.from_bytes(ancillary[0][2][i : i + 4], "little") for i in (0, 4)]
    job = codec.loads(frames.read_exactly(host, int.from_bytes(head, "little")).decode())
    Judge(job, host, *fds).run()
    os._exit(0)


class Judge:
    """One sample before one problem's tests."""

    def __init__(self, job, host, requests, replies):
        self.job, self.host, self.requests, self.replies = job, host, requests, replies
        self.number = 0  # requests that were answered
        self.kept = {}  # (frame, index) -> [container, JSON text of its content]
        self.namespace = {}
        self.calls, self.finished, self.failed, self.changed = 0, 0, 0, False
        self.tests, self.sequence = [], 0
        self.inside = False  # an assertion that can be left out is being run
        self.acting = None
        self.gone_line = 0
        self.sticky = None  # (outcome, detail) once settled
        self.thrown = None
        self.started = self.flushed = time.monotonic()

    # ---- the whole job

    def run(self):
        """Load, test, report."""
        try:
            try:
                code = self.prepare()
            except (SyntaxError, ValueError) as error:
                return self.end("problem", f"its tests do not compile: {type(error).__name__}: {error}")
            if self.load():
                self.run_tests(code)
        except Stop:
            pass
        except MemoryError:
            self.sticky = self.sticky or ("out_of_memory", "the tests ran out of memory on the candidate's values")
        return self.conclude()

    def load(self):
        """Have the candidate load its program; whether it could."""
        job = self.job
        body = codec.dumps([job["source"], job["entry"], job["most"]]).encode()
        reply = self.exchange(body)
        kind = reply[0]
        if kind == "ok":
            return True
        if kind == "syntax":
            self.sticky = "syntax_error", f"{reply[1]}: {reply[2]}"
        elif kind == "missing":
            self.sticky = "exception", f"NameError: name {reply[1]!r} is not defined"
        elif kind == "!":
            name, text = str(reply[1][1]), str(reply[1][4])
            outcome = "early_exit" if "SystemExit" in reply[1][2] else "exception"
            self.sticky = outcome, f"while loading: {name}: {text}"
        else:
            self.sticky = "tampered", "an unknown reply"
        return False

    def run_tests(self, code):
        """Run context and tests; outcomes go to `sticky` or are counted."""
        context, body = code
        ns = self.namespace
        ns["__name__"] = "__tests__"
        ns[HOOK] = self
        function = self.job["tests"].get("function")
        try:
            if context is not None:
                exec(context, ns)
            proxy = self.proxy()
            ns[self.job["entry"]] = proxy
            self.started = time.monotonic()
            for part in body:
                exec(part, ns)
            if ns.get(self.job["entry"]) is not proxy:
                raise_problem("its tests define the entry point anew")
            if function:
                if not callable(ns.get(function)):
                    raise_problem(f"its tests define no function {function!r}")
                result = ns[function](proxy)
                if hasattr(result, "__await__") or hasattr(result, "__next__"):
                    raise_problem(f"the function {function!r} of its tests is async or a generator")
        except Problem as error:
            self.sticky = "problem", str(error)
        except Stop:
            raise
        except BaseException as error:
            self.escaped(error)

    def escaped(self, error):
        """An exception left the tests: one test has failed."""
        if self.sticky:
            return
        outcome, detail = self.judge_exception(error)
        self.note(self.line_of(error), outcome)
        self.sticky = outcome, detail

    def judge_exception(self, error):
        """Outcome and detail of an exception that came out of an assertion."""
        detail = f"{type(error).__name__}: {str(error)[:300]}"
        if isinstance(error, MemoryError) and error is not self.thrown:
            return "out_of_memory", detail
        if error is self.thrown:
            return ("early_exit" if isinstance(error, SystemExit) else "exception"), detail
        return "wrong_answer", detail

    def line_of(self, error):
        """The line of the tests that an exception passed through last."""
        line, trace = 0, error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == "<tests>":
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def conclude(self):
        """The last word."""
        if self.sticky is None and self.failed:
            self.sticky = self.first_failure
        if self.sticky is None and not self.calls:
            self.sticky = "problem", "its tests never call the candidate"
        if self.sticky is None and not self.finished:
            self.sticky = "problem", "its tests finish no assertion"
        if self.sticky is None and select.select([self.replies], [], [], 0)[0]:
            self.sticky = "tampered", "bytes that nobody asked for"
        return self.end(*(self.sticky or ("passed", "")))

    # ---- what instrumented tests call

    def begin(self, line):
        """Before an assertion, when all tests are asked for: whether it is run at all."""
        self.sequence += 1
        if self.sequence - 1 in self.job["skip"]:
            self.note(line, "skipped")
            return False
        self.inside = True
        return True

    def ok(self, line):
        """An assertion held."""
        if self.sticky:
            raise Stop
        self.finished += 1
        self.inside = False
        self.note(line, "passed")

    def not_ok(self, line, error):
        """An assertion failed, and the tests go on."""
        if self.sticky:
            raise Stop
        self.inside = False
        outcome, detail = self.judge_exception(error)
        self.note(line, outcome)
        if not self.failed:
            self.first_failure = outcome, detail
        self.failed += 1

    def note(self, line, outcome):
        """Keep one test's result; pass results on now and then, so that the host can tell where time goes."""
        now = time.monotonic()
        self.tests.append([line, outcome, int((now - self.started) * 1e6)])
        self.started = now
        if now - self.flushed > FLUSH_S:
            self.report({"tests": self.tests})
            self.tests, self.flushed = [], now

    # ---- calls

    def proxy(self):
        """The candidate's function as the tests see it: a plain function of that name."""

        def candidate(*args, **kwargs):
            return self.call(args, kwargs)

        candidate.__name__ = candidate.__qualname__ = self.job["entry"]
        return candidate

    def call(self, args, kwargs):
        """One call: what it returns or raises."""
        if self.sticky:
            raise Stop
        frame = 2 * self.number
        writer = codec.Writer(frame, {id(entry[0]): list(key) for key, entry in self.kept.items()})
        try:
            sent = [writer.items(args), [[k, writer.value(v)] for k, v in kwargs.items()]]
            # after the arguments: both sides count containers in the order of the frame
            changes = [
                [*key, writer.content(x)] for key, (x, text) in self.kept.items() if content_text(x) != text
            ]
            body = codec.dumps([*sent, changes])
        except codec.Rejected as error:
            self.sticky = "problem", f"an argument of its tests cannot be sent: {error}"
            raise Stop from None
        self.calls += 1
        reply = self.exchange(body.encode())
        try:
            raised, value = self.value_of(reply, frame, writer.nodes)
        except codec.HOSTILE as error:
            self.sticky = "rejected_value", f"{type(error).__name__}: {str(error)[:300]}"
            raise Stop from None
        if not raised:
            return value
        if not isinstance(value, Exception):
            outcome = "early_exit" if isinstance(value, SystemExit) else "exception"
            self.sticky = outcome, f"{type(value).__name__}: {str(value)[:300]}"
            self.note(self.calling_line(), outcome)
            raise Stop
        self.thrown = value
        raise value

    def value_of(self, reply, frame, sent):
        """Whether a reply raises, and what it returns or raises; containers are changed as it says."""
        kind = reply[0]
        if kind == "?":
            self.sticky = "output_limit" if len(reply) > 2 else "rejected_value", str(reply[1])
            raise Stop
        if kind not in ("=", "!"):
            raise ValueError("an unknown reply")
        earlier = {(frame, i): x for i, x in enumerate(sent)}
        earlier.update((key, entry[0]) for key, entry in self.kept.items())
        _, value, updates, keep = reply
        changed = [(f, i) for f, i, _ in updates if f == frame]
        if changed:
            self.changed = True
            if not self.job["apply"]:
                # The test keeps its arguments as they were; what the candidate returns shows the change.
                earlier.update((key, copy_of(earlier[key])) for key in changed)
        reader = codec.Reader(frame + 1, lambda *key: earlier[key], self.namespace)
        value = reader.value(value) if kind == "=" else codec.make_exception(reader, value)
        contents = [(earlier[f, i], reader.content(x)) for f, i, x in updates]
        for old, new in contents:
            codec.replace(old, new)
        if keep or self.kept:
            earlier.update(((frame + 1, i), x) for i, x in enumerate(reader.nodes))
            self.kept = {(f, i): [earlier[f, i], content_text(earlier[f, i])] for f, i in keep}
        if kind == "!" and (isinstance(value, Stop) or not isinstance(value, BaseException)):
            raise ValueError("not an exception")
        return kind == "!", value

    def calling_line(self):
        """The line of the tests that is being run."""
        import sys

        frame = sys._getframe(1)
        while frame and frame.f_code.co_filename != "<tests>":
            frame = frame.f_back
        return frame.f_lineno if frame else 0

    def exchange(self, body):
        """One request and its reply."""
        nonce = int.from_bytes(os.urandom(4), "little")  # so that no answer can be sent ahead of its request
        try:
            frames.send(self.requests, nonce, body)
            number, reply = frames.receive(self.replies, self.job["most"] + 65536)
        except frames.Gone:
            self.sticky = "gone", ""
            self.gone_line = self.calling_line()
            raise Stop from None
        except frames.TooLarge:
            self.sticky = "output_limit", "a reply over the limit"
            raise Stop from None
        if number != nonce:
            self.sticky = "tampered", "a reply to another request"
            raise Stop
        self.number += 1
        try:
            return codec.loads(reply.decode("ascii"))
        except codec.HOSTILE as error:
            self.sticky = "rejected_value", f"{type(error).__name__}: {str(error)[:300]}"
            raise Stop from None

    # ---- reports

    def end(self, outcome, detail):
        """The final frame."""
        self.report({
            "tests": self.tests,
            "end": {
                "outcome": outcome,
                "detail": detail[:1000],
                "calls": self.calls,
                "finished": self.finished,
                "changed": self.changed,
                "line": self.gone_line,
                "killed": self.sequence - 1 if self.inside else -1,
                "acting": self.acting,
            },
        })  # fmt: skip

    def report(self, message):
        """One frame to the host."""
        data = codec.dumps(message).encode()
        data = len(data).to_bytes(4, "little") + data
        while data:
            data = data[os.write(self.host, data) :]

    # ---- instrumentation

    def prepare(self):
        """Code of context and tests: as a former judge of this problem made it, or made now.

        What is made is told to the host before the candidate has said a word, so that no candidate can have part in
        the code that judges others.
        """
        given = self.job["code"]
        if given is not None:
            return marshal.loads(binascii.a2b_base64(given))
        tests = self.job["tests"]
        parts = tests["code"] if isinstance(tests["code"], list) else [tests["code"]]
        made = compile_tests(tests["context"], parts, self.job["entry"], self.job["all"])
        if self.job["scan"]:
            self.acting = interprets(tests["context"], *parts)
            self.report({"tests": [], "code": binascii.b2a_base64(marshal.dumps(made)).decode()})
        return made


def compile_tests(context, parts, entry, all_tests):
    """Code of the context (None if the tests can do without it) and of the tests with every assertion counted."""
    import ast

    options = {"dont_inherit": True, "optimize": 0}
    trees = [instrument(part, all_tests) for part in parts]
    try:
        tree = ast.parse(context, "<context>")
    except SyntaxError:
        context += "\n    pass\n"
        tree = ast.parse(context, "<context>")
    used = {node.id for part in trees for node in ast.walk(part) if isinstance(node, ast.Name)}
    needed = not all(can_be_left_out(statement, used - {entry}) for statement in tree.body)
    code = compile(context, "<context>", "exec", **options) if needed else None
    return code, [compile(part, "<tests>", "exec", **options) for part in trees]


def can_be_left_out(statement, used):
    """Whether a statement of the context only binds names that the tests do not use."""
    import ast

    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return not statement.decorator_list and statement.name not in used
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        names = {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        return "*" not in names and not names & used
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class Problem(BaseException):
    """The problem's own fault."""


def raise_problem(reason):
    """Say that the problem, not the candidate, is at fault."""
    raise Problem(reason)


def content_text(x):
    """JSON text of a container's content; what does not cross is told apart by its identity alone."""
    try:
        return codec.dumps(codec.Writer(-1, {}).content(x))
    except codec.HOSTILE:
        return str(id(x))


def copy_of(container):
    """A container of the same type and content, with an identity of its own."""
    import copy

    return copy.copy(container)


def interprets(*sources):
    """A name by which the tests may act on a candidate's value, or None.

    Such tests let a text of the candidate become code, a file or a command where the judge runs: what they say of it
    is weak.
    """
    import ast

    for source in sources:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in ACTING_NAMES:
                return node.id
            if isinstance(node, ast.Attribute) and node.attr in ACTING_ATTRIBUTES:
                return node.attr
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            for module in modules:
                if module.partition(".")[0] not in HARMLESS_MODULES:
                    return module
    return None


ACTING_NAMES = frozenset(
    "eval exec compile open input breakpoint __import__ getattr setattr delattr globals locals vars __builtins__".split()
)
ACTING_ATTRIBUTES = frozenset(
    "__globals__ __subclasses__ __builtins__ __code__ __dict__ f_globals f_locals gi_frame".split()
)
HARMLESS_MODULES = frozenset(
    "__future__ abc array base64 binascii bisect calendar cmath collections contextlib copy dataclasses datetime decimal difflib"
    " enum fractions functools hashlib heapq itertools json keyword math numbers numpy operator pprint random re"
    " statistics string struct textwrap time typing typing_extensions unicodedata xml zlib".split()
)


def instrument(source, all_tests):
    """The tests' syntax tree with a call after each assertion, or, for all tests, with a guard around each.

    An assertion in the body of a `try` with handlers is never guarded: the tests themselves say what follows from its
    failure.
    """
    import ast

    def hook(name, line, *extra):
        call = ast.Call(
            ast.Attribute(ast.Name(HOOK, ast.Load()), name, ast.Load()), [ast.Constant(line), *extra], []
        )
        return call if name == "begin" else ast.Expr(call)

    def counted(node):
        return [node, hook("ok", node.lineno)]

    def guarded(node):
        name = HOOK + "error"
        handler = ast.ExceptHandler(
            ast.Name("Exception", ast.Load()), name, [hook("not_ok", node.lineno, ast.Name(name, ast.Load()))]
        )
        attempt = ast.Try([node], [handler], [hook("ok", node.lineno)], [])
        return [ast.If(hook("begin", node.lineno), [attempt], [])]

    def visit(node, guard):
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            statements = getattr(node, field, None)
            if not isinstance(statements, list):
                continue
            inner = guard and not (isinstance(node, ast.Try) and node.handlers and field == "body")
            new = []
            for statement in statements:
                if isinstance(statement, ast.Assert):
                    new += guarded(statement) if inner else counted(statement)
                else:
                    visit(statement, inner)
                    new.append(statement)
            setattr(node, field, new)

    tree = ast.parse(source, "<tests>")
    visit(tree, all_tests)
    return ast.fix_missing_locations(tree)


def warm_tests():
    """Judge a small program a few times, so that children find caches filled and code specialised."""
    import candidate

    test = "def check(c):\n    for i in range(3):\n        assert c(i, [i]) == [i], 'no'\n        assert c(1, []) == []\n"
    job = {
        "source": "def f(n, x):\n    return list(x)\n",
        "entry": "f",
        "most": 1 << 20,
        "tests": {"code": test, "context": "from typing import List\n", "function": "check"},
        "all": False,
        "apply": True,
        "scan": True,
        "skip": [],
        "code": None,
    }
    made = compile_tests(job["tests"]["context"], [test], "f", False)
    host = os.open(os.devnull, os.O_WRONLY)
    for turn in range(16):
        job["code"] = binascii.b2a_base64(marshal.dumps(made)).decode() if turn > 2 else None
        requests, replies = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(requests[1])
            candidate.play(requests[0], replies[1])
        os.close(requests[0]), os.close(replies[1])
        Judge(codec.loads(codec.dumps(job)), host, requests[1], replies[0]).run()
        os.close(requests[1]), os.close(replies[0])
        os.waitpid(pid, 0)
    os.close(host)
