"""Checks: what a release must keep, one module per kind of promise."""
