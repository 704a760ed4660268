"""Files of problems from the public hub or any address: pinned, kept in the user's cache, verified on each load.

`hf://OWNER/NAME@COMMIT/PATH` is a file of a data set on the hub, `https://…#sha256=HEX` any file. What may change
there is refused: a figure must be of the problems that it names. The standard library downloads, so that no
extra is needed; files that need a login are not for it.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import secrets
import ssl
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, NamedTuple

from codejury.model import MIB, InfrastructureError, InputError, UsageError

if TYPE_CHECKING:
    from http.client import HTTPMessage

HUB = "https://huggingface.co"
"""The hub, unless HF_ENDPOINT names another."""

TIMEOUT_S = 30.0
"""Longest silence of a server."""

_FORM = "hf://OWNER/NAME@COMMIT/PATH"
_HF = re.compile(r"hf://(?:datasets/)?([\w.-]+)/([\w.-]+)(?:@([^/#]+))?/([^#]+?)(?:#(.*))?", re.DOTALL)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")


class Fetched(NamedTuple):
    """A file that is there now.

    Attributes:
        path: In the cache.
        name: What a set of it is called.
        source: Where it came from, with its SHA-256: the same name loads the same bytes anywhere.
    """

    path: Path
    name: str
    source: str


class _Remote(NamedTuple):
    """A pinned file elsewhere: what to show, what to ask for, its hash where it is pinned by that, its place."""

    shown: str
    url: str
    sha256: str | None
    name: str
    place: PurePosixPath


def fetch(spec: str) -> Fetched:
    """A file from elsewhere: from the cache where it is there and sound, else downloaded.

    Args:
        spec: See the module.

    Raises:
        UsageError: The address is none, is not pinned, or has no such file.
        InputError: What is there has another hash.
        InfrastructureError: The server cannot be reached or breaks off, or the cache cannot be written.
    """
    if not spec.isprintable():
        raise UsageError(f"{spec!a}: an address has no such characters")
    remote = _of_hub(spec) if spec.startswith("hf://") else _of_address(spec)
    path = cache_folder() / remote.place
    recorded = path.with_name(path.name + ".sha256")
    expected = remote.sha256 or _recorded(recorded)
    try:
        found = _hash(path) if path.is_file() else None
        if found is None or found != expected:
            found = _download(remote, path, expected)
        if remote.sha256 is None and _recorded(recorded) is None:
            _write(recorded, found)
    except OSError as error:
        raise InfrastructureError(f"{remote.shown}: cannot be kept in {path.parent}: {error.strerror}") from None
    return Fetched(path, remote.name, f"{remote.shown}#sha256={found}")


def cache_folder() -> Path:
    """Where files are kept: in XDG_CACHE_HOME, by default ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "codejury" / "files"


def _of_hub(spec: str) -> _Remote:
    match = _HF.fullmatch(spec)
    if match is None or {".", ".."} & {match[1], match[2]}:
        raise UsageError(f"{spec}: no file of the hub: write {_FORM}")
    owner, name, revision, path, fragment = match.groups()
    sha256 = _pinned_hash(spec, fragment)
    if any(part in {"", ".", ".."} for part in path.split("/")):
        raise UsageError(f"{spec}: {path!r} is no path within a data set: write {_FORM}")
    if sha256 is None and (revision is None or not _COMMIT.fullmatch(revision)):
        said = "no revision is named" if revision is None else f"the revision {revision!r} may change"
        raise UsageError(f"{spec}: {said}: pin it by a commit of 40 hex digits, as {_FORM}, or add #sha256=HEX")
    revision = revision or "main"
    endpoint = (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    quoted = urllib.parse.quote(path)
    stem = _SHARD.sub("", _stem(path))
    place = PurePosixPath("hub", owner, name, revision, path) if sha256 is None else _place(sha256, path)
    return _Remote(
        shown=f"hf://{owner}/{name}@{revision}/{path}",
        url=f"{endpoint}/datasets/{owner}/{name}/resolve/{urllib.parse.quote(revision, safe='')}/{quoted}",
        sha256=sha256,
        name=f"{name}-{stem}",
        place=place,
    )


def _of_address(spec: str) -> _Remote:
    address, _, fragment = spec.partition("#")
    try:
        parts = urllib.parse.urlsplit(address)
    except ValueError as error:
        raise UsageError(f"{address}: no address of a file: {error}") from None
    if not parts.hostname or not PurePosixPath(parts.path).name:
        raise UsageError(f"{address}: no address of a file")
    # A query may hold a key, as signed addresses do: it is sent, and shown nowhere.
    shown = urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    if "@" in parts.netloc:
        raise UsageError(f"{shown}: a user's name in an address is not sent; download the file and name its path")
    sha256 = _pinned_hash(shown, fragment or None)
    if sha256 is None:
        raise UsageError(f"{shown}: what is there may change: pin it by its hash, as {shown}#sha256=HEX")
    path = urllib.parse.unquote(parts.path)
    return _Remote(shown=shown, url=address, sha256=sha256, name=_stem(path), place=_place(sha256, path))


def _pinned_hash(shown: str, fragment: str | None) -> str | None:
    if fragment is None:
        return None
    match = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    if match is None:
        raise UsageError(f"{shown}: after # stands sha256= and 64 hex digits")
    return match[1].lower()


def _place(sha256: str, path: str) -> PurePosixPath:
    return PurePosixPath("sha256", sha256, PurePosixPath(path).name.replace("\\", "_"))


def _stem(path: str) -> str:
    name = PurePosixPath(path).name.removesuffix(".gz")
    return name.removesuffix(".jsonl").removesuffix(".json").removesuffix(".parquet")


def _recorded(path: Path) -> str | None:
    """The hash of what was downloaded first, where a commit pins it."""
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if re.fullmatch(r"[0-9a-f]{64}", text) else None


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
    draft.write_text(text + "\n", encoding="ascii")
    draft.replace(path)


# ---- downloading


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but not from https to something weaker."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """The request to go on with."""
        if req.type == "https" and not newurl.startswith("https://"):
            raise urllib.error.URLError("it redirects from https to something weaker")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()  # no handlers of files, FTP and data
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    opener.addheaders = [("User-Agent", "codejury"), ("Accept-Encoding", "identity")]
    return opener


def _download(remote: _Remote, path: Path, expected: str | None) -> str:
    """Put the file into its place; it is there whole and with the right hash, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("xb") as target:
            found = _copy(remote, target)
        if expected is not None and found != expected:
            was = "is pinned to" if remote.sha256 else "had, when it was first downloaded,"
            raise InputError(f"its SHA-256 is {found}, and it {was} {expected}", path=remote.shown)
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return found


def _copy(remote: _Remote, target: IO[bytes]) -> str:
    digest, received = hashlib.sha256(), 0
    try:
        with _opener().open(remote.url, timeout=TIMEOUT_S) as response:
            length = response.headers.get("Content-Length", "")
            while chunk := response.read(MIB):
                digest.update(chunk)
                received += len(chunk)
                target.write(chunk)
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(remote, error.code) from None
    except http.client.IncompleteRead as error:
        raise _cut_off(remote, received + len(error.partial), None) from None
    except (
        urllib.error.URLError,
        http.client.HTTPException,
        ssl.SSLError,
        TimeoutError,
        ConnectionError,
    ) as error:
        reason = " ".join(str(getattr(error, "reason", error)).split()) or type(error).__name__
        raise InfrastructureError(
            f"{remote.shown}: cannot be reached ({reason}), and is not in the cache: connect, or name a path"
        ) from None
    if length.isdecimal() and received != int(length):
        raise _cut_off(remote, received, int(length))
    return digest.hexdigest()


def _refused(remote: _Remote, code: int) -> UsageError | InfrastructureError:
    if code in {401, 403}:
        return UsageError(
            f"{remote.shown}: needs a login or is not there ({code}): get it by other means, and name its path"
        )
    if code in {404, 410}:
        return UsageError(f"{remote.shown}: is not there ({code}): check owner, name, revision and path")
    if code == http.HTTPStatus.TOO_MANY_REQUESTS or code >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
        return InfrastructureError(f"{remote.shown}: the server answers {code}: try again later")
    return UsageError(f"{remote.shown}: the server answers {code}")


def _cut_off(remote: _Remote, received: int, length: int | None) -> InfrastructureError:
    of = f" of {length}" if length is not None else ""
    return InfrastructureError(f"{remote.shown}: was cut off after {received}{of} bytes: try again")
