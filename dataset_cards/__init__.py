"""Jinja templates of the dataset card, and the vocabulary of its metadata."""
