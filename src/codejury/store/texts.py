"""Texts by hash: programs, raw answers and problems, compressed, each kept once."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import exists, select

from codejury.model import InfrastructureError, Problem
from codejury.store.tables import problems, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import ColumnElement

    from codejury.store.database import Database


def pack(text: str) -> bytes:
    """A text as it is stored. Lone surrogates survive: models write them, and hashes tell them apart."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpack(body: bytes) -> str:
    """The text of `pack`."""
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


def printable(text: str) -> str:
    """`text` as every database takes it: lone surrogates and NUL become escapes."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def problem_text(problem: Problem) -> str:
    """The JSON of which `Problem.hash` is the hash, so that problems are texts like all others."""
    return msgspec.json.encode(problem, order="deterministic").decode()


class StoreLibrary:
    """`model.Library` of one run.

    Args:
        database: Where the run is.
        run: The run.
        at_hand: Problems that need not be fetched, by hash.
    """

    def __init__(self, database: Database, run: int, at_hand: Mapping[str, Problem]) -> None:
        self._database, self._run = database, run
        self._problems = dict(at_hand)
        self._fetched: dict[str, str] = {}
        self._before: dict[str, str] = {}

    def problem(self, problem_hash: str) -> Problem:
        """The problem of this run with this hash."""
        if problem_hash not in self._problems:
            of_run = exists().where(problems.c.run_id == self._run, problems.c.problem_hash == problem_hash)
            body = self._text((texts.c.hash == problem_hash) & of_run, "problem", problem_hash)
            self._problems[problem_hash] = msgspec.json.decode(body, type=Problem)
        return self._problems[problem_hash]

    def program(self, program_hash: str) -> str:
        """The source of the program with this hash."""
        for programs in (self._fetched, self._before):
            if program_hash in programs:
                return programs[program_hash]
        return self._text(texts.c.hash == program_hash, "program", program_hash)

    def fetch(self, program_hashes: Collection[str]) -> None:
        """Have these programs at hand, read together; those of the call before stay until the next."""
        query = select(texts.c.hash, texts.c.body).where(texts.c.hash.in_(program_hashes))
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        self._before, self._fetched = self._fetched, {digest: unpack(body) for digest, body in rows}

    def _text(self, condition: ColumnElement[bool], kind: str, digest: str) -> str:
        with self._database.read() as connection:
            body = connection.execute(select(texts.c.body).where(condition)).scalar_one_or_none()
        if body is None:
            raise InfrastructureError(f"store {self._database.name} has no {kind} {digest} of run {self._run}")
        return unpack(body)
