"""Upstream: the layouts in which others publish their data."""
