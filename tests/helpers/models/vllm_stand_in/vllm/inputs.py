"""Prompts of engines."""

TokensPrompt = TextPrompt = dict
