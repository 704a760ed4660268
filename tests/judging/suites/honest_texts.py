"""Right answers that work on text, bytes and data formats with the standard library.

Each case is a problem of its own: arguments, the value that is expected, the program. A judge fails them by hiding
a module, by a locale without UTF-8, or by losing bytes or the order of a dict on the way.
"""

from __future__ import annotations

from .case import Case, answers

_CALLS: tuple[tuple[str, str, str, str], ...] = (
    (
        "hashlib",
        "'abc'",
        "('900150983cd24fb0d6963f7d28e17f72', 32, 'e3b0c44298fc1c14')",
        """
        import hashlib

        def f(s):
            empty = hashlib.sha256(b'')
            return hashlib.md5(s.encode()).hexdigest(), len(empty.digest()), empty.hexdigest()[:16]
        """,
    ),
    (
        "base64-and-zlib",
        "b'aaaaaaaaaa'",
        "(b'YWFhYWFhYWFhYQ==', 1276235248, b'aaaaaaaaaa')",
        """
        import base64, zlib

        def f(b):
            return base64.b64encode(b), zlib.crc32(b), zlib.decompress(zlib.compress(b))
        """,
    ),
    (
        "struct",
        "258",
        "(b'\\x01\\x02', (1,))",
        r"""
        import struct

        def f(n):
            return struct.pack('>H', n), struct.unpack('<I', b'\1\0\0\0')
        """,
    ),
    (
        "memoryview",
        "b'abcd'",
        "b'zc'",
        """
        def f(b):
            view = memoryview(bytearray(b))
            view[0] = 122
            return bytes(view[::2])
        """,
    ),
    (
        "string-template",
        "'Ann'",
        "'hi Annab'",
        """
        from string import Template, ascii_lowercase

        def f(n):
            return Template('hi $n').substitute(n=n) + ascii_lowercase[:2]
        """,
    ),
    (
        "textwrap",
        "'a bb ccc dddd'",
        "(['a bb', 'ccc', 'dddd'], 'a')",
        """
        import textwrap

        def f(s):
            return textwrap.wrap(s, 6), textwrap.dedent('  a')
        """,
    ),
    (
        "regular-expressions",
        "'a1b22'",
        "(['1', '22'], '_1_22')",
        r"""
        import re

        def f(s):
            return re.findall(r'\d+', s), re.sub('[a-z]', '_', s)
        """,
    ),
    (
        "json",
        "{'b': [1, None]}",
        "('{\"b\": [1, null]}', [1000.0])",
        """
        import json

        def f(x):
            return json.dumps(x, sort_keys=True), json.loads('[1e3]')
        """,
    ),
    (
        "csv",
        "'a,b\\n1,\"2,3\"\\n'",
        "[{'a': '1', 'b': '2,3'}]",
        """
        import csv, io

        def f(s):
            return [dict(r) for r in csv.DictReader(io.StringIO(s))]
        """,
    ),
    (
        "ast",
        "'1 + 2'",
        "([1], '1 + 2')",
        """
        import ast

        def f(s):
            return ast.literal_eval('[1]'), ast.unparse(ast.parse(s))
        """,
    ),
    (
        "xml",
        "'<a><b>1</b></a>'",
        "['1']",
        """
        import xml.etree.ElementTree as ET

        def f(s):
            return [b.text for b in ET.fromstring(s)]
        """,
    ),
    (
        "html",
        "'<b>'",
        "('&lt;b&gt;', '&')",
        """
        import html

        def f(s):
            return html.escape(s), html.unescape('&amp;')
        """,
    ),
    (
        "urllib-parse",
        "'http://a/b?c=1'",
        "('c=1', '%C3%A9')",
        """
        from urllib.parse import urlparse, quote

        def f(u):
            return urlparse(u).query, quote('é')
        """,
    ),
    (
        "ipaddress",
        "'10.0.0.0/30'",
        "['10.0.0.1', '10.0.0.2']",
        """
        import ipaddress

        def f(s):
            return [str(a) for a in ipaddress.ip_network(s).hosts()]
        """,
    ),
    (
        "uuid",
        "'a'",
        "('4f3f2898-69e3-5a0d-820a-c4e87987dbce', 36)",
        """
        import uuid

        def f(s):
            return str(uuid.uuid5(uuid.NAMESPACE_DNS, s)), len(str(uuid.uuid4()))
        """,
    ),
    (
        "text-of-1-mb",
        "1_000_000",
        "'ab' * 500_000",
        """
        def f(n):
            return 'ab' * (n // 2)
        """,
    ),
    (
        "list-of-100000",
        "100_000",
        "list(range(99_999, -1, -1))",
        """
        def f(n):
            return list(range(n))[::-1]
        """,
    ),
    (
        "unicode-data",
        "'\xe9'",
        "('LATIN SMALL LETTER E WITH ACUTE', 'e\u0301', '\xc9', 'ss')",
        """
        import unicodedata

        def f(c):
            return unicodedata.name(c), unicodedata.normalize('NFD', c), c.upper(), 'ß'.casefold()
        """,
    ),
    (
        "bytes-methods",
        "b'aXb'",
        "([b'a', b'b'], '615862', bytearray(b'bXa'), 2)",
        """
        def f(b):
            return b.split(b'X'), b.hex(), bytearray(b)[::-1], b.find(b'b')
        """,
    ),
    (
        "dict-order",
        "'hello'",
        "[('h', 1), ('e', 1), ('l', 2), ('o', 1)]",
        """
        def f(s):
            d = {}
            for c in s:
                d[c] = d.pop(c, 0) + 1
            return list(d.items())
        """,
    ),
    (
        "copying",
        "[[1], 2]",
        "([[1], 2], [[1, 9], 2])",
        """
        import copy

        def f(xs):
            deep = copy.deepcopy(xs)
            deep[0].append(9)
            return copy.copy(xs), deep
        """,
    ),
    (
        "pretty-printing",
        "{'a': [1]}",
        "(\"{'a': [1]}\", \"'xxxxxxxxxxxx...xxxxxxxxxxxxx'\")",
        """
        import pprint, reprlib

        def f(x):
            return pprint.pformat(x), reprlib.repr('x' * 100)
        """,
    ),
    (
        "compression",
        "b'aaaa' * 100",
        "True",
        """
        import bz2, gzip, lzma

        def f(b):
            return all(m.decompress(m.compress(b)) == b for m in (bz2, gzip, lzma))
        """,
    ),
    (
        "difflib",
        "'apple'",
        "['apples', 'ape']",
        """
        import difflib

        def f(s):
            return difflib.get_close_matches(s, ['ape', 'apples', 'peach'])
        """,
    ),
    (
        "shlex-and-fnmatch",
        "'a \"b c\"'",
        "(['a', 'b c'], ['a.py'])",
        """
        import fnmatch, shlex

        def f(s):
            return shlex.split(s), fnmatch.filter(['a.py', 'b'], '*.py')
        """,
    ),
    (
        "singledispatch",
        "2",
        "'int'",
        """
        from functools import singledispatch

        @singledispatch
        def f(x):
            return 'other'

        @f.register
        def _(x: int):
            return 'int'
        """,
    ),
)

CASES: tuple[Case, ...] = answers(_CALLS)
