"""How long a sample's answer took is kept beside its tokens and cost."""

import sqlalchemy as sa
from alembic import op

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Add the column; how long older answers took is not known."""
    op.add_column("samples", sa.Column("latency_s", sa.Float))
