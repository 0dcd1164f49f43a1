"""Nets: what users get from commands, public names and files, recorded, and held while the code changes."""
