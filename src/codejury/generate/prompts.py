"""What a problem's request says, by mode and template, and the hash that tells two ways of asking apart."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from codejury.generate.fim import FAMILIES, PARAMETER, family_of
from codejury.model import StdinStdout, UsageError

if TYPE_CHECKING:
    from codejury.generate.settings import AskSettings
    from codejury.model import Problem

_ANSWER = "Answer with the whole code, imports included, in one code block."

TEMPLATES = {
    "instruction": f"{{prompt}}\n\n{_ANSWER}",
    "complete": f"Complete this {{language}} code. {_ANSWER}\n\n```{{fence}}\n{{prompt}}\n```",
    "infill": (
        "This {language} code misses a part between its two blocks. Write the missing part."
        f" {_ANSWER}\n\nBefore:\n\n```{{fence}}\n{{prompt}}\n```\n\nAfter:\n\n```{{fence}}\n{{suffix}}\n```"
    ),
    "function": f"{{prompt}}\n\nWrite a {{language}} function named `{{entry_point}}`. {_ANSWER}",
    "program": (
        "{prompt}\n\nWrite a {language} program that reads standard input and writes its answer to standard"
        f" output. {_ANSWER}"
    ),
}
"""codejury's own messages, by the form of the problem."""

_LANGUAGES = {
    "cpp": "C++",
    "csharp": "C#",
    "go": "Go",
    "javascript": "JavaScript",
    "php": "PHP",
    "typescript": "TypeScript",
}
_PLACE = re.compile(r"\{(prompt|suffix|language|fence|entry_point)\}")


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """One problem, as it is put to a model.

    Attributes:
        body: Fields of the request that say it.
        kind: Of the samples that answer it.
        size: Bytes of its text.
    """

    body: dict[str, Any]
    kind: Literal["chat", "completion"]
    size: int


class Prompter:
    """Makes the requests' texts.

    Args:
        settings: Mode, template, system message, family and stop words.

    Attributes:
        stop: Stop words, those of the family included.
        template: Name of the template.
        hash: SHA-256 of mode, templates, system message and stop words, in hex. Problems have no part in it.

    Raises:
        UsageError: The template has no place for the problem, or the model's family is not known.
    """

    def __init__(self, settings: AskSettings) -> None:
        self.settings = settings
        self.stop = settings.stop
        texts: object
        if settings.mode == "chat":
            self.template = "codejury" if settings.template is None else settings.template_name
            texts = TEMPLATES if settings.template is None else settings.template
            if settings.template is not None and "{prompt}" not in settings.template:
                raise UsageError(
                    f"--template {settings.template_name}: has no {{prompt}} where the problem is to stand"
                )
        elif settings.mode == "fim":
            self.template = family_of(settings.fim, settings.model)
            texts = FAMILIES.get(self.template, PARAMETER)
            if self.template in FAMILIES:
                self.stop = tuple(dict.fromkeys((*settings.stop, *FAMILIES[self.template].stop)))
        else:
            self.template = texts = "none"
        said = msgspec.json.encode((settings.mode, texts, settings.system, self.stop), order="deterministic")
        self.hash = hashlib.sha256(said).hexdigest()

    def prompt(self, problem: Problem) -> Prompt:
        """How a problem is put.

        Raises:
            UsageError: The problem cannot be put in this mode.
        """
        if self.settings.mode == "chat":
            return self._chat(problem)
        if self.settings.mode == "fim":
            return self._hole(problem)
        return Prompt(body={"prompt": problem.prompt}, kind="completion", size=_size(problem.prompt))

    def _chat(self, problem: Problem) -> Prompt:
        template = self.settings.template
        text = _filled(TEMPLATES[form_of(problem)] if template is None else template, problem)
        messages = [{"role": "user", "content": text}]
        if self.settings.system is not None:
            messages.insert(0, {"role": "system", "content": self.settings.system})
        return Prompt(body={"messages": messages}, kind="chat", size=sum(_size(it["content"]) for it in messages))

    def _hole(self, problem: Problem) -> Prompt:
        if not problem.suffix:
            raise UsageError(
                f"problem {problem.id!r} has no suffix, and --mode fim asks for what stands before one"
            )
        if self.template == PARAMETER:
            body = {"prompt": problem.prompt, "suffix": problem.suffix}
            return Prompt(body=body, kind="completion", size=_size(problem.prompt) + _size(problem.suffix))
        family = FAMILIES[self.template]
        for token in (part.strip() for part in family.parts):
            if token and token in problem.prompt + problem.suffix:
                raise UsageError(f"problem {problem.id!r} holds {token!r}, which is the model's mark of a hole")
        text = family.prompt(problem.prompt, problem.suffix)
        return Prompt(body={"prompt": text}, kind="completion", size=_size(text))


def form_of(problem: Problem) -> str:
    """Which of `TEMPLATES` fits a problem; its set's own words go first, and stand for its prompt."""
    if problem.instruction:
        return "instruction"
    if isinstance(problem.tests, StdinStdout) and not problem.entry_point:
        return "program"
    if problem.suffix:
        return "infill"
    name = re.escape(problem.entry_point)
    begun = rf"^\s*(?:async\s+def|def|class)\s+{name}\b" if problem.language == "python" else rf"\b{name}\b"
    return "complete" if re.search(begun, problem.prompt, re.MULTILINE) else "function"


def _filled(template: str, problem: Problem) -> str:
    values = {
        "prompt": problem.instruction or problem.prompt,
        "suffix": problem.suffix,
        "language": _LANGUAGES.get(problem.language, problem.language.capitalize()),
        "fence": problem.language,
        "entry_point": problem.entry_point,
    }
    return _PLACE.sub(lambda found: values[found[1]], template)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
