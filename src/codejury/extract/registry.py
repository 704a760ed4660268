"""The rules by which a program is made of an answer, by name. A further one is a function and a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codejury.extract.chat import answer_of, program_in_chat
from codejury.extract.fences import Block, blocks
from codejury.extract.languages import named
from codejury.model import Program, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.model import Problem, Sample

STOP = ("\nclass", "\ndef", "\n#", "\n@", "\nif", "\nprint", "\n```", "<|endoftext|>", "<file_sep>")
"""Where a base model's completion ends unless its set says otherwise: the words of the Codex paper (Chen et al.
2021, section 2.3), and what later harnesses added."""


@dataclass(frozen=True)
class Extractor:
    """A rule by which programs are made of answers.

    Attributes:
        name: By which it is asked for.
        version: Raised when it makes another program of any answer.
        description: One line.
        make: The rule.
    """

    name: str
    version: int
    description: str
    make: Callable[[Problem, Sample], Program]

    @property
    def label(self) -> str:
        """Name and version, as manifests have it."""
        return f"{self.name} {self.version}"


def extractor(name: str) -> Extractor:
    """The extractor of a name.

    Raises:
        UsageError: There is none.
    """
    try:
        return EXTRACTORS[name]
    except KeyError:
        raise UsageError(
            f"extractor {name!r}: there is none of this name; take of {', '.join(EXTRACTORS)}"
        ) from None


def _auto(problem: Problem, sample: Sample) -> Program:
    return program_in_chat(problem, sample.text) if sample.kind == "chat" else _raw(problem, sample)


def _chat(problem: Problem, sample: Sample) -> Program:
    return program_in_chat(problem, sample.text)


def _raw(problem: Problem, sample: Sample) -> Program:
    if sample.kind != "completion":
        return Program(sample.text, "solution" if sample.kind == "solution" else "raw")
    return Program(problem.prompt + sample.text + problem.suffix, "completion")


def _stop(problem: Problem, sample: Sample) -> Program:
    text = sample.text
    places = (place for word in problem.stop or STOP if (place := text.find(word)) >= 0)
    kept = text[: min(places, default=len(text))]
    if sample.kind != "completion":
        return Program(kept, "stop")
    return Program(problem.prompt + kept + problem.suffix, "stop")


def _first(problem: Problem, sample: Sample) -> Program:
    return _fence(problem, sample, lambda found: found[0])


def _last(problem: Problem, sample: Sample) -> Program:
    return _fence(problem, sample, lambda found: found[-1])


def _longest(problem: Problem, sample: Sample) -> Program:
    return _fence(problem, sample, lambda found: max(found, key=lambda block: len(block.text)))


def _fence(problem: Problem, sample: Sample, choose: Callable[[list[Block]], Block]) -> Program:
    """A block of the problem's language, else one without a language, else the whole answer."""
    text, flags = answer_of(sample.text)
    found = [block for block in blocks(text) if block.text.strip()]
    language = named(problem.language)
    right = [block for block in found if block.language == language]
    right = right or [block for block in found if not block.language]
    if not right:
        return Program(text, "no-fence", flags)
    block = choose(right)
    return Program(block.text, "fence", flags if block.closed else (*flags, "cut-off"))


EXTRACTORS = {
    each.name: each
    for each in (
        Extractor("auto", 1, "completions and solutions to the byte, chat answers as by 'chat'", _auto),
        Extractor(
            "chat", 1, "the last block that defines the entry point, with what it needs, without demos", _chat
        ),
        Extractor("raw", 1, "every answer to the byte; a completion joined to its prompt", _raw),
        Extractor("stop", 1, "the answer up to the first stop word; a completion joined to its prompt", _stop),
        Extractor("first-fence", 1, "the first block of the language as it is", _first),
        Extractor("last-fence", 1, "the last block of the language as it is", _last),
        Extractor("longest-fence", 1, "the longest block of the language as it is", _longest),
    )
}
"""All extractors by name."""
