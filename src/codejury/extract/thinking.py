"""What a model thought aloud before its answer is no answer."""

from __future__ import annotations

import re

_WORDS = r"think|thinking|thought|thoughts|reasoning|reason|reflection|scratchpad|analysis|seed:think|internal"
_OPEN = rf"<(?:{_WORDS})>|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|start_of_thought\|>|<\|begin_of_thinking\|>"
_OPEN += r"|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<\n]{0,80}<\|message\|>"
_CLOSE = rf"</(?:{_WORDS})>|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|end_of_thinking\|>"
_CLOSE += r"|<\|channel\|>final[^<\n]{0,80}<\|message\|>"

# A tag in quotes is spoken of, as in `text.replace("</think>", "")`.
_TAG = re.compile(
    rf"(?P<open>(?:^|(?<=\n))[ \t]{{0,16}}(?:{_OPEN}))"
    rf"|(?P<close>(?<![\"'`\w\\(])(?:{_CLOSE})(?!(?:[\"']|`(?!``))))"
    r"|(?P<glued>(?<=\w)(?:" + _CLOSE + r")(?=[ \t]*\n|[ \t]*\Z|```))"
    r"|(?P<fence>(?:^|(?<=\n))[ \t]{0,16}(?:`{3,}|~{3,}))",
    re.IGNORECASE,
)

# What surrounds an answer: tokens of a chat's template, and the tags that some prompts ask for.
_TOKENS: tuple[str, ...] = (
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<|return|>",
)
_TOKENS += ("</s>", "<｜end▁of▁sentence｜>", "<eos>", "<end_of_turn>", "<|EOT|>", "<|file_separator|>")  # noqa: RUF001 - as DeepSeek writes it


def without_thinking(text: str) -> tuple[str, tuple[str, ...]]:
    """The answer alone, and what was cut: "thinking", "thinking-cut-off" where it never ended.

    A block begins with a tag at the beginning of a line, outside of a fence. It ends with the next closing tag,
    whatever its name, or with the text. A closing tag without an opening one ends a block that began before the
    text: many servers cut the first tag off.
    """
    tags = list(_TAG.finditer(text))
    start, position = _begun_before(tags), 0
    flags: list[str] = ["thinking"] if start else []
    kept: list[str] = []
    begin = start  # of what is kept next
    fence, opened = "", -1
    for tag in tags:
        if tag.start() < start or tag.start() < position:
            continue
        kind = tag.lastgroup
        if opened >= 0:
            if kind in ("close", "glued"):
                begin, opened, position = tag.end(), -1, tag.end()
        elif kind == "fence":
            fence = _after(fence, tag[0].strip(), text, tag.end())
        elif fence:
            continue
        elif kind == "open":
            kept.append(text[begin : tag.start()])
            opened = tag.start()
            flags.append("thinking")
        else:  # nothing is open: all before it was thinking
            kept.clear()
            begin = tag.end()
            flags.append("thinking")
    if opened >= 0:
        flags.append("thinking-cut-off")
    else:
        kept.append(text[begin:])
    return "".join(kept), tuple(dict.fromkeys(flags))


def without_tokens(text: str) -> str:
    """The text without the special tokens at its end."""
    end = kept = len(text)
    while True:
        while end and text[end - 1].isspace():
            end -= 1
        found = next((token for token in _TOKENS if text.endswith(token, 0, end)), None)
        if found is None:
            return text[:kept]
        end = kept = end - len(found)


def _begun_before(tags: list[re.Match[str]]) -> int:
    """Where a block ends that began before the text; 0 where there is none."""
    for tag in tags:
        if tag.lastgroup == "open":
            return 0
        if tag.lastgroup in ("close", "glued"):
            return tag.end()
    return 0


def _after(fence: str, run: str, text: str, end: int) -> str:
    """The fence that is open after a run of backticks or tildes; "" for none."""
    if not fence:
        return run
    rest = text[end : text.find("\n", end) if "\n" in text[end : end + 80] else end + 80]
    return "" if run.startswith(fence) and not rest.strip() else fence
