"""Whether a sample passed the base of its tests is kept beside its verdict, and counted by problem at write."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Add the columns; no verdict of an older store is of tests with a further part."""
    op.add_column("verdicts", sa.Column("base_passed", sa.Integer))
    op.add_column("problem_counts", sa.Column("c_base", sa.Integer))
