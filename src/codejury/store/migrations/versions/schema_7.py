"""What extracting a sample's program had to do, or could not do, is kept beside the rule."""

import sqlalchemy as sa
from alembic import op

revision = "7"
down_revision = "6"


def upgrade() -> None:
    """Add the column; older programs were taken as they were."""
    op.add_column("samples", sa.Column("flags", sa.Text))
