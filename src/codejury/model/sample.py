"""Samples: independent answers of a model, and the programs that are made of them."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec


class Sample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One independent answer of a model to one problem.

    Attributes:
        problem_id: The problem that it answers.
        index: 0-based among the samples of this problem, in the order of the file.
        text: The raw text of the answer, unchanged.
        kind: "completion" continues the prompt, "solution" is a whole program, "chat" is an answer in prose and
            code, of which a rule of `extract` takes the code.
        finish_reason: Why the model stopped, as the server said it.
        prompt_tokens, completion_tokens, cost_usd: Where they are known.
        latency_s: Seconds from the request to the whole answer, where they are known.
    """

    problem_id: str
    index: int
    text: str
    kind: Literal["completion", "solution", "chat"] = "completion"
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None

    @property
    def id(self) -> str:
        """`problem_id#index`, the key of the sample within its run."""
        return f"{self.problem_id}#{self.index}"


class Program(msgspec.Struct, frozen=True):
    """The code of a sample that is run, and the rule that made it of the raw text.

    Attributes:
        source: The whole program.
        rule: Name of the extraction rule.
        flags: What the rule had to do or could not do, as "thinking", "cut-off", "trimmed"; docs/extraction.md has
            them all.
    """

    source: str
    rule: str
    flags: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 of the source's bytes, in hex."""
        return text_hash(self.source)


def text_hash(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hex; lone surrogates are kept apart, not replaced."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
