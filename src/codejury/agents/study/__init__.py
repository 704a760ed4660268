"""The study of arXiv 2608.14711, done again: its experiments, published beside corrected."""
