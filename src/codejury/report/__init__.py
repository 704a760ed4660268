"""Documents and how they are shown."""
