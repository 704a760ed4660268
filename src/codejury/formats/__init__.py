"""Readers and writers of other people's files, one module a family."""
