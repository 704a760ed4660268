"""The CPU time of a sample's slowest test is kept beside its wall time."""

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    """Add the column; what older verdicts took is not known."""
    op.add_column("verdicts", sa.Column("slowest_cpu_s", sa.Float))
