"""Rollouts of agents, with their tasks, agents and texts."""

import sqlalchemy as sa
from alembic import op

revision = "6"
down_revision = "5"


def upgrade() -> None:
    """Make the tables; no older store has rollouts."""
    op.create_table(
        "rollout_runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("manifest", sa.LargeBinary, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("rollouts", "tasks", "agents")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "rollout_tasks",
        *_keys("position"),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("difficulty", sa.Text),
        sa.Column("tags", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rollout_agents", *_keys("position"), sa.Column("name", sa.Text, nullable=False), sqlite_with_rowid=False
    )
    op.create_table(
        "rollouts",
        *_keys("agent", "task"),
        sa.Column("label", sa.Text, primary_key=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("subtype", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer) for name in ("resolved", "tests_passed", "tests_total", "regressions")),
        sa.Column("cost_usd", sa.Float),
        sa.Column("tool_calls", sa.Integer),
        sa.Column("latency_s", sa.Float),
        sa.Column("tokens", sa.Integer),
        sa.Column("security_score", sa.Float),
        sa.Column("worst", sa.Integer),
        sa.Column("findings", sa.LargeBinary),
        sa.Column("patch_hash", sa.LargeBinary(32)),
        sa.Column("code_hash", sa.LargeBinary(32)),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rollout_texts",
        *_keys(),
        sa.Column("hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )


def _keys(*positions: str) -> list[sa.Column[int]]:
    run = sa.Column(
        "rollout_run_id", sa.Integer, sa.ForeignKey("rollout_runs.id", ondelete="CASCADE"), primary_key=True
    )
    return [run, *(sa.Column(name, sa.Integer, primary_key=True) for name in positions)]
