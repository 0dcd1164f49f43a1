"""Jinja templates of the dataset card."""
