"""Prompts and the slots of questions."""
