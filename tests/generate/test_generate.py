"""`codejury generate`: from the command line to the file, and to the server."""

from __future__ import annotations

import json
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import read_meta, read_samples
from codejury.pipeline import choose
from codejury.pipeline.generate import GenerateSettings, Generation, generate, meta_path
from codejury.sets import load

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

KEY = "sk-Very-Secret-0123456789"
BASIC = ("--mode", "completion")


def test_a_file_that_judge_reads(codejury: Callable[..., Any], server: Any, folder: Path) -> None:
    """Samples with their index, kind and finish reason; how they were made stands beside."""
    ended = codejury("generate", "--n", 3, "--temperature", 0.2, "--seed", 7, "--top-p", 0.9)
    assert 0 == ended.code, ended.err
    assert "6 of 6 in s.jsonl" in ended.out
    assert "6 in 6 requests" in ended.out
    assert "60 of prompts, 42 of answers" in ended.out
    samples = list(read_samples("s.jsonl", known={"t/a", "t/b"}))
    assert [(f"t/{name}", i) for name in "ab" for i in range(3)] == sorted(
        (s.problem_id, s.index) for s in samples
    )
    assert {("chat", "stop")} == {(s.kind, s.finish_reason) for s in samples}
    meta = read_meta("s.jsonl")
    known = {"model": "m", "temperature": "0.2", "top_p": "0.9", "max_tokens": "1024", "seed": "7", "mode": "chat"}
    assert known.items() <= meta.items()
    assert "loopback" == meta["server"]
    assert 64 == len(meta["prompt_hash"]) == len(meta["settings_hash"])
    assert "s.jsonl.meta.json" == meta_path("s.jsonl")
    assert {0.2} == {body["temperature"] for body in server.requests}
    assert "Complete this Python code." in server.requests[0]["messages"][0]["content"]


def test_resume_asks_for_the_rest_alone(codejury: Callable[..., Any], server: Any, folder: Path) -> None:
    """What is there is not asked for again; more samples may be asked for, in another way not."""
    assert 0 == codejury("generate", *BASIC, "--n", 2).code
    refused = codejury("generate", *BASIC, "--n", 4)
    assert (2, True) == (refused.code, "s.jsonl: is there already: go on with --resume" in refused.err)
    other = codejury("generate", *BASIC, "--n", 4, "--resume", "--temperature", 0.1)
    assert (2, True) == (other.code, "other settings (temperature 0.8 then, 0.1 now)" in other.err)
    assert 4 == len(server.requests)
    before = (folder / "s.jsonl").read_bytes()
    again = codejury("generate", *BASIC, "--n", 4, "--resume")
    assert 0 == again.code, again.err
    assert 8 == len(server.requests)
    assert (folder / "s.jsonl").read_bytes().startswith(before)
    assert 8 == len(list(read_samples("s.jsonl")))
    assert "none" in codejury("generate", *BASIC, "--n", 4, "--resume").out
    assert 8 == len(server.requests)


def test_another_problem_set_is_refused(codejury: Callable[..., Any], folder: Path) -> None:
    """A set whose prompts were changed is another question."""
    assert 0 == codejury("generate", *BASIC).code
    text = (folder / "set.jsonl").read_text(encoding="utf-8")
    (folder / "set.jsonl").write_text(text.replace("(x):", "(x) :"), encoding="utf-8")
    ended = codejury("generate", *BASIC, "--resume")
    assert (2, True) == (ended.code, "was begun with other settings (other problems)" in ended.err)


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_a_killed_process_goes_on(
    codejury: Callable[..., Any],
    start: Callable[..., subprocess.Popen[str]],
    server: Any,
    folder: Path,
    cut: int,
) -> None:
    """After kill -9, and a row torn at any byte, nothing is lost that was whole and nothing is asked for twice."""
    waits = threading.Event()

    def script(number: int, _body: dict[str, Any]) -> str:
        if number < 5:
            return "answer"
        waits.set()
        return "slow"

    server.script = script
    process = start("generate", *BASIC, "--n", 6, "--concurrency", 1)
    assert waits.wait(60)
    process.kill()
    process.communicate()
    path = folder / "s.jsonl"
    whole = path.read_bytes()
    assert 5 == whole.count(b"\n")
    path.write_bytes(whole[: len(whole) - cut])
    kept = 4 if cut > 1 else 5  # a row that lacks its line end alone is whole
    server.script = lambda _number, _body: "answer"
    before = len(server.requests)
    assert 0 == codejury("generate", *BASIC, "--n", 6, "--resume").code
    assert 12 - kept == len(server.requests) - before
    assert path.read_bytes().startswith(b"".join(whole.splitlines(keepends=True)[:kept]))
    assert 12 == len({(s.problem_id, s.index) for s in read_samples(path)})


def test_an_interrupted_process_says_how_to_go_on(
    start: Callable[..., subprocess.Popen[str]], server: Any, folder: Path
) -> None:
    """Control-C keeps what was answered."""
    waits = threading.Event()

    def script(number: int, _body: dict[str, Any]) -> str:
        if number < 2:
            return "answer"
        waits.set()
        return "slow"

    server.script = script
    process = start("generate", *BASIC, "--n", 6, "--concurrency", 1)
    assert waits.wait(60)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (130, True) == (process.returncode, "all answers so far are kept in s.jsonl; go on" in err), err
    assert 2 == len(list(read_samples(folder / "s.jsonl")))


def test_a_dry_run_asks_nothing(codejury: Callable[..., Any], server: Any, folder: Path) -> None:
    """What it would take at most, by rules that are said; no file is made."""
    (folder / "prices.toml").write_text("[m]\ninput = 3.0\noutput = 6.0\n", encoding="utf-8")
    options = (*BASIC, "--n", 4, "--n-per-request", 3, "--max-tokens", 100, "--prices", "prices.toml")
    ended = codejury("generate", *options, "--dry-run")
    assert 0 == ended.code, ended.err
    lines = {line[:18].strip(): line[18:].strip() for line in ended.out.splitlines()}
    assert "8, of which 0 are there" == lines["samples"]
    assert "4, if none fails" == lines["requests"]
    # A prompt of 11 bytes is taken for 4 tokens, in each of the requests.
    assert "about 16, one for 3 bytes" == lines["tokens of prompts"]
    assert "at most 800" == lines["tokens of answers"]
    assert f"at most {(16 * 3 + 800 * 6) / 1e6:.4f} USD" == lines["cost"]
    assert [] == server.requests
    assert {"set.jsonl", "prices.toml"} == {path.name for path in folder.iterdir()}


def test_a_dry_run_of_a_rest_counts_whole_rows(codejury: Callable[..., Any], server: Any, folder: Path) -> None:
    """A row that was cut off is to be asked for, and is left as it is."""
    assert 0 == codejury("generate", *BASIC, "--n", 2).code
    path = folder / "s.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    before = path.read_bytes()
    ended = codejury("generate", *BASIC, "--n", 3, "--resume", "--dry-run")
    assert "6, of which 3 are there" in ended.out
    assert before == path.read_bytes()
    assert 4 == len(server.requests)


def test_an_address_may_hold_a_password(
    codejury: Callable[..., Any], server: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is sent as that of HTTP, and is in no file."""
    server.url = server.url.replace("http://", "http://user:hidden-word@")
    ended = codejury("generate", *BASIC)
    assert 0 == ended.code, ended.err
    assert {"Basic dXNlcjpoaWRkZW4td29yZA=="} == {headers["authorization"] for headers in server.headers}
    assert not [path for path in folder.iterdir() if b"hidden-word" in path.read_bytes()]


def test_a_budget_ends_the_asking_cleanly(codejury: Callable[..., Any], server: Any, folder: Path) -> None:
    """What is there is kept, what is missing is said, and the exit code is its own."""
    options = (*BASIC, "--n", 5, "--max-tokens", 7)
    ended = codejury("generate", *options, "--max-tokens-total", 60, "--concurrency", 1)
    assert 1 == ended.code
    held = len(list(read_samples("s.jsonl")))
    assert 3 == held  # each is 4 + 7 tokens at most by the rule, and 10 + 7 as counted
    assert f"{10 - held} of 10 samples are missing in s.jsonl: the budget is used up: 51 of 60 tokens" in ended.err
    assert 0 == codejury("generate", *options, "--resume").code
    assert 10 == len(server.requests)
    (folder / "prices.toml").write_text("[m]\ninput = 1\noutput = 1\n", encoding="utf-8")
    assert "--max-cost needs to know" in codejury("generate", *options, "--resume", "--max-cost", 1).err


def test_failed_calls_are_missing(codejury: Callable[..., Any], server: Any, folder: Path) -> None:
    """The exit code is that of infrastructure, and says why; `judge` would find the problem without a sample."""
    server.script = lambda _number, body: (422, {}, {"error": "no"}) if "fb" in body["prompt"] else "answer"
    ended = codejury("generate", *BASIC, "--n", 2)
    assert 3 == ended.code
    assert "2 of 4 samples are missing in s.jsonl: 2 failed (HTTP 422: no); go on with --resume" in ended.err
    assert {"t/a"} == {sample.problem_id for sample in read_samples("s.jsonl")}


def test_answers_without_text_are_told(codejury: Callable[..., Any], server: Any, folder: Path) -> None:
    """They are the model's, are kept, and are refused by `judge` until it is told so."""
    server.text, server.finish_reason = (lambda _body, _number: ""), "length"
    ended = codejury("generate")
    assert 0 == ended.code
    assert "length 2; judge them with --allow-empty" in ended.out
    assert [""] * 2 == [sample.text for sample in read_samples("s.jsonl", allow_empty=True)]


@pytest.mark.parametrize("fails", [False, True])
def test_the_key_appears_nowhere(
    codejury: Callable[..., Any],
    server: Any,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    fails: bool,
) -> None:
    """Not in files, output, logs or errors; nor does what an address may hold besides the host."""
    monkeypatch.setenv("MY_KEY", f"{KEY}\n")
    caplog.set_level("DEBUG", logger="openai")
    response = (401, {}, {"error": {"message": f"wrong key {KEY}"}}) if fails else "answer"
    server.script = lambda number, _body: (500, {}, {"error": {"message": KEY}}) if number == 0 else response
    server.url += "?token=hidden-token"
    ended = codejury("generate", "--key-env", "MY_KEY", "--retries", 3)
    assert ended.code == (2 if fails else 0)
    assert {f"Bearer {KEY}"} == {headers["authorization"] for headers in server.headers}
    assert {"/v1/chat/completions?token=hidden-token"} == set(server.paths)
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "set.jsonl"]
    texts = [ended.out, ended.err, caplog.text, *(path.read_text(encoding="utf-8") for path in files)]
    assert len(files) == 3
    for secret in (KEY, "hidden-token"):
        assert not [text for text in texts if secret in text]
    assert ("[key]" in ended.err) == fails


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "no key: set the environment variable OPENAI_API_KEY, or name another by --key-env"),
        (" ", "no key: set the environment variable OPENAI_API_KEY"),
        ("sk-ü-secret", "the key in the environment variable OPENAI_API_KEY has a space or a character"),
        ("sk-\nsecret", "the key in the environment variable OPENAI_API_KEY has a space or a character"),
    ],
)
def test_a_key_that_cannot_be_is_refused(
    codejury: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, said: str
) -> None:
    """A server elsewhere needs one; the message never says it."""
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    ended = codejury("generate", "--base-url", "https://models.invalid/v1")
    assert (2, True) == (ended.code, said in ended.err)
    assert "secret" not in ended.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--extra", "top_k"), "--extra 'top_k': take KEY=VALUE"),
        (("--extra", "n=3"), "--extra n: is a setting of its own"),
        (("--template", "none.txt"), "--template none.txt: cannot be read"),
        (("--fim", "qwen", "--mode", "fim"), "problem 't/a' has no suffix"),
        (("--out", "s.json"), "name the file .jsonl"),
        (("--n", "0"), "--n 0"),
        (("--ids", "t/c"), "t/c"),
        (("--base-url", "nowhere"), "--base-url: take an address"),
    ],
)
def test_wrong_options_are_one_line(codejury: Callable[..., Any], options: tuple[str, ...], said: str) -> None:
    """And nothing is asked."""
    ended = codejury("generate", *options)
    assert (2, True) == (ended.code, said in ended.err), ended.err
    assert 1 == ended.err.count("\n")


def test_further_fields_stop_words_and_what_is_left_out(
    codejury: Callable[..., Any], server: Any, folder: Path
) -> None:
    """Each of a request's fields can be chosen, and the manifest says what was."""
    (folder / "own.txt").write_text("Do: {prompt}", encoding="utf-8")
    options = ("--omit", "max_tokens", "--omit", "top_p", "--extra", "max_completion_tokens=9", "--extra", "a=b")
    assert 0 == codejury("generate", *options, "--stop", r"\ndef ", "--template", "own.txt", "--ids", "t/a").code
    (body,) = server.requests
    assert {
        "model": "m",
        "messages": [{"role": "user", "content": "Do: def fa(x):\n"}],
        "temperature": 0.8,
        "stop": ["\ndef "],
        "max_completion_tokens": 9,
        "a": "b",
    } == body
    meta = read_meta("s.jsonl")
    assert ("9", '["\\ndef "]', "own.txt") == (meta["max_tokens"], meta["stop"], meta["template"])
    assert {"max_completion_tokens": 9, "a": "b"} == json.loads(meta["extra"])
    assert "top_p" not in meta


async def test_from_python(server: Any, folder: Path, asked_of: Callable[..., Any]) -> None:
    """The same without the command line; the key may come from another environment."""
    settings = GenerateSettings(problems="set.jsonl", out="s.jsonl", ask=asked_of(n=2), key_env="K")
    generation = Generation(settings, {})
    assert (4, 4) == (generation.samples, generation.estimate().requests)
    result = await generate(settings, environment={"K": KEY})
    assert (4, 0, 4, 0, None) == (result.samples, result.held, result.answered, result.missing, result.stopped)
    assert f"Bearer {KEY}" == server.headers[0]["authorization"]
    assert generation.chosen == choose(load("set.jsonl"), settings.choice)[0]
