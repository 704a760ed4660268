"""codejury judges code that models write."""

__version__ = "0.1.0"
