"""Code out of a model's answer."""
