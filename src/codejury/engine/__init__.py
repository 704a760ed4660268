"""Many jobs over many slots."""
