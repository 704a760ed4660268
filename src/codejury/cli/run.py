"""`codejury run`: generate, judge, score and report in one."""

from __future__ import annotations

import asyncio
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from codejury.cli.commands import ConfirmChoice
from codejury.cli.common import (
    check_writable,
    choice_of,
    ks_of,
    limits_of,
    names_of,
    output,
    place_of,
    warn_unsafe,
)
from codejury.cli.generate import (
    ConcurrencyOption,
    CostOption,
    DryOption,
    ExtraOption,
    FimOption,
    KeyOption,
    MaxTokensOption,
    ModeChoice,
    ModelOption,
    ModeOption,
    NOption,
    OmitOption,
    OutOption,
    PerRequestOption,
    PricesOption,
    RetriesOption,
    SeedOption,
    StopOption,
    SystemOption,
    TemperatureOption,
    TemplateOption,
    TimeoutOption,
    TokensOption,
    TopPOption,
    UrlOption,
    ask_of,
    estimate_report,
    generated_report,
)
from codejury.cli.main import (
    ContainerCommand,
    CpuOption,
    CpuTotalOption,
    DifficultyOption,
    DropShortOption,
    EngineOption,
    IdsOption,
    ImageOption,
    InterruptedRunError,
    JsonOption,
    KOption,
    LevelOption,
    LimitOption,
    MemoryOption,
    PackagesOption,
    ProblemsOption,
    PythonOption,
    QuietOption,
    RuntimeOption,
    ShardOption,
    SinceOption,
    SlotsOption,
    StoreOption,
    TagsOption,
    Tier,
    TierOption,
    UnsafeOption,
    UntilOption,
    app,
)

if TYPE_CHECKING:
    from codejury.pipeline.generate import Generated
    from codejury.pipeline.run import RunSettings
    from codejury.store import Store


@app.command()
def run(
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
    resume: Annotated[
        bool, typer.Option("--resume", help="Ask for what the file lacks, and judge the rest.")
    ] = False,
    dry_run: DryOption = False,
    name: Annotated[str | None, typer.Option("--run", help="The run's name.", show_default="of the file")] = None,
    k: KOption = None,
    drop_short: DropShortOption = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Report though samples are missing; the result says so.")
    ] = False,
    all_tests: Annotated[bool, typer.Option("--all-tests", help="Run on after a failed test.")] = False,
    confirm: Annotated[
        ConfirmChoice, typer.Option(help="Passes that must be passes in the tests' own process, too.")
    ] = ConfirmChoice.AUTO,
    cpu: CpuOption = 5.0,
    cpu_total: CpuTotalOption = 30.0,
    memory: MemoryOption = 1024,
    slots: SlotsOption = None,
    python: PythonOption = None,
    packages: PackagesOption = "",
    tier: TierOption = Tier.AUTO,
    image: ImageOption = None,
    engine: EngineOption = ContainerCommand.AUTO,
    runtime: RuntimeOption = None,
    unsafe: UnsafeOption = False,
    level: LevelOption = 0.95,
    extractor: Annotated[str, typer.Option(help="How programs are made of answers.", metavar="NAME")] = "auto",
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Ask a model, judge its answers as they come, and report."""
    from codejury.pipeline import JudgeSettings, summarise
    from codejury.pipeline.generate import GenerateSettings, Generation
    from codejury.pipeline.run import RunSettings
    from codejury.report import write_json
    from codejury.report.terminal import judge_report
    from codejury.store import Store

    generating = GenerateSettings(
        problems=problems,
        out=out,
        ask=ask_of(locals()),
        choice=choice_of(limit, ids, tags, shard, difficulty=difficulty, since=since, until=until),
        prices=prices,
        key_env=key_env,
        resume=resume,
    )
    judging = JudgeSettings(
        samples=out,
        problems=problems,
        run=name,
        limits=limits_of(cpu, cpu_total, memory),
        slots=slots,
        python=python,
        packages=names_of(packages),
        tier=place_of(tier, image, engine, runtime),
        unsafe=unsafe,
        all_tests=all_tests,
        confirm=confirm.value,
        ks=ks_of(k),
        drop_short=drop_short,
        level=level,
        extractor=extractor,
    )
    if dry_run:
        output(estimate_report(Generation(generating).estimate()))
        return
    check_writable(json)
    if unsafe:
        warn_unsafe(tier)
    settings = RunSettings(generate=generating, judge=judging, allow_missing=allow_missing)
    with Store.open(store) as opened:
        made, generated = _run(opened, settings, quiet=quiet)
        document = summarise(opened, made, judging.ks, level=level, drop_short=drop_short)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(generated_report(generated, out))
        output("")
        output(judge_report(document))


def _run(store: Store, settings: RunSettings, *, quiet: bool) -> tuple[str, Generated]:
    """Ask and judge; where the user breaks it off, tell what is kept."""
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline.run import run as run_all

    try:
        with TerminalProgress(quiet=quiet) as progress:
            return asyncio.run(run_all(store, settings, progress))
    except KeyboardInterrupt:
        raise InterruptedRunError(
            f"interrupted: all answers so far are kept in {shlex.quote(settings.generate.out)}, and their verdicts"
            " beside it; go on with the same command and --resume"
        ) from None
