r"""Comments, strings and tokens of a completion, found in the context of what stands before it.

A scanner of regular expressions, one row a language, knows the forms of comments and strings: it finds `//` in
Python to be a division, and `#` in a string to be text. It does not know: heredocs, `%` literals of Ruby, and code
within interpolated strings, which counts as string. Scanning takes time linear in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from codejury.metrics.text.words import KEYWORDS

_ALIASES = {
    alias: name
    for name, aliases in {
        "python": "py python3",
        "javascript": "js jsx mjs cjs",
        "typescript": "ts mts cts tsx typescriptreact",
        "go": "golang",
        "rust": "rs",
        "c": "h",
        "cpp": "c++ cc cxx hpp hh",
        "c-sharp": "c# cs csharp c_sharp",
        "ruby": "rb",
        "php": "php8",
        "kotlin": "kt kts",
        "bash": "sh shell zsh",
    }.items()
    for alias in aliases.split()
}
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    r"[^\W\d]\w*"
    r"|\.?\d(?:[eEpP][+-]|[\w.])*"
    r"|>>>=|<<=|>>=|\*\*=|//=|\.\.\.|===|!==|\?\?=|&&=|\|\|=|>>>|<=>"
    r"|->|=>|==|!=|<=|>=|&&|\|\||<<|>>|\+\+|--|\*\*|//|::|:=|\?\?|\?\.|<-|\.\.|[-+*/%&|^]="
    r"|\S"
)

# what closes a string, or the end of the text where nothing does; quotes of one line end with it
_TEXT = r"(?:[^{q}\\\n]|\\(?:\r\n|[\s\S]))*(?:{q}|(?=\n)|\Z)"
_DOUBLE, _SINGLE = '"' + _TEXT.format(q='"'), "'" + _TEXT.format(q="'")
_BACKTICK = r"`(?:[^`\\]|\\[\s\S])*(?:`|\Z)"
_TRIPLE = r'"""(?:[^\\]|\\[\s\S])*?(?:"""|\Z)'
_SLASHES = r"//(?:[^\n\\]|\\(?:\r\n|[\s\S]))*"
_SLASHES_PLAIN = r"//[^\n]*"
_BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
_HASH = r"\#[^\n]*"
_CHAR = r"(?<![0-9a-fA-F])'" + _TEXT.format(q="'")
_REGEX = r"(?<=[(,=:\[!&|?{};+\n])[ \t]*/(?![/*])(?:[^/\\\n\[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/[a-z]*"
_RAW_RUST = r'\bb?r(?P<hashes>\#*)"[\s\S]*?(?:"(?P=hashes)|\Z)'
_RAW_CPP = r'\b(?:u8|[uUL])?R"(?P<bounds>[^()\\\s]{0,16})\([\s\S]*?(?:\)(?P=bounds)"|\Z)'
_VERBATIM = r'(?:@\$?|\$@)"(?:[^"]|"")*(?:"|\Z)'

_FORMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "python": (
        (_HASH,),
        (
            r"(?:\b[rRbBfFuUtT]{1,2})?(?:" + _TRIPLE + "|" + _TRIPLE.replace('"', "'") + ")",
            r"(?:\b[rRbBfFuUtT]{1,2})?(?:" + _DOUBLE + "|" + _SINGLE + ")",
        ),
    ),
    "javascript": ((_SLASHES_PLAIN, _BLOCK), (_DOUBLE, _SINGLE, _BACKTICK, _REGEX)),
    "typescript": ((_SLASHES_PLAIN, _BLOCK), (_DOUBLE, _SINGLE, _BACKTICK, _REGEX)),
    "java": ((_SLASHES_PLAIN, _BLOCK), (_TRIPLE, _DOUBLE, _SINGLE)),
    "go": ((_SLASHES_PLAIN, _BLOCK), (_DOUBLE, _SINGLE, r"`[^`]*(?:`|\Z)")),
    "rust": ((_SLASHES_PLAIN, _BLOCK), (_RAW_RUST, r"b?" + _DOUBLE, r"b?'(?:[^'\\\n]|\\[^\n][^'\n]*)'")),
    "c": ((_SLASHES, _BLOCK), (_DOUBLE, _CHAR)),
    "cpp": ((_SLASHES, _BLOCK), (_RAW_CPP, _DOUBLE, _CHAR)),
    "c-sharp": ((_SLASHES_PLAIN, _BLOCK), (r'\$*"""[\s\S]*?(?:"""|\Z)', _VERBATIM, r"\$?" + _DOUBLE, _SINGLE)),
    "ruby": ((r"(?m:^)=begin\b[\s\S]*?(?:(?m:^)=end\b[^\n]*|\Z)", _HASH), (_DOUBLE, _SINGLE, _BACKTICK)),
    "php": ((_SLASHES_PLAIN, r"\#(?!\[)[^\n]*", _BLOCK), (_DOUBLE.replace(r"\\\n]", r"\\]"), _SINGLE)),
    "kotlin": ((_SLASHES_PLAIN, _BLOCK), (r'"""[\s\S]*?(?:"""+|\Z)', _DOUBLE, _SINGLE)),
    "bash": (
        (r"(?<![^\s;&|()])\#[^\n]*",),
        (r'\$?"(?:[^"\\]|\\[\s\S])*(?:"|\Z)', r"\$'(?:[^'\\]|\\[\s\S])*(?:'|\Z)", r"'[^']*(?:'|\Z)"),
    ),
}
_NESTED = frozenset(("rust", "kotlin"))
_NEST = re.compile(r"/\*|\*/")

LANGUAGES = tuple(_FORMS)
"""What comments, strings and keywords are known of."""


class Span(NamedTuple):
    """A comment or a string: text[start:end]."""

    start: int
    end: int
    comment: bool


def language_name(language: str) -> str | None:
    """The name that the tables here have for a language, as "c-sharp" for "C#"; None where it is not known."""
    name = language.strip().lower()
    name = _ALIASES.get(name, name)
    return name if name in _FORMS else None


def lines(text: str) -> list[str]:
    """The lines of a text, whose ends are those of files: LF, CRLF or CR, also mixed."""
    return _LINE_ENDS.split(text)


def spans(text: str, language: str) -> list[Span]:
    """The comments and strings of a text that begins outside of both.

    Args:
        text: Source code.
        language: One of `LANGUAGES`.
    """
    found: list[Span] = []
    pattern = _pattern(language)
    at = 0
    while match := pattern.search(text, at):
        at = match.end()
        comment = match.lastgroup == "comment"
        if comment and language in _NESTED and match[0].startswith("/*"):
            at = _nested_end(text, match.start())
        found.append(Span(match.start(), at, comment))
    return found


def without(text: str, language: str, *, before: str = "", strings: bool = False) -> str:
    """A completion without its comments, each a space; and without its strings, where that is asked for.

    Args:
        text: The completion.
        language: One of `LANGUAGES`.
        before: What stands before the completion, which may begin within a comment or a string.
        strings: Whether strings go as well.
    """
    head = before[_restart(before, language) :]
    parts, at = [], len(head)
    for span in spans(head + text, language):
        if span.end > at and (span.comment or strings):
            parts.append(text[at - len(head) : max(0, span.start - len(head))])
            parts.append(" ")
            at = span.end
    parts.append(text[at - len(head) :])
    return "".join(parts)


@lru_cache(maxsize=16)  # a pair's two sides, for each of its metrics
def identifiers(text: str, language: str, *, before: str = "") -> tuple[str, ...]:
    """The identifiers of a completion in their order: no keywords, and none of comments and strings."""
    reserved = KEYWORDS[language]
    words = _IDENTIFIER.findall(without(text, language, before=before, strings=True))
    return tuple(word for word in words if word not in reserved)


def code_tokens(text: str, language: str, *, before: str = "") -> list[str]:
    """The tokens of a completion: words, numbers, operators, each string as one; no comments."""
    head = before[_restart(before, language) :]
    tokens: list[str] = []
    at = len(head)
    whole = head + text
    for span in spans(whole, language):
        if span.end <= at:
            continue
        tokens += _TOKEN.findall(whole, at, max(at, span.start))
        if not span.comment:
            tokens.append(whole[max(at, span.start) : span.end])
        at = span.end
    return tokens + _TOKEN.findall(whole, at)


@lru_cache(maxsize=64)
def _restart(before: str, language: str) -> int:
    """From where a scan must begin so that it comes out behind `before` as a scan of all would."""
    if not before:
        return 0
    found = spans(before, language)
    # the last line: what makes a comment or string of the next characters may stand in it
    line = max(before.rfind("\n"), before.rfind("\r")) + 1
    for span in reversed(found):
        if span.end < line:
            break
        line = min(line, span.start)
    return line


@lru_cache
def _pattern(language: str) -> re.Pattern[str]:
    comments, strings = _FORMS[language]
    return re.compile(f"(?P<comment>{'|'.join(comments)})|(?P<string>{'|'.join(strings)})")


def _nested_end(text: str, start: int) -> int:
    depth = 0
    for match in _NEST.finditer(text, start):
        depth += 1 if match[0] == "/*" else -1
        if not depth:
            return match.end()
    return len(text)
