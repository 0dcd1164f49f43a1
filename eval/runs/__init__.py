"""Runs: what was asked of whom, the answers, and going on where a run stopped; nothing of scoring rules."""
