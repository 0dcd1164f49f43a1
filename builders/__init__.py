"""Frames in, frames out; only the release modules write files."""
