"""Names of languages as fences have them."""

from __future__ import annotations

import re

_NAMES = """
python: py python2 python3 py2 py3 ipython ipython3 cpython pypy pypy3 pyi
javascript: js node nodejs jsx mjs ecmascript
typescript: ts tsx
java: jdk
c: h
cpp: c++ cc cxx hpp
csharp: c# cs
d: dlang
dart:
elixir: ex exs
go: golang
haskell: hs
julia: jl
kotlin: kt kts
lua:
ocaml: ml
perl: pl
php:
r:
racket: rkt
ruby: rb
rust: rs
scala:
swift:
bash: sh shell zsh
clojure: clj
sql: sqlite postgresql mysql
css: scss
html: xml
json: jsonc json5 jsonl
yaml: yml
toml: ini cfg
diff: patch
markdown: md
text: txt plaintext plain output console terminal stdout stdin log pycon doctest none mermaid latex csv dockerfile
"""

_CANONICAL = {
    alias: name.strip()
    for name, _, aliases in (line.partition(":") for line in _NAMES.strip().splitlines())
    for alias in (name.strip(), *aliases.split())
}

_TOKEN = re.compile(r"[^\s,:;={}()\[\]`]+")
_LONGEST = 200  # of an info string that names a language


def language_of(info: str) -> str:
    """The language that a fence's info string names, by its usual name; "" where it names none that is known.

    Read are `python`, `Python3`, `{.python}`, `python title="x"`, `python:solve.py`, `lang-python`, `solve.py`.
    """
    found = _TOKEN.search(info[:_LONGEST])
    if found is None:
        return ""
    token = found[0].lower().strip(".\"'*")
    for name in (token, token.removeprefix("lang-").removeprefix("language-"), token.rpartition(".")[2]):
        if name in _CANONICAL:
            return _CANONICAL[name]
    return ""


def named(language: str) -> str:
    """A problem's language by its usual name; as it is where it is not known."""
    return _CANONICAL.get(language.strip().lower(), language.strip().lower())
