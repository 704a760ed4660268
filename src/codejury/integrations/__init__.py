"""codejury in the place of other tools' parts."""
