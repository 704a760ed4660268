"""The first schema. Stores of it are made already, so there is nothing to do."""

revision = "1"
down_revision = None
