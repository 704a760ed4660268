"""Texts by hash: programs, raw answers and problems, compressed, each kept once."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import exists, select

from codejury.model import InfrastructureError, Problem
from codejury.store.tables import problems, texts

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from codejury.store.database import Database

_CACHED_PROBLEMS = 64
_CACHED_PROGRAMS = 256


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
    """`model.Library` of one run. What was fetched lately stays in memory; safe for use by several threads."""

    def __init__(self, database: Database, run: int) -> None:
        self._database = database
        self._run = run
        self.problem = lru_cache(_CACHED_PROBLEMS)(self._problem)
        self.program = lru_cache(_CACHED_PROGRAMS)(self._program)

    def _problem(self, problem_hash: str) -> Problem:
        """The problem of this run with this hash."""
        of_run = exists().where(problems.c.run_id == self._run, problems.c.problem_hash == problem_hash)
        body = self._text((texts.c.hash == problem_hash) & of_run, "problem", problem_hash)
        return msgspec.json.decode(body, type=Problem)

    def _program(self, program_hash: str) -> str:
        """The source of the program with this hash."""
        return self._text(texts.c.hash == program_hash, "program", program_hash)

    def _text(self, condition: ColumnElement[bool], kind: str, digest: str) -> str:
        with self._database.read() as connection:
            body = connection.execute(select(texts.c.body).where(condition)).scalar_one_or_none()
        if body is None:
            raise InfrastructureError(f"store {self._database.name} has no {kind} {digest} of run {self._run}")
        return unpack(body)
