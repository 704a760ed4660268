"""Asking a model for samples."""
