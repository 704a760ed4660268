"""Outcomes are tallied at write, so that a report need not read the verdicts."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Make `outcome_counts` and fill it from the verdicts."""
    op.create_table(
        "outcome_counts",
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("outcome", sa.Text, primary_key=True),
        sa.Column("integrity", sa.Text, primary_key=True),
        sa.Column("tier", sa.Text, primary_key=True),
        sa.Column("samples", sa.Integer, nullable=False),
        sa.Column("programs", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO outcome_counts (run_id, position, outcome, integrity, tier, samples, programs) "
        "SELECT run_id, position, outcome, integrity, tier, sum(copies), count(*) "
        "FROM verdicts GROUP BY run_id, position, outcome, integrity, tier"
    )
