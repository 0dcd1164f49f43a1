"""Tiny models, servers of models, and the figures worked out plainly."""
