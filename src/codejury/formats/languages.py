"""Programming languages by the names that problem sets have for them."""

from __future__ import annotations

from pathlib import PurePosixPath

NAMES = {
    "adb": "ada",
    "clj": "clojure",
    "cs": "csharp",
    "c#": "csharp",
    "c++": "cpp",
    "d": "d",
    "ex": "elixir",
    "go_test.go": "go",
    "golang": "go",
    "hs": "haskell",
    "jl": "julia",
    "js": "javascript",
    "kt": "kotlin",
    "ml": "ocaml",
    "pl": "perl",
    "py": "python",
    "python3": "python",
    "rb": "ruby",
    "rkt": "racket",
    "rs": "rust",
    "sh": "bash",
    "ts": "typescript",
}
"""Lower-case names of codejury by other names and by endings of files; what is not here stays as it is."""


def language(name: str) -> str:
    """The name that codejury has for a language."""
    lower = name.lower()
    return NAMES.get(lower, lower)


def language_of_file(path: str) -> str:
    """The language of a file by the ending of its name; "text" where it has none."""
    return language(PurePosixPath(path).suffix.removeprefix(".") or "text")
