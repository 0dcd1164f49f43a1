"""Verdicts: what readers said of options and of questions, and who has read what."""
