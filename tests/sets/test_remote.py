"""Problem sets from elsewhere, from a server on loopback."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import threading
import urllib.error
import urllib.request
from http.client import HTTPMessage
from typing import TYPE_CHECKING, ClassVar

import pytest

from codejury import sets
from codejury.model import InfrastructureError, InputError, UsageError
from codejury.sets import remote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ROW = {
    "task_id": "HumanEval/9000",
    "prompt": "def f(x):\n",
    "canonical_solution": "    return x\n",
    "entry_point": "f",
    "test": "def check(candidate):\n    assert candidate(1) == 1\n",
}
BODY = json.dumps(ROW).encode() + b"\n"
SHA256 = hashlib.sha256(BODY).hexdigest()
ON_HUB = f"/datasets/us/sample/resolve/{COMMIT}/data/test-00000-of-00001.jsonl"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers by path; counts what it was asked."""

    asked: ClassVar[list[str]] = []
    body: ClassVar[bytes] = BODY
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        """One request."""
        self.asked.append(self.path)
        path, _, _ = self.path.partition("?")
        if path in {"/p.jsonl", ON_HUB, "/end/p.jsonl"}:
            self._send(200, self.body)
        elif path == "/moved/p.jsonl":
            self._send(302, b"", Location="/end/p.jsonl")
        elif path == "/loop/p.jsonl":
            self._send(302, b"", Location="/loop/p.jsonl")
        elif path == "/elsewhere/p.jsonl":
            self._send(302, b"", Location="ftp://127.0.0.1/p.jsonl")
        elif path == "/cut/p.jsonl":
            self._send(200, self.body, length=len(self.body) + 7)
        elif path == "/chunks/p.jsonl":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b'5\r\n{"tas\r\nff\r\nk_id')
        elif path.startswith("/status/"):
            self._send(int(path.split("/")[2]), b"no")
        else:
            self._send(404, b"no")

    def _send(self, status: int, body: bytes, *, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Nothing is printed."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server on loopback, which is also the hub; the cache is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(Handler, "asked", [])
    monkeypatch.setattr(Handler, "body", BODY)
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    address = f"http://127.0.0.1:{running.server_address[1]}"
    monkeypatch.setenv("HF_ENDPOINT", address)
    yield address
    running.shutdown()
    running.server_close()
    thread.join()


def kept(tmp_path: Path) -> list[str]:
    """Names of all files in the cache."""
    return sorted(path.name for path in (tmp_path / "cache").rglob("*") if path.is_file())


def test_a_file_of_the_hub(server: str, tmp_path: Path) -> None:
    """Named by data set and file; its source has commit and hash; downloaded once."""
    spec = f"hf://us/sample@{COMMIT}/data/test-00000-of-00001.jsonl"
    found = sets.load(spec)
    assert ("sample-test", f"{spec}#sha256={SHA256}", 1) == (found.name, found.source, len(found.problems))
    assert found == sets.load(spec)
    assert [ON_HUB] == Handler.asked
    assert ["test-00000-of-00001.jsonl", "test-00000-of-00001.jsonl.sha256"] == kept(tmp_path)
    assert found.problems == sets.load(found.source).problems  # the source is a name that loads the same


def test_any_file_that_is_pinned_by_its_hash(server: str, tmp_path: Path) -> None:
    """A query is sent and shown nowhere, since it may hold a key; redirects are followed."""
    found = sets.load(f"{server}/p.jsonl?key=secret#sha256={SHA256.upper()}")
    assert ("p", f"{server}/p.jsonl#sha256={SHA256}") == (found.name, found.source)
    assert ["/p.jsonl?key=secret"] == Handler.asked
    assert ["p.jsonl"] == kept(tmp_path)
    assert found.problems == sets.load(f"{server}/moved/p.jsonl#sha256={SHA256}").problems
    assert 1 == len(Handler.asked)  # the hash is the same, so it is there already


def test_redirects_are_followed(server: str) -> None:
    """As those of the hub to its store."""
    assert 1 == len(sets.load(f"{server}/moved/p.jsonl#sha256={SHA256}").problems)
    assert ["/moved/p.jsonl", "/end/p.jsonl"] == Handler.asked


def test_it_works_offline_from_the_cache(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is there, nobody is asked; where it is not, one line says what to do."""
    specs = [f"hf://us/sample@{COMMIT}/data/test-00000-of-00001.jsonl", f"{server}/p.jsonl#sha256={SHA256}"]
    expected = [sets.load(spec) for spec in specs]
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(remote, "_opener", lambda: pytest.fail("asked a server"))
    assert expected == [sets.load(spec) for spec in specs]


def test_offline_without_the_cache(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An infrastructure error, in one line, with what to do."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InfrastructureError) as caught:
        sets.load(f"hf://us/sample@{COMMIT}/p.jsonl")
    text = str(caught.value)
    assert text.startswith(f"hf://us/sample@{COMMIT}/p.jsonl: cannot be reached (")
    assert text.endswith("and is not in the cache: connect, or name a path")
    assert 1 == len(text.splitlines())


@pytest.mark.parametrize("pinned", ["hash", "commit"])
def test_a_file_that_was_changed_in_the_cache(server: str, tmp_path: Path, pinned: str) -> None:
    """It is found on the next load and downloaded again."""
    spec = {
        "hash": f"{server}/p.jsonl#sha256={SHA256}",
        "commit": f"hf://us/sample@{COMMIT}/data/test-00000-of-00001.jsonl",
    }[pinned]
    expected = sets.load(spec)
    [path] = (path for path in (tmp_path / "cache").rglob("*.jsonl") if path.is_file())
    path.write_bytes(BODY.replace(b"return x", b"return 1"))
    assert expected == sets.load(spec)
    assert 2 == len(Handler.asked)
    assert BODY == path.read_bytes()


def test_another_file_than_pinned(server: str, tmp_path: Path) -> None:
    """It is not kept; the error has both hashes."""
    with pytest.raises(InputError) as caught:
        sets.load(f"{server}/p.jsonl#sha256={'0' * 64}")
    assert f"{server}/p.jsonl: its SHA-256 is {SHA256}, and it is pinned to {'0' * 64}" == str(caught.value)
    assert [] == kept(tmp_path)


def test_a_commit_that_gives_another_file_than_before(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that lies about a commit is found, where the file was there before."""
    spec = f"hf://us/sample@{COMMIT}/data/test-00000-of-00001.jsonl"
    sets.load(spec)
    next((tmp_path / "cache").rglob("*.jsonl")).unlink()
    monkeypatch.setattr(Handler, "body", BODY + b"\n")
    with pytest.raises(InputError, match="it had, when it was first downloaded,"):
        sets.load(spec)


def test_a_download_that_is_cut_off(server: str, tmp_path: Path) -> None:
    """Half a file is no file, whatever its hash."""
    with pytest.raises(InfrastructureError, match=rf"was cut off after {len(BODY)} of {len(BODY) + 7} bytes"):
        sets.load(f"{server}/cut/p.jsonl#sha256={SHA256}")
    with pytest.raises(InfrastructureError, match=r"was cut off after \d+ bytes: try again"):
        sets.load(f"{server}/chunks/p.jsonl#sha256={SHA256}")
    assert [] == kept(tmp_path)


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("/none/p.jsonl", UsageError, r"is not there \(404\): check owner, name, revision and path"),
        ("/status/401/p.jsonl", UsageError, r"needs a login or is not there \(401\): get it by other means"),
        ("/status/403/p.jsonl", UsageError, r"needs a login or is not there \(403\)"),
        ("/status/418/p.jsonl", UsageError, "the server answers 418"),
        ("/status/429/p.jsonl", InfrastructureError, "the server answers 429: try again later"),
        ("/status/503/p.jsonl", InfrastructureError, "the server answers 503: try again later"),
        ("/loop/p.jsonl", UsageError, "the server answers 302"),
        ("/elsewhere/p.jsonl", InfrastructureError, "unknown url type: ftp"),
    ],
)
def test_what_servers_answer(server: str, path: str, error: type[Exception], message: str) -> None:
    """One line each; what may pass is an infrastructure error."""
    with pytest.raises(error, match=message) as caught:
        sets.load(f"{server}{path}#sha256={SHA256}")
    assert 1 == len(str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hf://us/sample/p.jsonl", "no revision is named: pin it by a commit of 40 hex digits, as hf://OWNER"),
        ("hf://us/sample@main/p.jsonl", "the revision 'main' may change: pin it by a commit"),
        (f"hf://us/sample@{COMMIT[:7]}/p.jsonl", "the revision '0123456' may change"),
        ("hf://sample/p.jsonl", "no file of the hub: write hf://OWNER/NAME@COMMIT/PATH"),
        (f"hf://../sample@{COMMIT}/p.jsonl", "no file of the hub"),
        (f"hf://us/sample@{COMMIT}/../p.jsonl", "is no path within a data set"),
        (f"hf://us/sample@{COMMIT}/a//p.jsonl", "is no path within a data set"),
        (f"hf://us/sample@{COMMIT}/p.jsonl#md5=0", "after # stands sha256= and 64 hex digits"),
        ("https://example.org/p.jsonl", r"pin it by its hash, as https://example.org/p.jsonl#sha256=HEX"),
        ("https://example.org/p.jsonl#sha256=12", "after # stands sha256= and 64 hex digits"),
        ("https://example.org/", "no address of a file"),
        ("https://[::1/p.jsonl", "no address of a file: Invalid IPv6 URL"),
        (f"https://me:secret@example.org/p.jsonl#sha256={SHA256}", "a user's name in an address is not sent"),
        ("https://example.org/\np.jsonl", "an address has no such characters"),
    ],
)
def test_what_is_not_pinned_or_no_address(spec: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked; the line says how to pin it, and shows no password."""
    monkeypatch.setattr(remote, "_opener", lambda: pytest.fail("asked a server"))
    with pytest.raises(UsageError, match=message) as caught:
        sets.load(spec)
    assert "secret" not in str(caught.value)
    assert 1 == len(str(caught.value).splitlines())


def test_a_hash_pins_any_revision(server: str) -> None:
    """A branch will do where the hash is said."""
    path = f"/datasets/us/sample/resolve/main/{ON_HUB.rpartition('/')[2]}"
    with pytest.raises(UsageError, match=r"is not there \(404\)"):
        sets.load(f"hf://us/sample@main/{path.rpartition('/')[2]}#sha256={SHA256}")
    assert [path] == Handler.asked


def test_no_redirect_from_https_to_something_weaker() -> None:
    """A commit pins a file only as far as the server can be believed."""
    request = urllib.request.Request("https://example.org/p.jsonl")
    for target in ("http://example.org/p.jsonl", "ftp://example.org/p.jsonl"):
        with pytest.raises(urllib.error.URLError, match="weaker"):
            remote._Redirects().redirect_request(request, io.BytesIO(), 302, "", HTTPMessage(), target)
    onward = remote._Redirects().redirect_request(
        request, io.BytesIO(), 302, "", HTTPMessage(), "https://example.org/q.jsonl"
    )
    assert onward is not None
    assert "https://example.org/q.jsonl" == onward.full_url


def test_a_cache_that_cannot_be_written(server: str, tmp_path: Path) -> None:
    """Said as such, with the folder."""
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(InfrastructureError, match=r"cannot be kept in .*cache"):
        sets.load(f"{server}/p.jsonl#sha256={SHA256}")


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG_CACHE_HOME where it is an absolute path, else ~/.cache."""
    monkeypatch.setenv("HOME", "/somewhere")
    for value, expected in (("/c", "/c"), ("", "/somewhere/.cache"), ("relative", "/somewhere/.cache")):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert f"{expected}/codejury/files" == str(remote.cache_folder())
