"""The tables of a store.

Texts are kept once, by hash. Their users hold no foreign key to them: deleting a text would then search every
sample, and a text is only ever deleted by `delete_run`, which looks first. All else belongs to a run and goes with
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

SCHEMA_VERSION = 7
"""Written to `PRAGMA user_version`; a store with a lower one is upgraded, one with a higher one is refused.

Raised together with a new file in `migrations/versions`, whose revision it is.
"""

APPLICATION_ID = 0x636A7279
"""Written to `PRAGMA application_id` ("cjry"): tells our databases from other people's."""


class Hash(TypeDecorator[str]):
    """A SHA-256: hex outside, 32 bytes inside, which halves tables of a million rows."""

    impl = LargeBinary(32)
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002 - SQLAlchemy's
        """Hex to bytes."""
        return None if value is None else bytes.fromhex(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """Bytes to hex."""
        return None if value is None else value.hex()


metadata = MetaData()

# A run's id is never used again, so that a controller whose run was deleted cannot write into another one.
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("manifest", LargeBinary, nullable=False),
    Column("samples", Integer, nullable=False),
    Column("programs", Integer, nullable=False),
    Column("wall_s", Float, nullable=False, default=0.0),
    Column("timed_samples", Integer, nullable=False, default=0),
    sqlite_autoincrement=True,
)

texts = Table(
    "texts",
    metadata,
    Column("hash", Hash, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)


def _run_key() -> Column[int]:
    return Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


# `position` is the problem's place in its set: a short key for the tables below.
problems = Table(
    "problems",
    metadata,
    _run_key(),
    Column("position", Integer, primary_key=True),
    Column("problem_id", Text, nullable=False),
    Column("problem_hash", Hash, nullable=False),
    Column("difficulty", Text),
    Column("cluster", Text),
    UniqueConstraint("run_id", "problem_id"),
    sqlite_with_rowid=False,
)

samples = Table(
    "samples",
    metadata,
    _run_key(),
    Column("position", Integer, primary_key=True),
    Column("idx", Integer, primary_key=True),
    Column("program_hash", Hash, nullable=False),
    Column("text_hash", Hash, nullable=False),
    Column("kind", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("finish_reason", Text),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("cost_usd", Float),
    Column("latency_s", Float),
    Column("flags", Text),
    Index("samples_by_program", "run_id", "position", "program_hash", "idx"),
    sqlite_with_rowid=False,
)

# One row a distinct program of a problem; `copies` is the number of samples that it stands for. Results of the
# tests are columns: `passed` is a bitmap (bit i of byte i // 8 is test i), the others are places in it.
verdicts = Table(
    "verdicts",
    metadata,
    _run_key(),
    Column("position", Integer, primary_key=True),
    Column("program_hash", Hash, primary_key=True),
    Column("key", Text, nullable=False),
    Column("copies", Integer, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("integrity", Text, nullable=False),
    Column("tier", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("n_tests", Integer, nullable=False),
    Column("passed", LargeBinary, nullable=False),
    Column("first_failure", Integer),
    Column("slowest", Integer),
    Column("slowest_s", Float),
    Column("cpu_s", Float),
    Column("wall_s", Float),
    Column("peak_bytes", Integer),
    Column("flipped_from", Text),
    Column("base_passed", Integer),
    Column("slowest_cpu_s", Float),
    sqlite_with_rowid=False,
)
Index(
    "verdicts_flipped",
    verdicts.c.run_id,
    verdicts.c.position,
    sqlite_where=verdicts.c.flipped_from.is_not(None),
)

# What reports read. `samples` is all; `n` of them have a verdict that says something of the sample, `c` of those
# passed, `weak` of those were judged within the candidate's reach; `infra` have a verdict that says nothing.
# `c_base` of n passed the base of their tests; null where the tests have no further part.
problem_counts = Table(
    "problem_counts",
    metadata,
    _run_key(),
    Column("position", Integer, primary_key=True),
    Column("samples", Integer, nullable=False),
    Column("n", Integer, nullable=False, default=0),
    Column("c", Integer, nullable=False, default=0),
    Column("infra", Integer, nullable=False, default=0),
    Column("weak", Integer, nullable=False, default=0),
    Column("c_base", Integer),
    sqlite_with_rowid=False,
)

# How the samples of a problem ended: `samples` of them, with `programs` distinct programs (rows of `verdicts`).
outcome_counts = Table(
    "outcome_counts",
    metadata,
    _run_key(),
    Column("position", Integer, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("integrity", Text, primary_key=True),
    Column("tier", Text, primary_key=True),
    Column("samples", Integer, nullable=False),
    Column("programs", Integer, nullable=False),
    sqlite_with_rowid=False,
)

profiles = Table(
    "profiles",
    metadata,
    Column("key", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

# Rollouts of agents are runs of their own: their tasks have no tests here, and nothing of them is judged.
rollout_runs = Table(
    "rollout_runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("manifest", LargeBinary, nullable=False),
    Column("rollouts", Integer, nullable=False),
    Column("tasks", Integer, nullable=False),
    Column("agents", Integer, nullable=False),
    sqlite_autoincrement=True,
)


def _rollout_run_key() -> Column[int]:
    return Column("rollout_run_id", Integer, ForeignKey("rollout_runs.id", ondelete="CASCADE"), primary_key=True)


rollout_tasks = Table(
    "rollout_tasks",
    metadata,
    _rollout_run_key(),
    Column("position", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("difficulty", Text),
    Column("tags", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

rollout_agents = Table(
    "rollout_agents",
    metadata,
    _rollout_run_key(),
    Column("position", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    sqlite_with_rowid=False,
)

# One row a rollout; `agent` and `task` are positions in the tables above. `worst` is the rank of the worst
# severity found, 0 for none, null where nothing was scanned. `findings` is JSON.
rollouts = Table(
    "rollouts",
    metadata,
    _rollout_run_key(),
    Column("agent", Integer, primary_key=True),
    Column("task", Integer, primary_key=True),
    Column("label", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("subtype", Text, nullable=False),
    Column("resolved", Integer),
    Column("tests_passed", Integer),
    Column("tests_total", Integer),
    Column("regressions", Integer),
    Column("cost_usd", Float),
    Column("tool_calls", Integer),
    Column("latency_s", Float),
    Column("tokens", Integer),
    Column("security_score", Float),
    Column("worst", Integer),
    Column("findings", LargeBinary),
    Column("patch_hash", Hash),
    Column("code_hash", Hash),
    sqlite_with_rowid=False,
)

rollout_texts = Table(
    "rollout_texts",
    metadata,
    _rollout_run_key(),
    Column("hash", Hash, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

# Where samples wait until all of them are read; a temporary table is outside the store's write lock.
staging = MetaData()
staged_texts = Table(
    "staged_texts",
    staging,
    Column("hash", Hash, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    prefixes=["TEMPORARY"],
)
staged_samples = Table(
    "staged_samples",
    staging,
    *(Column(c.name, c.type, primary_key=c.primary_key) for c in samples.columns if c.name != "run_id"),
    prefixes=["TEMPORARY"],
)
staged_rollouts = Table(
    "staged_rollouts",
    staging,
    *(Column(c.name, c.type, primary_key=c.primary_key) for c in rollouts.columns if c.name != "rollout_run_id"),
    prefixes=["TEMPORARY"],
    sqlite_with_rowid=False,
)

# The texts of a run that is deleted, less those that others use.
unused_texts = Table(
    "unused_texts",
    MetaData(),
    Column("hash", Hash, primary_key=True),
    prefixes=["TEMPORARY"],
    sqlite_with_rowid=False,
)
