"""The registry of problem sets, and the built-in one."""
