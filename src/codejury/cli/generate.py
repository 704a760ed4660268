"""`codejury generate`: asking a model, and the options that `codejury run` has as well."""

from __future__ import annotations

import asyncio
import enum
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codejury.cli.common import choice_of, output
from codejury.cli.main import (
    DifficultyOption,
    IdsOption,
    InterruptedRunError,
    LimitOption,
    ProblemsOption,
    QuietOption,
    ShardOption,
    SinceOption,
    TagsOption,
    UntilOption,
    app,
)
from codejury.model.errors import InputError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from codejury.generate import AskSettings
    from codejury.pipeline.generate import Estimate, Generated


class ModeChoice(enum.StrEnum):
    """How a problem is put."""

    CHAT = "chat"
    COMPLETION = "completion"
    FIM = "fim"


class Omitted(enum.StrEnum):
    """Settings that requests can go without."""

    TEMPERATURE = "temperature"
    TOP_P = "top_p"
    MAX_TOKENS = "max_tokens"


ModelOption = Annotated[str, typer.Option(help="The model's name, as the server knows it.", metavar="NAME")]
UrlOption = Annotated[
    str,
    typer.Option(help="Address of a server of OpenAI's interface, used as it is.", metavar="URL"),
]
OutOption = Annotated[str, typer.Option(help="The file of samples.", metavar="FILE.jsonl")]
NOption = Annotated[int, typer.Option("--n", help="Samples of each problem.")]
ModeOption = Annotated[ModeChoice, typer.Option(help="How a problem is put: as a message, as code, with a hole.")]
TemperatureOption = Annotated[float, typer.Option(help="Temperature of sampling.")]
TopPOption = Annotated[float, typer.Option(help="Nucleus of sampling.")]
MaxTokensOption = Annotated[int, typer.Option(help="Tokens of an answer at most.")]
SeedOption = Annotated[
    int | None, typer.Option(help="Seed of sample 0; sample i has the seed + i.", show_default="none")
]
StopOption = Annotated[
    list[str] | None, typer.Option(help=r"The server ends an answer before this; \n is a line end; repeat it.")
]
PerRequestOption = Annotated[int, typer.Option(help="Samples in one request.")]
TemplateOption = Annotated[
    str | None,
    typer.Option(help="A file with the message, {prompt} in it.", show_default="codejury's own", metavar="FILE"),
]
SystemOption = Annotated[str | None, typer.Option(help="System message of a chat.", metavar="TEXT")]
FimOption = Annotated[
    str,
    typer.Option(
        help="For --mode fim: starcoder, codellama, deepseek, qwen, codegemma, codestral, suffix; auto is told by"
        " the model's name.",
        metavar="FAMILY",
    ),
]
ExtraOption = Annotated[
    list[str] | None,
    typer.Option(help="A further field of each request, its value as JSON; repeat it.", metavar="KEY=VALUE"),
]
OmitOption = Annotated[
    list[Omitted] | None, typer.Option(help="Leave this out of the requests; repeat it.", metavar="SETTING")
]
ConcurrencyOption = Annotated[int, typer.Option(help="Requests under way at most.")]
RetriesOption = Annotated[int, typer.Option(help="Attempts for each request.")]
TimeoutOption = Annotated[float, typer.Option(help="Seconds for each request.", metavar="SECONDS")]
KeyOption = Annotated[str, typer.Option(help="Variable of the environment that holds the key.", metavar="NAME")]
PricesOption = Annotated[
    str | None, typer.Option(help="TOML: USD for a million tokens, by model.", metavar="FILE")
]
CostOption = Annotated[float | None, typer.Option(help="USD to use at most; needs --prices.", metavar="USD")]
TokensOption = Annotated[int | None, typer.Option(help="Tokens to use at most, prompts and answers.")]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and ask nothing.")]


@app.command()
def generate(
    problems: ProblemsOption,
    model: ModelOption,
    base_url: UrlOption,
    out: OutOption,
    n: NOption = 1,
    mode: ModeOption = ModeChoice.CHAT,
    temperature: TemperatureOption = 0.8,
    top_p: TopPOption = 1.0,
    max_tokens: MaxTokensOption = 1024,
    seed: SeedOption = None,
    stop: StopOption = None,
    n_per_request: PerRequestOption = 1,
    template: TemplateOption = None,
    system: SystemOption = None,
    fim: FimOption = "auto",
    extra: ExtraOption = None,
    omit: OmitOption = None,
    concurrency: ConcurrencyOption = 16,
    retries: RetriesOption = 8,
    timeout: TimeoutOption = 600.0,
    key_env: KeyOption = "OPENAI_API_KEY",
    prices: PricesOption = None,
    max_cost: CostOption = None,
    max_tokens_total: TokensOption = None,
    limit: LimitOption = None,
    ids: IdsOption = None,
    tags: TagsOption = None,
    difficulty: DifficultyOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    shard: ShardOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Ask for what the file lacks.")] = False,
    dry_run: DryOption = False,
    quiet: QuietOption = False,
) -> None:
    """Ask a model for samples, over any server of OpenAI's interface."""
    from codejury.pipeline.generate import GenerateSettings

    settings = GenerateSettings(
        problems=problems,
        out=out,
        ask=ask_of(locals()),
        choice=choice_of(limit, ids, tags, shard, difficulty=difficulty, since=since, until=until),
        prices=prices,
        key_env=key_env,
        resume=resume,
    )
    if dry_run:
        from codejury.pipeline.generate import Generation

        output(estimate_report(Generation(settings).estimate()))
        return
    result = _generate(settings, quiet=quiet)
    if not quiet:
        output(generated_report(result, out))
    result.require_all(out)


def ask_of(options: dict[str, Any]) -> AskSettings:
    """What a model is asked for, of the options of a command by their names; raises UsageError."""
    from codejury.generate import AskSettings

    omitted = {name.value for name in options["omit"] or []}
    sampling = {
        name: None if name in omitted else options[name] for name in ("temperature", "top_p", "max_tokens")
    }
    template = options["template"]
    alike = (
        "model",
        "base_url",
        "n",
        "seed",
        "n_per_request",
        "system",
        "fim",
        "concurrency",
        "max_cost",
        "max_tokens_total",
    )
    given: dict[str, Any] = {**{name: options[name] for name in alike}, **sampling}
    return AskSettings(
        **given,
        mode=options["mode"].value,
        stop=tuple(text.replace("\\n", "\n").replace("\\t", "\t") for text in options["stop"] or []),
        template=None if template is None else _read(template),
        template_name="codejury" if template is None else Path(template).name,
        extra=extra_of(options["extra"] or []),
        attempts=options["retries"],
        timeout_s=options["timeout"],
    )


def extra_of(items: list[str]) -> dict[str, Any]:
    """Fields of `KEY=VALUE`; a value that is not JSON is a text. Raises UsageError."""
    fields: dict[str, Any] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--extra {item!r}: take KEY=VALUE, as top_k=40")
        try:
            fields[key.strip()] = json.loads(value)
        except ValueError:
            fields[key.strip()] = value
    return fields


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--template {path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason} at byte {error.start + 1}", path=path) from None


def _generate(settings: Any, *, quiet: bool) -> Generated:
    """Ask; where the user breaks it off, tell what is kept."""
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline.generate import generate as run_generate

    try:
        with TerminalProgress(quiet=quiet) as progress:
            return asyncio.run(run_generate(settings, progress))
    except KeyboardInterrupt:
        raise InterruptedRunError(
            f"interrupted: all answers so far are kept in {shlex.quote(settings.out)}; go on with the same command"
            " and --resume"
        ) from None


def estimate_report(found: Estimate) -> RenderableType:
    """What asking would take."""
    from codejury.generate import BYTES_PER_TOKEN

    answers = "without a limit" if found.completion_tokens is None else f"at most {found.completion_tokens:,}"
    cost = "unknown; give --prices and a limit" if found.cost is None else f"at most {found.cost:,.4f} USD"
    return _table(
        {
            "problems": f"{found.problems:,}",
            "samples": f"{found.samples:,}, of which {found.held:,} are there",
            "requests": f"{found.requests:,}, if none fails",
            "tokens of prompts": f"about {found.prompt_tokens:,}, one for {BYTES_PER_TOKEN} bytes",
            "tokens of answers": answers,
            "cost": cost,
        }
    )


def generated_report(result: Generated, out: str) -> RenderableType:
    """What asking gave."""
    rows = {
        "samples": f"{result.held + result.answered:,} of {result.samples:,} in {out}",
        "answered now": f"{result.answered:,} in {result.requests:,} requests",
        "finish reasons": _counts(result.finish_reasons),
        "tokens": f"{result.prompt_tokens:,} of prompts, {result.completion_tokens:,} of answers, as counted by"
        " the server",
        "cost": "unknown, without --prices" if result.cost is None else f"{result.cost:,.4f} USD",
    }
    if result.empty:
        rows["no text"] = f"{_counts(result.empty)}; judge them with --allow-empty"
    if result.short:
        rows["note"] = (
            "the server gave fewer answers to a request than were asked for; the rest was asked for again"
        )
    return _table(rows)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.items()) or "none"


def _table(rows: dict[str, str]) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows.items():
        table.add_row(name, value)
    return table
