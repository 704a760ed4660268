"""Prompts with a hole: what each family of models was trained on.

The tokens are those of the families' own papers and model cards: StarCoder (arXiv 2305.06161), Code Llama (arXiv
2308.12950, its prompt PRE, SUF, MID), DeepSeek-Coder (arXiv 2401.14196, prefix, suffix, middle), Qwen2.5-Coder
(arXiv 2409.12186), CodeGemma (arXiv 2406.11409), Codestral (mistral-common: suffix before prefix).
"""

from __future__ import annotations

from typing import NamedTuple

from codejury.model import UsageError


class Family(NamedTuple):
    """How a family of models is asked for what is missing.

    Attributes:
        parts: Texts before the prefix, between the two, and at the end.
        stop: Texts that end an answer and that servers do not take for the end by themselves.
        suffix_first: Whether the suffix stands before the prefix.
    """

    parts: tuple[str, str, str]
    stop: tuple[str, ...] = ()
    suffix_first: bool = False

    def prompt(self, prefix: str, suffix: str) -> str:
        """The whole prompt."""
        one, two = (suffix, prefix) if self.suffix_first else (prefix, suffix)
        before, between, after = self.parts
        return f"{before}{one}{between}{two}{after}"


PARAMETER = "suffix"
"""The family that is asked by a parameter of the request: the server knows the tokens."""

FAMILIES = {
    "starcoder": Family(("<fim_prefix>", "<fim_suffix>", "<fim_middle>")),
    "codellama": Family(("<PRE> ", " <SUF>", " <MID>"), stop=("<EOT>",)),
    "deepseek": Family(("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>")),  # noqa: RUF001 - the tokens' own bars
    "qwen": Family(("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"), stop=("<|fim_pad|>", "<|file_sep|>")),
    "codegemma": Family(("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"), stop=("<|file_separator|>",)),
    "codestral": Family(("[SUFFIX]", "[PREFIX]", ""), suffix_first=True),
}

_BY_NAME = {
    "codegemma": "codegemma",
    "starcoder": "starcoder",
    "stable-code": "starcoder",
    "codellama": "codellama",
    "code-llama": "codellama",
    "deepseek": "deepseek",
    "qwen": "qwen",
    "codestral": PARAMETER,
}


def family_of(name: str, model: str) -> str:
    """The family of a model.

    Args:
        name: Of `FAMILIES`, `PARAMETER`, or "auto" to tell it by the model's name.
        model: The model's name.

    Raises:
        UsageError: There is no such family, or the name does not tell it.
    """
    known = ", ".join((*FAMILIES, PARAMETER))
    if name != "auto":
        if name not in {*FAMILIES, PARAMETER}:
            raise UsageError(f"--fim {name!r}: take one of {known}")
        return name
    for part, family in _BY_NAME.items():
        if part in model.lower():
            return family
    raise UsageError(
        f"--model {model!r}: the name does not tell its tokens for a hole; name them by --fim: {known}"
    )
