"""Syntax trees of completions, parsed in context, and how alike two of them are."""
