"""One module a revision: `schema_N.py` leads from schema N - 1 to N."""
