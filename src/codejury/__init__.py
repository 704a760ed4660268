"""codejury judges code that models write."""
