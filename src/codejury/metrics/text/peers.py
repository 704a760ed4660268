"""What peers make of a pair before they compare it, and how they compare: their rules, faults included.

Read in November 2026: amazon-science/cceval (scripts/eval_metric.py, eval_utils.py), Leolty/repobench
(evaluation/metrics.py), microsoft/CodeXGLUE (CodeCompletion-line/evaluator), JetBrains-Research/lca-baselines
(project_level_code_completion/eval/line_generators.py), QwenLM/Qwen2.5-Coder (fim-bench/eval_metric.py).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from codejury.metrics.text.edits import levenshtein_similarity
from codejury.metrics.text.words import CROSSCODEEVAL
from codejury.model import UsageError

if TYPE_CHECKING:
    from tree_sitter import Parser

_STRING = re.compile(r"\"([^\"\\]*(\\.[^\"\\]*)*)\"|'([^'\\]*(\\.[^'\\]*)*)'")
_ASCII_START = re.compile(r"[_a-zA-Z]")
_LITERAL = re.compile(r"<(STR|NUM|CHAR)_LIT:(.*?)>", re.DOTALL)
_BARE = {"<NUM_LIT>": "0", "<STR_LIT>": "", "<CHAR_LIT>": ""}
_ANY_LITERAL = re.compile(r"<(?:STR|NUM|CHAR)_LIT>|<(?:STR|NUM|CHAR)_LIT:(.*?)>", re.DOTALL)


def cceval_prediction(prompt: str, completion: str, language: str) -> str:
    """The statement that CrossCodeEval scores, with its comments.

    Python: up to the first newline before which prompt and text parse without an ERROR node.
    Others: up to the first of `;`, `{` and `}`, unless that is the first character.
    """
    if language == "python":
        return _first_that_parses(prompt, completion)
    at = next((at for at, char in enumerate(completion) if char in ";{}"), 0)
    return completion[: at + 1] if at else completion


def cceval_without_comments(code: str) -> str:
    """`#` and `//` to the end of the line are removed, in every language and in strings."""
    # one after the other, as there: what the first leaves of a line the second may still cut
    return re.sub(r"//.*", "", re.sub(r"#.*", "", code))


def cceval_lines(code: str) -> list[str]:
    """Stripped lines that are not empty."""
    return [line.strip() for line in code.split("\n") if line.strip()]


def cceval_identifiers(code: str, language: str) -> list[str]:
    r"""Words of `\w+` that begin with an ASCII letter or `_`, outside of what looks like a string."""
    keywords = CROSSCODEEVAL[language]
    words = re.findall(r"\w+", _STRING.sub("", code))
    return [word for word in words if _ASCII_START.match(word) and word not in keywords]


def codexglue_text(code: str) -> str:
    """Literals put back: `<STR_LIT:x>` is x, bare ones 0 or nothing. What is put back may be replaced again."""
    for mark, value in _BARE.items():
        code = code.replace(mark, value)
    for kind, value in _LITERAL.findall(code):
        code = code.replace(f"<{kind}_LIT:{value}>", value)
    return code


def literals_back(code: str) -> str:
    """The same in one pass: what is put back stays."""
    return _ANY_LITERAL.sub(lambda match: _BARE.get(match[0], match[1] or ""), code)


def lca_line(prediction: str) -> str:
    """The first line after leading newlines."""
    return prediction.strip("\n").split("\n")[0]


def qwen_prediction(prediction: str, reference: str) -> str:
    """As many non-empty lines as the reference has."""
    count = sum(1 for line in reference.split("\n") if line.strip())
    return "\n".join([line for line in prediction.split("\n") if line.strip()][:count])


def qwen_tokens(code: str) -> list[str]:
    """Punctuation apart, camelCase split, quotes alike."""
    code = re.sub(r"([^A-Za-z0-9_])", r" \1 ", code)
    code = re.sub(r"([a-z])([A-Z])", r"\1 \2", code)
    code = re.sub(r"\s+", " ", code).replace('"', "`").replace("'", "`")
    return [token for token in code.split(" ") if token]


def qwen_repoeval(prediction: str, reference: str) -> float:
    """`edit.levenshtein` of stripped texts; 0 where both are empty."""
    one, other = prediction.strip(), reference.strip()
    return levenshtein_similarity(one, other) if one or other else 0.0


def _first_that_parses(prompt: str, completion: str) -> str:
    parser = _python()
    try:
        body = prompt.encode()
        for match in re.finditer("\n", completion):
            end = match.start()
            if end and _parses(parser, body + completion[:end].encode()):
                return completion[:end].rstrip()
    except UnicodeEncodeError:  # the peer keeps all where an exception ends its search
        pass
    return completion


def _parses(parser: Parser, code: bytes) -> bool:
    tree = parser.parse(code)  # kept: a node does not keep its tree
    below = [tree.root_node]
    while below:
        node = below.pop()
        if node.type == "ERROR":
            return False
        if node.has_error:
            below += node.children
    return True


@lru_cache(maxsize=1)
def _python() -> Parser:
    try:
        import tree_sitter_python  # noqa: PLC0415 - an extra, which only this preset needs
        from tree_sitter import Language, Parser  # noqa: PLC0415 - the same
    except ImportError:
        raise UsageError(
            "the preset crosscodeeval needs tree-sitter: install it with pip install 'codejury[completion]'"
        ) from None
    return Parser(Language(tree_sitter_python.language()))
