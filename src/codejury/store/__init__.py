"""Runs in a database."""
